"""HTTP connections with limits that apply before a request is known: headers, times to send and read, their number."""

import asyncio
import logging
import resource
from array import array
from collections.abc import Callable, Collection
from typing import cast
from urllib.parse import unquote

import anyio
import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from gateway.refusals import Refusal, Refusals
from gateway.surrogates import encoded

log = logging.getLogger("entrepot.http")

HEADER_BYTES = 64 * 1024
"""The most bytes of request line and headers together; browsers and proxies send a tenth of it."""
HEADER_COUNT = 100
"""Each line costs time to parse; browsers and proxies send a few dozen at most."""
HEADERS_S = 10.0
"""How long the headers of a request may take to arrive, from the connection or from the first byte."""
MESSAGE_S = 60.0
"""How long a request may take to arrive, for a body that is not read; twice the time after which the guard answers 408."""
UNREAD_S = 20.0
"""How long a client may take to read `READ_BYTES` of the data that waits for it."""
READ_BYTES = 64 * 1024
"""A client on the slowest usable line reads this much in `UNREAD_S`."""
SLICE_BYTES = 1024
"""How much is parsed at once. The shortest request has 18 bytes, so at most 57 requests are queued behind a running one."""
SWEEP_S = 1.0
"""How often all connections are checked."""
RESERVED_FILES = 256
"""File descriptors reserved for the stores; if there are fewer than 512, half of them are."""


_REFUSALS = {
    400: ("malformed_request", "The request cannot be read as HTTP."),
    408: ("request_timeout", f"The headers were not complete within {HEADERS_S:g} s."),
    431: ("headers_too_large", f"A request has at most {HEADER_BYTES} bytes and {HEADER_COUNT} lines of headers."),
    503: ("too_many_connections", "Too many connections are open; try again later."),
}
"""Code and sentence of each refusal; a toolset's envelope words it if the path of its route is already known."""


def connection_limit(wanted: int) -> int:
    """Return how many connections may be open: `wanted`, or fewer if the process has too few descriptors."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, files - min(RESERVED_FILES, files // 2)))


class HttpConnection(HttpToolsProtocol):
    """Answers 431, 408 or 503 and closes if a client exceeds a limit; passes other requests to the application.

    Pipelined requests are answered in order. While one of them is queued, nothing more is parsed or read. A refusal is sent
    after the replies to the complete requests before it; what follows is read and discarded.
    """

    max_connections = 512
    refusals = Refusals(())
    refused = 0
    """The number of connections closed since the last sweep because too many were open."""

    _since = 0.0
    """The time at which the present message, or the connection, began."""
    _idle = False
    """Whether the last message is complete and the next one has not begun."""
    _in_headers = True
    _header_bytes = 0
    _header_count = 0
    _silent_bytes = 0
    """Bytes since the parser last reported anything: an endless header, or white space."""
    _status = 400
    _unread = 0
    _unread_since = 0.0

    _unparsed = bytearray()
    """What was read but is not parsed yet, because requests are queued; never more than one read."""

    _refusal: bytes | None = None
    """The refusal that ends the connection after the replies to complete requests; nothing is parsed any more."""

    _running: RequestResponseCycle | None = None
    """The last request that was passed to the application."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Accept the connection, or answer 503 and close it if too many are open."""
        super().connection_made(transport)
        self.parser = _Parser(self)
        self._unparsed = bytearray()
        self.flow = _Flow(transport, self._may_read)
        self._since = self._unread_since = self.loop.time()
        if len(self.connections) > self.max_connections:
            type(self).refused += 1
            self._answer(503)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what is not answered yet, and end the reply in progress."""
        if self._running is not None:
            # uvicorn does so only with the last request, which may be queued.
            _disconnect(self._running)
        super().connection_lost(exc)
        self._unparsed.clear()
        self.pipeline.clear()

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes, until a request is queued behind another."""
        if self._refusal is None:
            self._unparsed += data
            self._parse()

    def on_response_complete(self) -> None:
        """Start the next request; parse and read on, or refuse what could not be read, if it was the last one queued."""
        super().on_response_complete()
        if self._refusal is not None and not self._is_replying():
            self._refuse(self._refusal)
        self._parse()
        self.flow.resume_reading()

    def on_message_begin(self) -> None:
        """Begin a request."""
        if self._idle:
            self._begin()
        self._header_bytes = self._header_count = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Add to the request's target."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header."""
        self._header_count += 1
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request.

        Raises for a target with a host, which would bypass the check of the Host header, and for CONNECT, which the parser
        takes for a change of the protocol whatever its headers are.
        """
        if not self.url.startswith(b"/") or self.parser.get_method() == b"CONNECT":
            raise _ParsingAborted
        if self.parser.should_upgrade():
            return  # the parser parses the head again
        self._in_headers = False
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Reset the count: the size and the extensions of the chunk are complete."""
        self._silent_bytes = 0

    def on_body(self, body: bytes) -> None:
        """Add to the body."""
        self._silent_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request's body."""
        self._silent_bytes = 0
        if self.parser.should_upgrade():
            return
        self._idle = True
        super().on_message_complete()

    def head_without_upgrade(self) -> bytes:
        """Return the request line and the headers of the present request, without the header `Upgrade`."""
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed, or is refused during parsing, and close the connection."""
        self._answer(self._status)

    def sweep(self, now: float) -> None:
        """Close the connection if its client is too slow in sending or reading."""
        if self.pipeline or self._refusal is not None:
            # The rest of the message is not read now, so its client is not the slow one.
            self._since = now
        if not self._idle and not self.transport.is_closing():
            if self._in_headers and now - self._since > HEADERS_S:
                self._answer(408)
            elif now - self._since > MESSAGE_S:
                self.transport.abort()
        unread = self.transport.get_write_buffer_size()
        if unread == 0 or unread > self._unread or self._unread - unread >= READ_BYTES:
            self._unread, self._unread_since = unread, now
        elif now - self._unread_since > UNREAD_S:
            log.info("A client did not read its reply for %g s and was disconnected", UNREAD_S)
            self.transport.abort()

    def _parse(self) -> None:
        while self._unparsed and self._refusal is None and not self.pipeline and not self.transport.is_closing():
            part = bytes(self._unparsed[:SLICE_BYTES])
            del self._unparsed[:SLICE_BYTES]
            if self._idle:
                self._begin()
            self._silent_bytes += len(part)
            super().data_received(part)
            if self._silent_bytes > HEADER_BYTES and self._refusal is None and not self.transport.is_closing():
                self._answer(431)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _may_read(self) -> bool:
        return not self._unparsed and not self.pipeline and not self.transport.is_closing()

    def _begin(self) -> None:
        self._idle = False
        self._in_headers = True
        self._header_count = 0
        self._since = self.loop.time()

    def _count(self, size: int) -> None:
        self._silent_bytes = 0
        self._header_bytes += size
        if self._header_bytes > HEADER_BYTES or self._header_count > HEADER_COUNT:
            self._status = 431
            raise _ParsingAborted

    def _answer(self, status: int) -> None:
        """Answer after the replies to complete requests, and close the connection.

        If the reply to a request has begun whose body cannot be read to its end, the connection is only closed.
        """
        status, body = self._worded(status)
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self._refusal = STATUS_LINE[status] + head.encode() + body
        self._unparsed.clear()
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and cycle.more_body and not cycle.response_complete:
            if cycle is not self._running:
                # The last one queued; the refusal takes its place.
                self.pipeline.popleft()
            elif cycle.response_started:
                self.transport.close()
                return
            else:
                # The rest of its body cannot be read, so this is the reply to the running request.
                _disconnect(cycle)
        if not self._is_replying():
            self._refuse(self._refusal)

    def _refuse(self, refusal: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(refusal)
            self.transport.close()

    def _is_replying(self) -> bool:
        """Return whether the reply to a request is in progress, which its client may still receive."""
        running = self._running
        return running is not None and not running.response_complete and not running.disconnected

    def _worded(self, status: int) -> tuple[int, bytes]:
        """Return the status and the body of a refusal, in the form of the path's toolset or of the gateway."""
        # The first header shows that the target is complete; it is the former one's while no message has begun.
        is_known = self._header_count > 0 and not self._idle
        path = unquote(self.url.partition(b"?")[0].decode("latin-1")) if is_known else ""
        reply = self.refusals.reply(path, Refusal(status, *_REFUSALS[status]))
        return reply.status, encoded(reply.body)[0]


