"""Standard input and output as streams of the event loop, protected against stray prints, blocking and endless lines."""

import array
import asyncio
import fcntl
import os
import select
import stat
import sys
import termios
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Protocol, TypeAlias, TypeVar

import anyio

Read: TypeAlias = Callable[[], Awaitable[bytes]]
"""Returns the next bytes, empty at the end of the input."""

CHUNK = 256 * 1024
"""Bytes of one read: a longer message takes several, a usual one fits."""
FLUSH_S = 0.1
"""How long a client that has stopped reading can delay the shutdown."""

ResultT = TypeVar("ResultT")


class Output(Protocol):
    """An output for bytes."""

    def put(self, data: bytes) -> None:
        """Add bytes to be written, without waiting."""
        ...

    async def drain(self) -> None:
        """Wait until little is left to be written; may be cancelled. Raises `OSError` if the reader is gone."""
        ...

    def waiting(self) -> int:
        """Return how many bytes have not been read yet, as far as is known; those in a file count as read."""
        ...


class TooLong:
    """A line that exceeds the limit; its bytes are dropped."""


class Lines:
    """Splits a stream of chunks into lines; a line of more than `limit` bytes becomes one `TooLong`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """Yield the lines that end within `chunk`, without their newline."""
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            yield from self._add(end)
            if not self._skipping:
                yield b"".join(self._parts)
            self._parts, self._size, self._skipping = [], 0, False
        yield from self._add(rest)

    def finish(self) -> bytes:
        """Return the bytes after the last newline."""
        return b"".join(self._parts)

    def _add(self, part: bytes) -> Iterator[TooLong]:
        if self._skipping:
            return
        self._size += len(part)
        if self._size > self._limit:
            self._parts, self._skipping = [], True
            yield TooLong()
        elif part:
            self._parts.append(part)


def take_standard_streams() -> tuple[int, int]:
    """Return private descriptors of the wire; then 0 is the null device and 1 is stderr.

    What the process or its children print therefore goes to stderr, and what they read is empty.
    """
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire_in, wire_out


def hung_up(descriptor: int) -> bool:
    """Return whether the writer of an input is gone, although some of the input may still be unread."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return True
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))


@asynccontextmanager
async def reader(descriptor: int) -> AsyncGenerator[Read]:
    """Read a descriptor of any kind without blocking the loop."""
    if not is_pipe(descriptor):
        thread = _Thread()

        async def read_file() -> bytes:
            try:
                return await thread.run(lambda: os.read(descriptor, CHUNK))
            except OSError:  # the terminal is gone
                return b""

        yield read_file
        return
    stream = asyncio.StreamReader(limit=CHUNK)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", buffering=0)
    )

    async def read_pipe() -> bytes:
        return await stream.read(CHUNK)

    try:
        yield read_pipe
    finally:
        transport.close()


@asynccontextmanager
async def writer(descriptor: int) -> AsyncGenerator[Output]:
    """Write to a descriptor of any kind; leaving waits up to 0.1 s for pending bytes."""
    if not is_pipe(descriptor):
        file = _File(descriptor)
        yield file
        with anyio.move_on_after(FLUSH_S, shield=True), suppress(OSError):
            await file.drain()
        return
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(descriptor, "wb", buffering=0)
    )
    stream = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        yield _Pipe(stream, descriptor)
    finally:
        stream.close()
        with anyio.move_on_after(FLUSH_S, shield=True) as flushing, suppress(ConnectionError):
            await stream.wait_closed()
        if flushing.cancelled_caught:
            transport.abort()


class _Pipe:
    """A pipe or socket, watched by the loop."""

    def __init__(self, stream: asyncio.StreamWriter, descriptor: int) -> None:
        self._stream = stream
        self._descriptor = descriptor

    def put(self, data: bytes) -> None:
        self._stream.write(data)

    async def drain(self) -> None:
        await self._stream.drain()

    def waiting(self) -> int:
        return self._stream.transport.get_write_buffer_size() + _unread(self._descriptor)


class _File:
    """A file or terminal, which the loop cannot watch; a thread writes to it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._thread = _Thread()
        self._unwritten: list[bytes] = []

    def put(self, data: bytes) -> None:
        self._unwritten.append(data)

    async def drain(self) -> None:
        # Removed in the thread, so that after a cancelled drain the next one continues in order.
        await self._thread.run(self._write_all)

    def waiting(self) -> int:
        return sum(map(len, self._unwritten))

    def _write_all(self) -> None:
        while self._unwritten:
            rest = memoryview(self._unwritten.pop(0))
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]


class _Thread:
    """Runs blocking calls one after the other.

    It is a daemon thread, because nothing can interrupt a read from a terminal or a write to a stopped one, and the process
    must be able to end. The threads of a pool would be waited for.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    async def run(self, call: Callable[[], ResultT]) -> ResultT:
        """Return the result of `call`, or raise its error; a cancelled caller does not wait for it."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[ResultT] = loop.create_future()

        def made() -> None:
            try:
                result = call()
            except OSError as error:
                _resolve(loop, outcome, partial(outcome.set_exception, error))
            else:
                _resolve(loop, outcome, partial(outcome.set_result, result))

        self._calls.put(made)
        return await outcome

    def _work(self) -> None:
        while True:
            self._calls.get()()


def _resolve(loop: asyncio.AbstractEventLoop, outcome: "asyncio.Future[ResultT]", settle: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(lambda: None if outcome.done() else settle())


def is_pipe(descriptor: int) -> bool:
    """Return whether a descriptor is a pipe or a socket, which the loop can watch."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _unread(descriptor: int) -> int:
    """Return how many bytes are in a pipe, or in a socket with their overhead; 0 if the system does not report it."""
    if not is_pipe(descriptor):
        return 0
    size = array.array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(
            descriptor, termios.FIONREAD if stat.S_ISFIFO(os.fstat(descriptor).st_mode) else termios.TIOCOUTQ, size
        )
    return size[0]
