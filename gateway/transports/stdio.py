"""MCP over standard input and output: one JSON-RPC message per line, and a shutdown within a second."""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import anyio
import mcp_types as wire
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from gateway.mcp_server import SurfaceServer
from gateway.transports.pipes import Lines, Output, Read, TooLong, hung_up, reader, take_standard_streams, writer
from gateway.transports.requests import (
    NO_JSON,
    TOO_MANY_VALUES,
    WRONG_ID,
    error_reply,
    has_wrong_id,
    no_message,
    problem_of,
    wrong_params,
)
from gateway.transports.signals import call_on_stop
from gateway.value_limit import within_limit

log = logging.getLogger("entrepot.stdio")

GRACE_S = 0.4
"""How long running calls may take to finish after the input has ended."""
REST_S = 0.1
"""How long the server may take after that to end and to deliver its last messages."""
WATCH_S = 0.1
"""How often a client that has closed the input is checked for reading its replies."""
STALL_S = 0.2
"""How long no message may move, in either direction, before such a client counts as gone."""
UNREAD_S = 0.3
"""How long such a client may read nothing, because replies are unread or there are none."""
END_S = 0.7
"""How long the process may take to end after reading has stopped."""
STALLED_END_S = 0.4
"""How long it may take to end if the client was already watched for `WATCH_S` and `UNREAD_S`."""
MAX_IN_FLIGHT = 64
"""The most unanswered requests before reading pauses; agents send a handful at once."""
MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024
"""The most bytes of unanswered requests together; a single one may be as long as a message may be."""

_FRACTIONAL_ID = re.compile(rb'"(?:i|\\u0069)(?:d|\\u0064)"\s*:\s*-?[0-9]+[.eE]')

Incoming: TypeAlias = SessionMessage | Exception


Closing: TypeAlias = Callable[[float], None]
"""Called when reading stops, with the seconds within which the process ends."""


async def serve(server: SurfaceServer, *, max_message_bytes: int, closing: Closing) -> None:
    """Serve one client until its input ends, it is gone, or SIGINT or SIGTERM arrives; running calls get 0.4 s to finish.

    `closing` is called before that, at least once, to end streams that never end by themselves, and the process itself if
    threads are running that cannot be cancelled. The shutdown takes at most a second, even if the client does not read, or
    has sent requests that are not answered yet.
    """
    wire_in, wire_out = take_standard_streams()
    async with reader(wire_in) as read, writer(wire_out) as output, anyio.create_task_group() as group:
        incoming_in, incoming = anyio.create_memory_object_stream[Incoming]()
        outgoing, outgoing_out = anyio.create_memory_object_stream[SessionMessage]()
        link = _StdioConnection(output, group.cancel_scope, partial(hung_up, wire_in), closing)
        group.start_soon(call_on_stop, link.stop)
        async with anyio.create_task_group() as flow:
            flow.start_soon(link.receive, read, Lines(max_message_bytes), incoming_in)
            flow.start_soon(link.send, outgoing_out)
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