class _Parser(httptools.HttpRequestParser):
    """Parses a request that asks for another protocol as an ordinary one, which a server may do (RFC 9110, 7.8).

    The library would take the body of such a request for the next request. So its head is parsed again without `Upgrade`.
    """

    def __init__(self, connection: HttpConnection) -> None:
        super().__init__(connection)
        self._connection = connection
        # As uvicorn's own parser: answer the first of several requests even if it is the last that is accepted.
        self.set_dangerous_leniencies(lenient_data_after_close=True)

    def feed_data(self, data: "bytes | bytearray | memoryview[int] | array[int]") -> None:
        """Parse the next bytes of a connection."""
        while data:
            try:
                super().feed_data(data)
                data = b""
            except httptools.HttpParserUpgrade as upgrade:
                data = self._connection.head_without_upgrade() + bytes(data)[upgrade.args[0] :]


def _disconnect(cycle: RequestResponseCycle) -> None:
    """Tell a running request that its client is gone; what it sends from now on is discarded."""
    cycle.disconnected = True
    cycle.message_event.set()


class _Flow(FlowControl):
    """Resumes reading only if the connection may; each request would resume it whenever it waits for its client."""

    def __init__(self, transport: asyncio.Transport, may_read: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._may_read = may_read

    def resume_reading(self) -> None:
        """Resume reading unless requests are queued."""
        if self._may_read():
            super().resume_reading()


class _ParsingAborted(Exception):
    """Aborts the parsing of a request; the parser reports it like a syntax error."""


async def sweep(connections: Collection[asyncio.Protocol], kind: type[HttpConnection]) -> None:
    """Check all connections once a second, until cancelled."""
    while True:
        await anyio.sleep(SWEEP_S)
        now = asyncio.get_running_loop().time()
        for connection in tuple(connections):
            if isinstance(connection, HttpConnection):
                connection.sweep(now)
        if kind.refused:
            log.warning("%d connections were refused: %d are open already", kind.refused, kind.max_connections)
            kind.refused = 0
