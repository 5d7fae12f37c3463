"""Raw MCP clients: as little work as possible on the client's side, so that the server's cost shows."""

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

import orjson

VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


class Caller(Protocol):
    """Something that can call a tool and wait for the whole reply."""

    async def call(self, tool: str, arguments: Mapping[str, object]) -> bytes:
        """Return the JSON-RPC response."""
        ...


def request(number: int, tool: str, arguments: Mapping[str, object]) -> bytes:
    """Return a `tools/call` request of the stateless protocol era."""
    params = {"name": tool, "arguments": arguments, "_meta": _META}
    return orjson.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def structured(response: bytes) -> dict[str, object]:
    """Return the structured content of a response; fails on a protocol error."""
    return json.loads(response)["result"]["structuredContent"]


class HttpCaller:
    """One kept-alive connection to a Streamable HTTP endpoint."""

    def __init__(self, host: str, port: int, path: str = "/mcp", headers: Mapping[str, str] | None = None) -> None:
        self._host, self._port, self._path = host, port, path
        self._more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        self._number = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, tool: str, arguments: Mapping[str, object]) -> bytes:
        """Return the JSON-RPC response."""
        self._number += 1
        mcp = f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
        _, answer = await self._send("POST", self._path, request(self._number, tool, arguments), mcp)
        return answer

    async def post(self, path: str, body: Mapping[str, object]) -> tuple[int, bytes]:
        """Return status and body of the answer of a route outside MCP."""
        return await self._send("POST", path, json.dumps(body).encode())

    async def get(self, path: str) -> tuple[int, bytes]:
        """Return status and body of the answer of a route outside MCP."""
        return await self._send("GET", path)

    async def _send(self, method: str, path: str, body: bytes = b"", more: str = "") -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=1 << 24)
        reader, writer = self._streams
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{more}Content-Length: {len(body)}\r\n{self._more}\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.split(b"content-length:")[1].split(b"\r\n")[0])
        return int(answer.split(b" ", 2)[1]), await reader.readexactly(length)

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            with suppress(ConnectionError):
                await self._streams[1].wait_closed()


class StdioCaller:
    """A server process on pipes."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._number = 0

    @classmethod
    async def start(cls, command: Sequence[str]) -> "StdioCaller":
        """Start the server; it need not be ready yet."""
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, limit=1 << 24
            )
        )

    async def call(self, tool: str, arguments: Mapping[str, object]) -> bytes:
        """Return the JSON-RPC response."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._number += 1
        stdin.write(request(self._number, tool, arguments) + b"\n")
        while line := await stdout.readline():
            if b'"id":' in line:
                return line
        raise ConnectionError("the server ended")

    async def close(self) -> None:
        """End the server by closing its input."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
