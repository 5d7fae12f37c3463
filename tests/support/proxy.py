"""A road to a real server that can be cut and mended: what an outage looks like to whoever uses the server."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost):(\d+)")


class Road:
    """Passes connections on to a port, unless it is cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._carried: set[asyncio.Task[None]] = set()
        self.port = 0

    async def mend(self) -> None:
        """Pass connections on, at the same port as before."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def cut(self) -> None:
        """Break all connections, refuse new ones, and return when nothing of either is left."""
        if self._server is not None:
            self._server.close()
        # A connection that the system has accepted becomes a task within one turn of the loop.
        await asyncio.sleep(0)
        while self._carried:
            for writer in tuple(self._open):
                writer.transport.abort()
            await asyncio.wait(tuple(self._carried), timeout=0.05)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._carry(reader, writer))
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None or not self._server.is_serving():
            # It was accepted just before the road was cut.
            writer.transport.abort()
            await _closed(writer)
            return
        self._open.add(writer)
        try:
            with suppress(OSError):
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
                await self._join(reader, writer, far_reader, far_writer)
        finally:
            await _closed(writer)
            self._open.discard(writer)

    async def _join(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        self._open.add(far_writer)
        try:
            # Else the road was cut while the far end was being called.
            if not writer.is_closing():
                await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            await _closed(far_writer)
            self._open.discard(far_writer)


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection and wait until its socket is closed, too."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def roads(variables: Mapping[str, str]) -> AsyncGenerator[tuple[Sequence[Road], Mapping[str, str]]]:
    """Yield a road to each server that the variables name on loopback, and the variables that lead over them."""
    ports = {int(port) for value in variables.values() for port in LOOPBACK.findall(value)}
    found = {port: Road(port) for port in sorted(ports)}
    for road in found.values():
        await road.mend()

    def over(match: re.Match[str]) -> str:
        return f"127.0.0.1:{found[int(match[1])].port}"

    try:
        yield [*found.values()], {name: LOOPBACK.sub(over, value) for name, value in variables.items()}
    finally:
        for road in found.values():
            await road.cut()
