"""A pool of parser processes: a parser that crashes, hangs or uses too much memory fails one file only."""

import os
import signal
import stat
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self

import anyio
import anyio.to_thread
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from backends.kit.child_process import child_command, child_environment
from toolsets.concept_rag.ingestion.document import Format, NotADocument, ParsedDocument, Unreadable
from toolsets.concept_rag.ingestion.formats import PARSERS, ParserEntry, format_of_name
from toolsets.concept_rag.ingestion.frames import (
    LENGTH,
    MAX_REPLY_BYTES,
    READY,
    BrokenReply,
    Request,
    decode_reply,
    encode_request,
    path_field,
)
from toolsets.concept_rag.ingestion.worker import OUT_OF_MEMORY

_START_S: Final = 60.0
"""The time limit for the start of a process; 0.2 s on an idle machine."""
_END_S: Final = 5.0
"""The time limit for the exit of a process that closed its replies."""
_MIB: Final = 1024 * 1024
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH")
"""Environment variables passed to a worker; none has keys or passwords."""


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """Resource limits of parsers."""

    memory_bytes: int = 640 * _MIB
    """The address space of all workers together; a process that helps to read a PDF file has a little of its own.

    The process that ingests has about 250 MB with its model, and all together stay below 1 GB. A book of 2,000 pages takes
    half of this.
    """
    seconds_per_mib: float = 20.0
    """Time per MiB of a file, in addition to its parser's base; Markdown, the slowest format, takes about five."""
    max_seconds: float = 900.0
    files_per_worker: int = 200
    """A process is replaced after this many files, which limits memory leaks of libraries at little cost."""

    def seconds(self, base_seconds: float, size: int) -> float:
        """Return the time limit of a file of `size` bytes."""
        return min(self.max_seconds, base_seconds + self.seconds_per_mib * size / _MIB)


