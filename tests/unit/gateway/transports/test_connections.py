"""What a connection is allowed before anything is known of its request."""

import asyncio
import json
import resource
import socket
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import anyio
import anyio.to_thread
import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from gateway.refusals import Refusals
from gateway.transports import connections
from gateway.transports.connections import HttpConnection, connection_limit, sweep
from tests.unit.gateway.test_refusals import Mapped
from toolsets.spec import HttpReply, HttpRequest, RouteSpec

BIG = 16 * 1024 * 1024
NO_WORDS = Refusals(())
START = b"POST /x HTTP/1.1\r\nHost: localhost\r\n"


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body and answer with the path; with much at `/big`, without reading at `/deaf`, after 0.5 s at `/slow`.

    At `/echo` the answer has the body that was sent.
    """
    sent, more = b"", scope["path"] != "/deaf"
    while more:
        message = await receive()
        sent, more = sent + message.get("body", b""), message.get("more_body", False)
    if scope["path"] == "/slow":
        await anyio.sleep(0.5)
    body = sent if scope["path"] == "/echo" else b"x" * BIG if scope["path"] == "/big" else b"done"
    headers = [(b"path", scope["raw_path"]), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def server(limit: int = 100, wording: Refusals = NO_WORDS) -> AsyncGenerator[tuple[int, ServerState]]:
    """Serve on a free port; yield it, and the connections that are open."""

    class Bounded(HttpConnection):
        max_connections = limit
        refusals = wording

    loop = asyncio.get_running_loop()
    state = ServerState()
    made = partial(Bounded, config=Config(answer, lifespan="off", log_config=None), server_state=state, app_state={})
    listening = await loop.create_server(made, "127.0.0.1", 0)
    async with listening, anyio.create_task_group() as group:
        group.start_soon(sweep, state.connections, Bounded)
        yield listening.sockets[0].getsockname()[1], state
        group.cancel_scope.cancel()


async def status_after(port: int, *parts: bytes) -> bytes:
    """Send parts and return the status line of the answer; empty where the connection ends without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with anyio.fail_after(10):
        for part in parts:
            writer.write(part)
            await writer.drain()
        line = await reader.readline()
        writer.close()
        return line.strip()


async def test_an_ordinary_request_passes() -> None:
    async with server() as (port, _):
        headers = b"".join(b"X-%d: y\r\n" % number for number in range(98))
        line = await status_after(port, START, headers, b"Content-Length: 5\r\n\r\n", b"hel", b"lo")
        assert line == b"HTTP/1.1 200 OK"
        chunked = b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"
        assert await status_after(port, START, chunked) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    "headers",
    [
        b"".join(b"X-%d: y\r\n" % number for number in range(101)) + b"\r\n",
        b"X: " + b"y" * 65_536 + b"\r\n\r\n",
        b"X: " + b"y" * 400_000,
        b"X:" + b" " * 400_000,
        b"y" * 400_000,
    ],
    ids=["many", "long", "endless value", "endless blanks", "endless name"],
)
async def test_headers_beyond_their_bounds_are_answered_431(headers: bytes) -> None:
    async with server() as (port, _):
        assert await status_after(port, START, headers) == b"HTTP/1.1 431 Request Header Fields Too Large"


async def test_headers_without_end_take_no_more_memory_than_their_bounds_allow() -> None:
    """54 MB of small ones took 1.9 GB; a connection is closed long before so many have come."""
    small = b"a:b\r\n" * 200_000

    def refused(port: int) -> bool:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(START)
            try:
                for _ in range(54):
                    client.sendall(small)
            except ConnectionError:
                return True
        return False

    async with server() as (port, _):
        tracemalloc.start()
        try:
            assert [await anyio.to_thread.run_sync(refused, port) for _ in range(4)] == [True] * 4
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 4 * 2**20


async def test_pipelined_requests_are_answered_in_order() -> None:
    """They are longer together than what is parsed at once, and have bodies longer than that."""
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(200):
            body = b"x" * (number * 37 % 3_000)
            writer.write(
                b"POST /%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (number, len(body)) + body
            )
        with anyio.fail_after(10):
            for number in range(200):
                head = await reader.readuntil(b"\r\n\r\n")
                assert b"\r\npath: /%d\r\n" % number in head
                assert await reader.readexactly(4) == b"done"
        writer.close()


UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n"
"""What the HTTP client of the JDK sends by default."""


