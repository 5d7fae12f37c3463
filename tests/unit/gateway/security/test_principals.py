"""The sender of a request."""

import pytest
from starlette.types import Scope

from gateway.security.principals import channel_of, principal_of, set_principal


def test_a_principal_is_recorded_in_the_request() -> None:
    scope: Scope = {"type": "http"}
    assert principal_of(scope) is None
    set_principal(scope, "ann")
    assert principal_of(scope) == "ann"


@pytest.mark.parametrize(
    ("headers", "channel"),
    [
        ([], None),
        ([(b"x-channel", b"a")], None),
        ([(b"x-channel-id", "Zürich 東".encode())], "Zürich 東"),
        ([(b"x-channel-id", "Zürich".encode("latin-1"))], "Zürich"),
        ([(b"x-channel-id", b"")], ""),
        ([(b"x-channel-id", b"first"), (b"x-channel-id", b"second")], "first"),
    ],
)
def test_a_channel_is_read_as_utf_8_or_as_latin_1(headers: list[tuple[bytes, bytes]], channel: str | None) -> None:
    assert channel_of({"type": "http", "headers": headers}) == channel