class _StdioConnection:
    """The connection between one client and the server, with the unanswered requests."""

    def __init__(
        self, output: Output, everything: anyio.CancelScope, hung_up: Callable[[], bool], closing: Closing
    ) -> None:
        self._reading = anyio.CancelScope()
        self._sent = anyio.Event()
        self._output = output
        self._everything = everything
        self._hung_up = hung_up
        self._closing = closing
        self._in_flight: dict[wire.RequestId, int] = {}
        """The size of each unanswered request."""
        self._settled = anyio.Event()
        self._moved = 0
        """The number of messages passed on, in either direction."""
        self._put_bytes = 0
        self._delivering = False
        self._woken = anyio.Event()
        self._stalled = False

    def stop(self) -> None:
        """Stop reading, and end within `END_S`."""
        self._closing(END_S)
        self._reading.cancel()

    async def receive(self, read: Read, lines: Lines, server: MemoryObjectSendStream[Incoming]) -> None:
        """Pass messages to the server until the input ends, then let it finish within a limited time."""
        async with server:
            async with anyio.create_task_group() as watched:
                watched.start_soon(self._watch)
                with self._reading:
                    while chunk := await read():
                        self._deliver_more()
                        for line in lines.feed(chunk):
                            await self._deliver(line, server)
                        self._delivering = False
                    self._deliver_more()
                    await self._deliver(lines.finish(), server)
                watched.cancel_scope.cancel()
            self._closing(STALLED_END_S if self._stalled else END_S)
            if not self._stalled:
                with anyio.move_on_after(GRACE_S):
                    await self._until_settled(lambda: not self._in_flight)
        # A client that has not read its messages for so long will not read the last ones either.
        with anyio.move_on_after(0 if self._stalled else REST_S):
            await self._sent.wait()
        if not self._sent.is_set():
            self._everything.cancel()

    async def send(self, server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Pass the server's messages to the client until there are no more."""
        async with server:
            async for session_message in server:
                message = session_message.message
                await self._put(message)
                if isinstance(message, wire.JSONRPCResponse | wire.JSONRPCError) and message.id is not None:
                    await self._settle(message.id)
        self._sent.set()

    async def _deliver(self, line: bytes | TooLong, server: MemoryObjectSendStream[Incoming]) -> None:
        if isinstance(line, bytes) and not line.strip():
            return
        decodable = line if isinstance(line, TooLong) else await within_limit(line)
        message = _ErrorReply(TOO_MANY_VALUES) if decodable is None else _parsed(decodable)
        if isinstance(message, wire.JSONRPCRequest) and message.id in self._in_flight:
            reply = error_reply(wire.INVALID_REQUEST, "A request with this id is not answered yet", message.id)
            message = _ErrorReply(reply)
        if isinstance(message, _ErrorReply):
            await self._put(message.reply)
            return
        if isinstance(message, wire.JSONRPCError) and message.id is None:
            # The client could not read one of our messages; which one, it does not say.
            log.info("The client reports an error: %s", message.error.message)
            return
        metadata = None
        if isinstance(message, wire.JSONRPCRequest):
            metadata = await self._admitted(message.id, len(line) if isinstance(line, bytes) else 0)
        await server.send(SessionMessage(message, metadata))
        self._moved += 1

    async def _admitted(self, request: wire.RequestId, size: int) -> ServerMessageMetadata:
        """Wait until there is room for a request, count it, and return the callback for a request without an answer."""

        def room() -> bool:
            held = sum(self._in_flight.values())
            return len(self._in_flight) < MAX_IN_FLIGHT and (not held or held + size <= MAX_IN_FLIGHT_BYTES)

        await self._until_settled(room)
        self._in_flight[request] = size
        return ServerMessageMetadata(on_request_unanswered=partial(self._settle, request))

    async def _until_settled(self, enough: Callable[[], bool]) -> None:
        while not enough():
            self._settled = anyio.Event()
            await self._settled.wait()

    async def _settle(self, request: wire.RequestId) -> None:
        self._in_flight.pop(request, None)
        self._settled.set()

    async def _put(self, message: wire.JSONRPCMessage) -> None:
        try:
            line = _line(message)
            self._put_bytes += len(line)
            self._output.put(line)
            await self._output.drain()
        except OSError:
            log.info("The client is gone")
            self._everything.cancel()
        self._moved += 1

    def _deliver_more(self) -> None:
        self._delivering = True
        self._woken.set()

    async def _watch(self) -> None:
        """Stop reading if the client has closed its side and reads nothing; while reading is paused, its end is not seen."""
        moved = taken = 0
        still_s = unread_s = 0.0
        last = anyio.current_time()
        while not self._stalled:
            if not self._delivering:
                # While waiting for input, its end is seen; an idle server is not woken.
                self._woken = anyio.Event()
                await self._woken.wait()
                last = anyio.current_time()
            await anyio.sleep(WATCH_S)
            # A busy loop says nothing about the client.
            passed = min(anyio.current_time() - last, 2 * WATCH_S)
            last = anyio.current_time()
            left, taken_now = self._hung_up(), self._put_bytes - self._output.waiting()
            still_s = still_s + passed if left and self._delivering and self._moved == moved else 0.0
            unread_s = unread_s + passed if left and taken_now <= taken else 0.0
            moved, taken = self._moved, taken_now
            self._stalled = still_s >= STALL_S or unread_s >= UNREAD_S
        self._reading.cancel()


@dataclass(frozen=True)
class _ErrorReply:
    """The error reply to a line; an error that the client sends is a message."""

    reply: wire.JSONRPCError


def _parsed(line: bytes | TooLong) -> wire.JSONRPCMessage | _ErrorReply:
    """Return the message of a line, or its refusal."""
    if isinstance(line, TooLong):
        return _ErrorReply(error_reply(wire.INVALID_REQUEST, "The message is longer than this server accepts"))
    try:
        message = wire.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _parsed_leniently(line)
    # The parser treats a request with an id of a wrong type as a notification; with a backslash, "id" may be spelt otherwise.
    # It accepts 1.0 as an integer.
    if isinstance(message, wire.JSONRPCNotification):
        suspect = b'"id"' in line or b"\\" in line
    else:
        suspect = _FRACTIONAL_ID.search(line) is not None
    if suspect and has_wrong_id(json.loads(line)):
        return _ErrorReply(WRONG_ID)
    if isinstance(message, wire.JSONRPCRequest):
        problem = wrong_params(message.method, message.params, message.id)
        return message if problem is None else _ErrorReply(problem)
    return message


def _parsed_leniently(line: bytes) -> wire.JSONRPCMessage | _ErrorReply:
    # The strict parser refuses lone surrogates in strings, which a tool refuses in its own form.
    try:
        decoded: object = json.loads(line.decode())
    except (ValueError, RecursionError):
        return _ErrorReply(NO_JSON)
    if (problem := problem_of(decoded)) is not None:
        return _ErrorReply(problem)
    try:
        return wire.jsonrpc_message_adapter.validate_python(decoded, by_name=False)
    except ValueError:
        return _ErrorReply(no_message(decoded))


def _line(message: wire.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        # UTF-8 cannot encode lone surrogates, but they can be sent as ASCII escapes.
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True, mode="python")).encode() + b"\n"
