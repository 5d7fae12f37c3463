"""The channel that a request's connection is bound to by its header."""

from starlette.types import Scope


def channel_of(scope: Scope) -> str | None:
    """Return the value of `X-Channel-Id`, None where there is none.

    Read as UTF-8, which is what clients send; as Latin-1, what the protocol once said, where it is none.
    """
    sent = next((value for name, value in scope["headers"] if name == b"x-channel-id"), None)
    if not isinstance(sent, bytes):
        return None
    try:
        return sent.decode()
    except UnicodeDecodeError:
        return sent.decode("latin-1")
