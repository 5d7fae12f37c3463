"""Standard input and output as byte streams of the event loop, safe from stray prints and from blocking."""

import asyncio
import os
import stat
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

import anyio
import anyio.to_thread

Write: TypeAlias = Callable[[bytes], Awaitable[None]]

CHUNK = 256 * 1024
FLUSH_S = 0.3
"""How long a reader that has stopped reading can hold up the end."""


def take_standard_streams() -> tuple[int, int]:
    """Return private descriptors of the wire, leaving nothing on 0 and the log on 1.

    What the process or its children print then reaches stderr, and what they read is empty.
    """
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire_in, wire_out


@asynccontextmanager
async def reader(descriptor: int) -> AsyncGenerator[asyncio.StreamReader, None]:
    """Read a descriptor of any kind without blocking the loop; the stream ends where the descriptor does."""
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=CHUNK)
    if _is_pipe(descriptor):
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", buffering=0)
        )
        try:
            yield stream
        finally:
            transport.close()
    else:
        # The loop cannot watch files, and must not change the mode of a terminal that others share. The thread
        # is a daemon: nothing can interrupt a read, and the process must be able to end.
        threading.Thread(target=_pump, args=(descriptor, stream, loop), daemon=True).start()
        yield stream


@asynccontextmanager
async def writer(descriptor: int) -> AsyncGenerator[Write, None]:
    """Write to a descriptor of any kind; what was written is delivered before the block is left, or the reader is gone.

    Writing to a reader that is gone raises `ConnectionError`.
    """
    if _is_pipe(descriptor):
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(descriptor, "wb", buffering=0)
        )
        stream = asyncio.StreamWriter(transport, protocol, None, loop)

        async def write(data: bytes) -> None:
            stream.write(data)
            await stream.drain()

        try:
            yield write
        finally:
            stream.close()
            with anyio.move_on_after(FLUSH_S, shield=True), suppress(ConnectionError):
                await stream.wait_closed()
    else:

        async def write_file(data: bytes) -> None:
            await anyio.to_thread.run_sync(_write_all, descriptor, data)

        yield write_file


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _pump(descriptor: int, stream: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    try:
        while chunk := os.read(descriptor, CHUNK):
            loop.call_soon_threadsafe(stream.feed_data, chunk)
        loop.call_soon_threadsafe(stream.feed_eof)
    except (OSError, RuntimeError):  # the descriptor or the loop was closed while the read was under way
        return


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