@pytest.mark.parametrize("size", [1, 16, 10_000])
@pytest.mark.parametrize("body", [b"GET /inner HTTP/1.1\r\nHost: localhost\r\n\r\n", b"", b"x" * 5_000])
@pytest.mark.parametrize("is_chunked", [False, True])
async def test_the_body_of_a_request_to_upgrade_is_its_body(size: int, body: bytes, is_chunked: bool) -> None:
    """Wherever the segments end; one that is like a request is none, and the next request is answered too."""
    length = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: %d" % len(body)
    chunks = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + b"0\r\n\r\n"
    first = b"POST /echo HTTP/1.1\r\nHost: localhost\r\n" + UPGRADE + length + b"\r\n\r\n"
    sent = first + (chunks if is_chunked else body) + b"GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for at in range(0, len(sent), size):
            writer.write(sent[at : at + size])
            await asyncio.sleep(0)
        with anyio.fail_after(10):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 OK\r\npath: /echo\r\n")
            assert await reader.readexactly(len(body)) == body
            assert b"path: /next\r\n" in await reader.readuntil(b"\r\n\r\n")
        writer.close()


@pytest.mark.parametrize("target", [b"/x", b"localhost:443"])
async def test_a_request_for_a_tunnel_is_refused(target: bytes) -> None:
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT %b HTTP/1.1\r\nHost: localhost\r\n%b\r\n" % (target, UPGRADE))
        with anyio.fail_after(10):
            assert (await reader.read()).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        writer.close()


async def test_pipelined_requests_of_a_client_that_does_not_read_are_bounded() -> None:
    """59 MB of small ones took 4.2 GB; now the client cannot send more than the buffers of its connection hold."""
    small = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10_000

    def sent(client: socket.socket) -> int:
        client.settimeout(1.0)
        count = 0
        with suppress(TimeoutError):
            while count < 60 * 2**20:
                count += client.send(small)
        return count

    async with server() as (port, state):
        with socket.create_connection(("127.0.0.1", port)) as deaf:
            tracemalloc.start()
            try:
                count = await anyio.to_thread.run_sync(sent, deaf)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            (connection,) = state.connections
            assert isinstance(connection, HttpConnection)
            assert len(connection.pipeline) <= 57
        assert count < 40 * 2**20
        assert peak < 4 * 2**20
        with anyio.fail_after(10):
            while state.connections:
                await anyio.sleep(0.01)


def test_the_bounds_of_headers_and_of_clients_that_are_slow() -> None:
    assert (connections.HEADER_BYTES, connections.HEADER_COUNT, connections.HEADERS_S) == (65_536, 100, 10.0)
    assert (connections.UNREAD_S, connections.SWEEP_S, HttpConnection.max_connections) == (20.0, 1.0, 512)


async def unasked(request: HttpRequest) -> HttpReply:
    raise AssertionError(request.path)


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"POST /x?a=b HTTP/1.1\r\n" + b"X: y\r\n" * 102, b"HTTP/1.1 400 Bad Request"),
        (b"POST /%78 HTTP/1.1\r\n" + b"X: y\r\n" * 102, b"HTTP/1.1 400 Bad Request"),
        (b"POST /y HTTP/1.1\r\n" + b"X: y\r\n" * 102, b"HTTP/1.1 431 Request Header Fields Too Large"),
        (b"POST /x", b"HTTP/1.1 408 Request Timeout"),
        (b"POST /x HTTP/1.1\r\nHost: localhost\r\nX:", b"HTTP/1.1 400 Bad Request"),
    ],
    ids=["too many", "encoded", "of another path", "a path that may go on", "too slow"],
)
async def test_a_refusal_before_the_whole_request_has_the_envelope_of_the_path_if_known(
    sent: bytes, answered: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server(wording=Refusals([RouteSpec("POST", "/x", unasked, Mapped("x"))])) as (port, _):
        assert await status_after(port, sent) == answered


async def test_trailers_beyond_the_bounds_of_headers_are_answered_431() -> None:
    async with server() as (port, _):
        trailers = b"".join(b"X-%d: y\r\n" % number for number in range(101))
        line = await status_after(port, START, b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + trailers)
        assert line == b"HTTP/1.1 431 Request Header Fields Too Large"


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabcdef\r\n0\r\n\r\n",
        b"3\r\nabc\r\n-1\r\n\r\n",
        b"f" * 17 + b"\r\n",
        b"3\nabc\r\n",
    ],
    ids=["no size", "no line end", "negative size", "huge size", "bare line feed"],
)
async def test_a_body_in_malformed_chunks_is_answered_400_once(chunks: bytes) -> None:
    async with server() as (port, state):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(START + b"Transfer-Encoding: chunked\r\n\r\n")
        await writer.drain()
        while not state.tasks:
            await anyio.sleep(0.01)
        writer.write(chunks)
        with anyio.fail_after(10):
            answer = await reader.read()
            while state.tasks:
                await anyio.sleep(0.01)
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert json.loads(body)["error"] == "malformed_request"


