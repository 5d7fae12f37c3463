"""The guard passes a request on whole, or answers in its place."""

import anyio
import anyio.lowlevel
import pytest
from starlette.types import Message, Receive, Scope, Send

from config.settings import ServerSettings
from gateway.security import guard

REQUEST: Scope = {
    "type": "http",
    "method": "POST",
    "path": "/mcp",
    "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
}


class Inside:
    """What lies behind the guard, and what it was given."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.bodies.append((await receive())["body"])
        with anyio.CancelScope(deadline=anyio.current_time() + 2 * guard.BODY_S) as waiting:
            await receive()
        assert waiting.cancelled_caught
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def answer(inside: Inside, receive: Receive, *more: tuple[bytes, bytes]) -> Message:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await guard.Guard(inside, ServerSettings(), "127.0.0.1")(
        {**REQUEST, "headers": [*REQUEST["headers"], *more]}, receive, send
    )
    return sent[0]


def arriving(*parts: bytes) -> Receive:
    """Return a `receive` that gives the parts and then waits; an empty part at the end ends the body."""
    left = list(parts)

    async def receive() -> Message:
        if not left:
            await anyio.sleep_forever()
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": part != b""}

    return receive


async def trickling() -> Message:
    await anyio.lowlevel.checkpoint()
    return {"type": "http.request", "body": b" ", "more_body": True}


@pytest.mark.parametrize("receive", [arriving(), arriving(b"{"), trickling])
async def test_a_body_that_is_not_whole_in_time_is_answered_408(
    receive: Receive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.05)
    inside = Inside()
    with anyio.fail_after(5):
        start = await answer(inside, receive)
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    assert inside.bodies == []


async def test_a_call_may_take_longer_than_its_body_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.05)
    inside = Inside()
    start = await answer(inside, arriving(b"{", b"}", b""))
    assert (start["status"], inside.bodies) == (200, [b"{}"])


async def test_a_request_that_names_two_channels_is_refused() -> None:
    inside = Inside()
    refused = await answer(inside, arriving(b"{}"), (b"x-channel-id", b"mine"), (b"x-channel-id", b"theirs"))
    assert refused["status"] == 400
    assert inside.bodies == []
