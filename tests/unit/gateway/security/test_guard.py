"""The guard passes a request on whole, or answers in its place."""

import anyio
import anyio.lowlevel
import pytest
from pydantic import SecretStr
from starlette.types import Message, Receive, Scope, Send

from config.settings import ServerSettings
from gateway.refusals import Refusals
from gateway.security import guard

LIMIT = 4096

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


async def answer(inside: Inside, receive: Receive, *more: tuple[bytes, bytes], limit: int = 1_000_000) -> Message:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await guard.Guard(inside, ServerSettings(max_body_bytes=limit), "127.0.0.1", Refusals(()))(
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


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        (b"x-channel-id", b"mine", b"theirs"),
        (b"host", b"localhost", b"evil.example"),
        (b"origin", b"http://localhost", b"http://evil.example"),
        (b"authorization", b"Bearer right", b"Bearer wrong"),
    ],
)
async def test_a_request_that_sends_such_a_header_twice_is_refused(name: bytes, first: bytes, second: bytes) -> None:
    inside = Inside()
    refused = await answer(inside, arriving(b"{}"), (name, first), (name, second))
    assert refused["status"] == 400
    assert inside.bodies == []


@pytest.mark.parametrize(
    ("receive", "head"),
    [
        (arriving(b"x" * LIMIT, b"x", b""), ()),
        (arriving(b"{}", b""), ((b"content-length", b"4097"),)),
    ],
    ids=["arrived", "declared"],
)
async def test_a_body_beyond_the_limit_is_answered_413(receive: Receive, head: tuple[tuple[bytes, bytes], ...]) -> None:
    inside = Inside()
    refused = await answer(inside, receive, *head, limit=LIMIT)
    assert (refused["status"], inside.bodies) == (413, [])


async def test_a_body_of_the_limit_passes_and_a_client_that_leaves_is_not_answered() -> None:
    inside = Inside()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "BODY_S", 0.05)
        assert (await answer(inside, arriving(b"x" * LIMIT, b""), limit=LIMIT))["status"] == 200
    messages: list[Message] = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def leaving() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    await guard.Guard(inside, ServerSettings(), "127.0.0.1", Refusals(()))(REQUEST, leaving, send)
    assert inside.bodies == [b"x" * LIMIT]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ((), 413),
        (((b"authorization", b"a"), (b"authorization", b"b")), 400),
        (((b"origin", b"http://evil.example"),), 403),
    ],
)
async def test_the_body_of_a_refused_request_is_read_to_its_end(
    more: tuple[tuple[bytes, bytes], ...], status: int
) -> None:
    parts = [b"x" * LIMIT] * 20
    left = [*parts, b""]

    async def receive() -> Message:
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": part != b""}

    refused = await answer(Inside(), receive, (b"content-length", b"%d" % (20 * LIMIT)), *more, limit=LIMIT)
    assert (refused["status"], left) == (status, [])


@pytest.mark.parametrize("receive", [trickling, arriving(b"x" * LIMIT)])
async def test_a_refused_body_is_read_for_a_while_only(receive: Receive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "DRAIN_S", 0.05)
    with anyio.fail_after(5):
        refused = await answer(Inside(), receive, (b"content-length", b"100000"), limit=LIMIT)
    assert refused["status"] == 413


async def test_of_a_refused_body_some_megabytes_are_read_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "DRAINED_BYTES", 3 * LIMIT)
    reads = 0

    async def receive() -> Message:
        nonlocal reads
        reads += 1
        return {"type": "http.request", "body": b"x" * LIMIT, "more_body": True}

    await answer(Inside(), receive, (b"content-length", b"100000"), limit=LIMIT)
    assert reads == 3


async def test_a_client_that_waits_for_leave_to_send_is_refused_at_once() -> None:
    head = ((b"content-length", b"100000"), (b"expect", b"100-continue"))
    with anyio.fail_after(5):
        refused = await answer(Inside(), arriving(), *head, limit=LIMIT)
    assert refused["status"] == 413


@pytest.mark.parametrize(
    ("host", "status"),
    [(b"box.lan:1", 200), (b"10.9.9.9:1", 200), (b"[fd00::1]", 421), (b"10.9.9.8", 421), (b"other.lan", 421)],
)
async def test_the_configured_host_and_its_address_may_be_named(host: bytes, status: int) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    checked = guard.Guard(inside, ServerSettings(host="box.lan"), "10.9.9.9", Refusals(()))
    await checked({**REQUEST, "headers": [(b"host", host)]}, arriving(b"{}", b""), send)
    assert sent[0]["status"] == status


PAGE, OWN_PAGE, FOREIGN_PAGE = b"https://app.example", b"http://localhost:6274", b"https://evil.example"


async def reply_to(method: str, *headers: tuple[bytes, bytes]) -> tuple[int, dict[bytes, bytes]]:
    """Return status and headers of the reply to a request without the token that the server requires."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 405, "headers": []})

    server = ServerSettings(allowed_origins=(PAGE.decode(),), token=SecretStr("secret"))
    scope = {**REQUEST, "method": method, "headers": [(b"host", b"localhost"), *headers]}
    await guard.Guard(inside, server, "127.0.0.1", Refusals(()))(scope, arriving(b""), send)
    return sent[0]["status"], dict(sent[0]["headers"])


ASKED = (
    (b"access-control-request-method", b"POST"),
    (b"access-control-request-headers", b"authorization,content-type,mcp-protocol-version"),
)


async def test_a_browser_may_ask_what_a_page_of_a_configured_origin_may_send() -> None:
    status, headers = await reply_to("OPTIONS", (b"origin", PAGE), *ASKED)
    assert status == 204
    assert headers[b"access-control-allow-origin"] == PAGE
    assert headers[b"access-control-allow-methods"] == b"POST"
    assert headers[b"access-control-allow-headers"] == ASKED[1][1]
    assert headers[b"vary"] == b"Origin"
    assert b"access-control-allow-credentials" not in headers


@pytest.mark.parametrize("headers", [b"x\r\nset-cookie: a", b"*", b"a" * 101, b",".join([b"a"] * 52)])
async def test_names_that_no_browser_sends_are_not_permitted(headers: bytes) -> None:
    asked = (ASKED[0], (b"access-control-request-headers", headers))
    assert b"access-control-allow-headers" not in (await reply_to("OPTIONS", (b"origin", PAGE), *asked))[1]


@pytest.mark.parametrize(
    ("origin", "status"), [((b"origin", OWN_PAGE), 401), ((b"origin", FOREIGN_PAGE), 403), ((b"x", b"y"), 401)]
)
async def test_other_pages_get_no_permission(origin: tuple[bytes, bytes], status: int) -> None:
    found, headers = await reply_to("OPTIONS", origin, *ASKED)
    assert (found, any(name.startswith(b"access-control") for name in headers)) == (status, False)


@pytest.mark.parametrize(("origin", "allowed"), [(PAGE, PAGE), (OWN_PAGE, None), (FOREIGN_PAGE, None)])
async def test_a_page_of_a_configured_origin_reads_replies_and_refusals(origin: bytes, allowed: bytes | None) -> None:
    status, headers = await reply_to("POST", (b"origin", origin))
    assert (status, headers.get(b"access-control-allow-origin")) == (403 if origin == FOREIGN_PAGE else 401, allowed)