SLOW = b"POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
FAST = b"POST /fast HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
BROKEN = b"POST /fast HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"


async def statuses(port: int, *parts: bytes) -> list[bytes]:
    """Send parts; return the status lines up to the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with anyio.fail_after(10):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await anyio.sleep(0.05)
        received = await reader.read()
        writer.close()
    return [line for line in received.replace(b"HTTP/", b"\r\nHTTP/").split(b"\r\n") if line.startswith(b"HTTP/")]


OK, MALFORMED = b"HTTP/1.1 200 OK", b"HTTP/1.1 400 Bad Request"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([SLOW + b"\r\nhello and more"], [OK, MALFORMED]),
        ([SLOW + b"\r\nhello", b" and more", b" and more\r\n\r\n"], [OK, MALFORMED]),
        ([SLOW + b"\r\nhello" + b"x" * 2_000_000], [OK, MALFORMED]),
        ([SLOW + b"\r\nhello" + FAST + b"no request\r\n\r\n"], [OK, OK, MALFORMED]),
        ([SLOW + b"\r\nhello" + FAST + BROKEN], [OK, OK, MALFORMED]),
        ([SLOW + b"\r\nhello", BROKEN + FAST], [OK, MALFORMED]),
        ([SLOW + b"\r\nhello" + b"POST http://a/b HTTP/1.1\r\nHost: a\r\n\r\n"], [OK, MALFORMED]),
        (
            [SLOW + b"\r\nhello", b"POST /fast HTTP/1.1\r\n" + b"y" * 400_000],
            [OK, b"HTTP/1.1 431 Request Header Fields Too Large"],
        ),
        ([SLOW + b"Connection: close\r\n\r\nhello and more"], [OK]),
    ],
    ids=[
        "longer body",
        "longer body later",
        "much longer body",
        "after two requests",
        "malformed third body",
        "malformed second body",
        "absolute target",
        "endless header",
        "close",
    ],
)
async def test_a_complete_request_is_answered_before_what_follows_is_refused(
    parts: list[bytes], expected: list[bytes]
) -> None:
    async with server() as (port, state):
        assert await statuses(port, *parts) == expected
        await anyio.sleep(0.01)
        assert not state.connections


async def test_a_target_that_is_too_long_is_answered_431() -> None:
    async with server() as (port, _):
        line = await status_after(port, b"GET /" + b"x" * 66_000 + b" HTTP/1.1\r\n\r\n")
        assert line.startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize("target", [b"http://localhost/x", b"http://evil.example/", b"*", b"evil.example:80"])
async def test_a_target_that_is_no_path_is_answered_400(target: bytes) -> None:
    async with server() as (port, _):
        line = await status_after(port, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line == b"HTTP/1.1 400 Bad Request"


async def test_connections_beyond_their_number_are_answered_503(caplog: pytest.LogCaptureFixture) -> None:
    async with server(limit=2) as (port, _):
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        assert await status_after(port, b"") == b"HTTP/1.1 503 Service Unavailable"
        for _, writer in held:
            writer.close()
            await writer.wait_closed()
        line = b"HTTP/1.1 503"
        with anyio.fail_after(10):
            while line.startswith(b"HTTP/1.1 503"):
                line = await status_after(port, START + b"Content-Length: 0\r\n\r\n")
        assert line == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(("files", "wanted", "expected"), [(1024, 512, 512), (1024, 5000, 768), (256, 512, 128)])
def test_connections_leave_files_to_the_stores(
    files: int, wanted: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = [(files, files), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)]

    def soft_and_hard(_: int) -> tuple[int, int]:
        return limits.pop(0)

    monkeypatch.setattr(resource, "getrlimit", soft_and_hard)
    assert connection_limit(wanted) == expected
    assert connection_limit(wanted) == wanted
