"""MCP over standard input and output: one JSON-RPC message a line, a clean wire, and an end within a second."""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias, cast

import anyio
import mcp_types as wire
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from gateway.surfaces import SurfaceServer
from gateway.transports.framing import Framer, TooLong
from gateway.transports.pipes import CHUNK, Write, reader, take_standard_streams, writer
from gateway.transports.signals import call_on_stop

log = logging.getLogger("entrepot.stdio")

GRACE_S = 0.5
"""How long calls under way may still finish once the input has ended."""

Incoming: TypeAlias = SessionMessage | Exception


async def serve(server: SurfaceServer, *, max_message_bytes: int, closing: Callable[[], None]) -> None:
    """Serve one client until its input ends, it is gone, or SIGINT or SIGTERM comes; calls under way get 0.5 s.

    `closing` is called before that half second, to end what would never end by itself.
    """
    wire_in, wire_out = take_standard_streams()
    async with reader(wire_in) as source, writer(wire_out) as write, anyio.create_task_group() as group:
        incoming_in, incoming = anyio.create_memory_object_stream[Incoming]()
        outgoing, outgoing_out = anyio.create_memory_object_stream[SessionMessage]()
        link = _Link(write, group.cancel_scope, closing)
        group.start_soon(call_on_stop, link.reading.cancel)
        async with anyio.create_task_group() as flow:
            flow.start_soon(link.receive, source.read, Framer(max_message_bytes), incoming_in)
            flow.start_soon(link.send, outgoing_out)
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


class _Link:
    """The wire between one client and the server, with the requests that wait for their answer."""

    def __init__(self, write: Write, everything: anyio.CancelScope, closing: Callable[[], None]) -> None:
        self.reading = anyio.CancelScope()
        self._write = write
        self._everything = everything
        self._closing = closing
        self._waiting: set[wire.RequestId] = set()
        self._answered = anyio.Event()

    async def receive(
        self, read: Callable[[int], Awaitable[bytes]], framer: Framer, server: MemoryObjectSendStream[Incoming]
    ) -> None:
        """Pass messages to the server until the input ends, then let it finish."""
        async with server:
            with self.reading:
                while chunk := await read(CHUNK):
                    for line in framer.feed(chunk):
                        await self._deliver(line, server)
                await self._deliver(framer.finish(), server)
            self._closing()
            with anyio.move_on_after(GRACE_S):
                while self._waiting:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def send(self, server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Pass the server's messages to the client until there are no more."""
        async with server:
            async for session_message in server:
                message = session_message.message
                await self._put(message)
                if isinstance(message, wire.JSONRPCResponse | wire.JSONRPCError) and message.id is not None:
                    self._waiting.discard(message.id)
                    self._answered.set()

    async def _deliver(self, line: bytes | TooLong, server: MemoryObjectSendStream[Incoming]) -> None:
        if isinstance(line, bytes) and not line.strip():
            return
        message = _parsed(line)
        if isinstance(message, wire.JSONRPCError):
            await self._put(message)
            return
        if isinstance(message, wire.JSONRPCRequest):
            self._waiting.add(message.id)
        await server.send(SessionMessage(message))

    async def _put(self, message: wire.JSONRPCMessage) -> None:
        try:
            await self._write(_line(message))
        except OSError:
            log.info("The client is gone")
            self._everything.cancel()


def _parsed(line: bytes | TooLong) -> wire.JSONRPCMessage:
    """Return the message of a line, or the error to answer it with."""
    if isinstance(line, TooLong):
        return _refusal(wire.INVALID_REQUEST, "The message is longer than this server accepts", None)
    try:
        return wire.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _parsed_leniently(line)


def _parsed_leniently(line: bytes) -> wire.JSONRPCMessage:
    # The strict parser refuses lone surrogates in strings; a tool answers those in its own words.
    try:
        decoded: object = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(wire.PARSE_ERROR, "The line is not JSON", None)
    try:
        return wire.jsonrpc_message_adapter.validate_python(decoded, by_name=False)
    except ValueError:
        return _refusal(wire.INVALID_REQUEST, "The line is not one JSON-RPC message", _id_of(decoded))


def _id_of(decoded: object) -> wire.RequestId | None:
    found = cast("dict[str, object]", decoded).get("id") if isinstance(decoded, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


def _refusal(code: int, message: str, request: wire.RequestId | None) -> wire.JSONRPCError:
    return wire.JSONRPCError(jsonrpc="2.0", id=request, error=wire.ErrorData(code=code, message=message))


def _line(message: wire.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        # Lone surrogates have no UTF-8; as escapes in ASCII they cross.
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True, mode="python")).encode() + b"\n"