class ParserPool:
    """Parses files in child processes, which are started on demand (or by `start`) and reused; an async context manager.

    No process is left behind, even if the process that uses the pool is killed.
    """

    def __init__(
        self,
        *,
        workers: int = 1,
        limits: ParserLimits | None = None,
        parsers: Mapping[Format, ParserEntry] = PARSERS,
    ) -> None:
        """`workers` is the number of files parsed concurrently, which share the memory of `limits`."""
        self._limits = limits or ParserLimits()
        self._memory = self._limits.memory_bytes // workers
        self._parsers = parsers
        self._free = anyio.Semaphore(workers)
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._open = False

    async def __aenter__(self) -> Self:
        """Open the pool for requests."""
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End all processes; files still being parsed fail as crashed."""
        self._open = False
        for worker in tuple(self._workers):
            await self._end(worker)

    async def start(self) -> None:
        """Start a process for the first file without waiting for it; if that fails, the file starts another."""
        with suppress(Unreadable):
            worker = await _Worker.spawn(self._memory)
            self._workers.add(worker)
            self._idle.append(worker)

    async def parse(self, path: Path) -> ParsedDocument:
        """Return the document in the file at `path`, with the hash of the parsed bytes.

        Raises `NotADocument` if the file has nothing to ingest, and `Unreadable` if it cannot be read. A cancelled call
        ends its process.
        """
        promised = format_of_name(path.name)
        size = await anyio.to_thread.run_sync(_size, path, abandon_on_cancel=True)
        entry = self._parsers[promised]
        seconds = self._limits.seconds(entry.base_seconds, size)
        request = Request(
            path_field(path), promised, entry.module, entry.function, entry.takes, entry.max_bytes, seconds
        )
        async with self._free:
            if not self._open:
                raise RuntimeError("a ParserPool parses between entering and leaving it")
            worker = await self._take()
            try:
                document = await worker.parse(request)
            except BaseException:
                await self._put(worker)
                raise
            await self._put(worker)
            return document

    async def _take(self) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive and await self._is_ready(worker):
                return worker
            await self._end(worker)
        worker = await _Worker.spawn(self._memory)
        await worker.ready()
        self._workers.add(worker)
        return worker

    async def _is_ready(self, worker: "_Worker") -> bool:
        try:
            await worker.ready()
        except Unreadable:
            return False
        return True

    async def _put(self, worker: "_Worker") -> None:
        """Keep a worker for the next file, unless it is unusable or has reached `files_per_worker`."""
        if self._open and worker.is_usable and worker.files < self._limits.files_per_worker:
            self._idle.append(worker)
        else:
            await self._end(worker)

    async def _end(self, worker: "_Worker") -> None:
        self._workers.discard(worker)
        await worker.kill()


def _size(path: Path) -> int:
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise NotADocument("not_a_file", "There is no file at this path.") from None
    except (OSError, ValueError) as error:
        raise Unreadable("no_access", f"The file cannot be read: {error}.") from error
    if not stat.S_ISREG(state.st_mode):
        raise NotADocument("not_a_file", "The path names no regular file.")
    return state.st_size


class _Worker:
    """One process. `is_usable` is false while it parses, and remains false if parsing ends without a reply."""

    def __init__(self, process: Process, memory: int, scratch: "TemporaryDirectory[str]") -> None:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("a process has the streams that it was given")
        self._process = process
        self._requests = process.stdin
        self._replies = BufferedByteReceiveStream(process.stdout)
        self._memory = memory
        self._scratch = scratch
        self._has_started = False
        self.files = 0
        self.is_usable = True

    @classmethod
    async def spawn(cls, memory: int) -> "_Worker":
        """Start a process without waiting until it is ready. Raises `Unreadable` if no process can be started."""
        command = child_command("-m", "toolsets.concept_rag.ingestion.worker", str(os.getpid()), str(memory))
        environment = child_environment({name: os.environ[name] for name in _PASSED_ON if name in os.environ})
        # Files left behind by programs that a parser starts are removed with the folder.
        scratch = TemporaryDirectory(prefix="entrepot-parser-", ignore_cleanup_errors=True)
        environment["TMPDIR"] = scratch.name
        try:
            # In its own session, a worker does not receive the interrupt that a terminal sends to the process group.
            process = await anyio.open_process(
                command, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
            )
        except OSError as error:
            scratch.cleanup()
            raise Unreadable("not_parsed", f"No process for the parser could be started: {error.strerror}.") from error
        return cls(process, memory, scratch)

    async def ready(self) -> None:
        """Wait until the process accepts requests. Raises `Unreadable` if it does not, and has then ended it."""
        if self._has_started:
            return
        try:
            with anyio.fail_after(_START_S):
                said = await self._replies.receive_exactly(len(READY))
        except (anyio.IncompleteRead, anyio.EndOfStream, TimeoutError):
            await self.kill()
            raise Unreadable("not_parsed", "The process for the parser did not start.") from None
        except BaseException:
            await self.kill()
            raise
        if said != READY:
            await self.kill()
            raise Unreadable("not_parsed", "The process for the parser said something unexpected.")
        self._has_started = True

    @property
    def is_alive(self) -> bool:
        """Whether the process is running, according to the operating system; the event loop is notified later."""
        if self._process.returncode is not None:
            return False
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False

    async def parse(self, request: Request) -> ParsedDocument:
        """Return the document. Raises `Unreadable` and `NotADocument`."""
        self.is_usable = False
        self.files += 1
        try:
            with anyio.fail_after(request.seconds):
                await self._requests.send(encode_request(request))
                return await self._outcome()
        except TimeoutError:
            raise Unreadable("too_slow", f"Parsing took longer than {request.seconds:.0f} seconds.") from None
        except BrokenReply as error:
            self.is_usable = False
            raise Unreadable("crashed", f"The parser sent a broken reply: {error}.") from error
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise await self._cause_of_end() from None

    async def _outcome(self) -> ParsedDocument:
        length = LENGTH.unpack(await self._replies.receive_exactly(LENGTH.size))[0]
        if length > MAX_REPLY_BYTES:
            raise BrokenReply("it is too long")
        frame = await self._replies.receive_exactly(length)
        reply = await anyio.to_thread.run_sync(decode_reply, frame, abandon_on_cancel=True)
        images = [await self._replies.receive_exactly(size) for size in reply.sizes]
        self.is_usable = not reply.retires
        return reply.outcome(images)

    async def _cause_of_end(self) -> Unreadable:
        """Return the reason why the process ended while parsing a file."""
        with anyio.move_on_after(_END_S):
            await self._process.wait()
        self._kill_group()
        code = self._process.returncode
        if code == OUT_OF_MEMORY:
            return Unreadable("too_large", f"Parsing needs more than {self._memory // _MIB} MiB of memory.")
        if code == -signal.SIGALRM:
            return Unreadable("too_slow", "Parsing took too long.")
        if code == -signal.SIGABRT:
            # Libraries abort when they get no memory, and otherwise only when they find their own memory damaged.
            reason = f"most likely because the file needs more than {self._memory // _MIB} MiB of memory"
            return Unreadable("crashed", f"The parser was aborted, {reason}.")
        how = "closed its replies" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            how = f"died of {signal.Signals(-code).name}"
        return Unreadable("crashed", f"The parser {how}.")

    async def kill(self) -> None:
        """Kill the process and its children, and wait until it has ended."""
        self.is_usable = False
        with anyio.CancelScope(shield=True):
            if self.is_alive:
                self._kill_group()
            await self._process.aclose()
            await anyio.to_thread.run_sync(self._scratch.cleanup)

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
