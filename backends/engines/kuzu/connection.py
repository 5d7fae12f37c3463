"""One open file: one writer, several readers, and the checkpoints that write its log into it."""

import ctypes
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Final, TypeVar

from backends.engines.kuzu import schema
from backends.engines.kuzu.driver import RAISED, DriverError, Handle, Session, load
from backends.engines.kuzu.errors import COMPANIONS, damaged_error, translate, unwritten
from backends.engines.kuzu.opening_probe import check_format, crash_of
from backends.engines.kuzu.query_strategy import STRATEGIES
from backends.engines.kuzu.settings import KuzuSettings
from backends.kit import disk
from backends.kit.file_identity import OpenedPath
from backends.kit.file_lock import AcquiredLock, acquire
from backends.kit.threads import InterruptibleCall, Workers
from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable

READERS: Final = 3
"""Reads that run side by side. Their rows are converted under the GIL, so more would gain little."""
CHECKPOINT_BYTES: Final = 8 * 1024 * 1024
"""A log of this size is checkpointed after a write."""
MIN_FREE_BYTES: Final = 16 * 1024 * 1024
"""The least free space for a write. A commit that fails for lack of space makes the open file unusable."""
CHECKPOINT_SPACE: Final = 4
"""A checkpoint needs this many times the size of the log besides, for the pages that it changes."""
QUIET_S: Final = 0.5
"""How long a checkpoint waits for the readers to finish. If they do not, the next write tries again."""
GRACE_S: Final = 1.0
"""The driver ends a read at its timeout; only if that fails for a second does the caller stop waiting."""
VERIFY_TIMEOUT_S: Final = 60.0
"""For one step of a verification, which handles 1,000 records with several statements."""
ResultT = TypeVar("ResultT")
Call = Callable[[Session], ResultT]


class DatabaseFile:
    """An open file. `read` and `write` run a call with a session in a thread and translate the driver's errors."""

    def __init__(self, path: Path, settings: KuzuSettings) -> None:
        self.path = path
        self.strategy = STRATEGIES[settings.driver]
        self.settings = settings
        self._log = Path(f"{path}.wal")
        self._opened = OpenedPath(path)
        self._lock: AcquiredLock | None = None
        self._handle: Handle | None = None
        self._write_session: Session | None = None
        self._idle: LifoQueue[Session] = LifoQueue()
        self._recovering = threading.Lock()
        self._failed = False
        self._committed_bytes: int | None = None
        self._readers = Workers(path.name, threads=READERS)
        self._writer = Workers(f"{path.name} writer", threads=1)

    @property
    def version(self) -> str:
        """Return the driver's version."""
        return load(self.settings.driver).__version__

    def open(self, learn: Call[object] | None = None) -> None:
        """Open or create the file and call `learn` with it before it is used. Blocking.

        Raises `InvalidInput` if the driver is missing, `AlreadyOpen`, `Unusable` and `Unavailable`.
        """
        load(self.settings.driver)
        try:
            # The drivers lock the file against other processes only; opening it twice in this process would silently lose data.
            self._lock = acquire(self.path)
            if self.path.exists():
                check_format(self.path, self.settings.driver)
                if (crash := crash_of(self.path, self.settings.driver)) is not None:
                    raise damaged_error(self.path, f"is damaged: a process that opens it ends with {crash}")
            else:
                disk.check_free_space(self.path.parent, min_bytes=MIN_FREE_BYTES)
                self._create()
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be used: {error}") from error
        except DriverError as error:
            raise translate(error, self.path) from error
        self._start(learn)

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call whose statements need not see the same state."""
        task = InterruptibleCall(self._acquired_reader, call)
        timeout_s = self.settings.timeout_s
        return await self._readers.run(task, timeout_s=timeout_s + GRACE_S, give_up=task.interrupt)

    async def read_for_verify(self, call: Call[ResultT]) -> ResultT:
        """Run a call of many statements, each of which is bound by the read timeout."""
        return await self._readers.run(InterruptibleCall(self._acquired_reader, call), timeout_s=VERIFY_TIMEOUT_S)

    async def snapshot(self, call: Call[ResultT]) -> ResultT:
        """Run a call whose statements all see the same state."""

        def transaction(session: Session) -> ResultT:
            session.run("BEGIN TRANSACTION READ ONLY")
            try:
                return call(session)
            finally:
                # After an error the engine has already ended the transaction.
                with suppress(DriverError):
                    session.run("ROLLBACK")

        return await self.read(transaction)

    async def write(self, call: Call[ResultT], *, after: Callable[[], None] | None = None) -> ResultT:
        """Run a call in its own transaction and return after the commit. An exception rolls it back.

        `after` runs in the writer thread after the commit, even if the caller has stopped waiting.
        """
        return await self._writer.run(lambda: self._write(call, after), timeout_s=self.settings.write_timeout_s)

    async def checkpoint(self) -> None:
        """Write a checkpoint. Raises what a write raises."""
        await self._writer.run(self._write_checkpoint, timeout_s=self.settings.write_timeout_s)

    def acquire(self) -> Session:
        """Return a session to read with. Raises `Unavailable` after closing and `Timeout` if none becomes free.

        Raises `Unavailable` for a file that was moved away, too: its writes would be missing after a restart. After a
        failed commit it raises `Unavailable` until there is room to open the file again.
        """
        self._check_usable()
        try:
            session = self._idle.get(timeout=self.settings.timeout_s)
        except Empty:
            raise Timeout(f"{self.path}: no reader became free within {self.settings.timeout_s:g} seconds") from None
        if self._failed:
            self._idle.put(session)
            raise Unavailable(f"{self.path}: a write failed, and the file is opened again; try again")
        return session

    def release(self, session: Session) -> None:
        """Return a session to the pool."""
        session.resume()
        self._idle.put(session)

    @contextmanager
    def _acquired_reader(self) -> Generator[Session]:
        """Lend a session to read with; the driver's errors inside the block are translated."""
        session = self.acquire()
        try:
            yield session
        except DriverError as error:
            raise translate(error, self.path) from error
        finally:
            self.release(session)

    def close(self) -> None:
        """Finish calls in progress, write a checkpoint and release the file. Repeatable, blocking."""
        self._writer.close()
        self._readers.close()
        # A checkpoint removes the log at the path, which belongs to another file if an older copy was put back.
        is_whole = not self._failed and self._opened.state() == "same"
        if (session := self._write_session) is not None and is_whole and self._has_space_to_checkpoint():
            # Closing leaves a file unchanged, byte for byte, if nothing was written to it.
            self._try_checkpoint(session)
        self._close_handle(self._idle_sessions())
        self._failed = False
        self._opened.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _check_usable(self) -> None:
        """Open the file again after a failed write. Raises `Unavailable` if it is closed, moved away or cannot be opened."""
        if self._handle is None and not self._failed:
            raise Unavailable(f"{self.path} is closed")
        self._check_file_state()
        if self._failed:
            self._recover()

    def _recover(self) -> None:
        """Close the handle whose write failed and open the file as of the last commit. Raises `Unavailable`, `Unusable`."""
        with self._recovering:
            if not self._failed:
                return
            # Closing writes what the driver still has buffered, and ends the process if that fails.
            disk.check_free_space(self.path.parent, min_bytes=MIN_FREE_BYTES)
            if self._handle is not None:
                held: list[Session] = []
                try:
                    while len(held) < READERS:
                        held.append(self._idle.get(timeout=self.settings.timeout_s))
                except Empty:
                    for reader in held:
                        self._idle.put(reader)
                    raise Unavailable(
                        f"{self.path} is opened again when its readers have finished; try again"
                    ) from None
                self._close_handle(held)
            try:
                self._start()
            except BaseException:
                self._close_handle(self._idle_sessions())
                raise
            self._failed, self._committed_bytes = False, None

    def _idle_sessions(self) -> list[Session]:
        idle: list[Session] = []
        while not self._idle.empty():
            idle.append(self._idle.get())
        return idle

    def _close_handle(self, readers: list[Session]) -> None:
        """Close the sessions and the handle. After a failed write without room to close them, they are abandoned."""
        handle, self._handle = self._handle, None
        sessions = [*readers] if self._write_session is None else [*readers, self._write_session]
        self._write_session = None
        if self._failed and handle is not None and disk.disk_full_problem(self.path.parent) is not None:
            for kept in (handle, *sessions):
                # Destroying them would end the process.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
            return
        for session in sessions:
            session.close()
        if handle is not None:
            handle.close()
        self._discard_uncommitted()

    def _fail(self, committed_bytes: int | None) -> None:
        """Stop using the handle. `committed_bytes` is the size of the log up to the last commit, None to keep all of it."""
        self._failed, self._committed_bytes = True, committed_bytes
        # A process that is killed before the file is opened again must not leave half a transaction.
        self._discard_uncommitted()

    def _discard_uncommitted(self) -> None:
        if self._committed_bytes is None or _size(self._log) <= self._committed_bytes:
            return
        with suppress(OSError):
            if self._committed_bytes:
                os.truncate(self._log, self._committed_bytes)
            else:
                self._log.unlink()

    def _check_file_state(self) -> None:
        """Raise `Unavailable` unless the file is still at its path."""
        if (state := self._opened.state()) != "same":
            raise Unavailable(self._opened.problem(state))

    def _open_file(self, path: Path) -> Handle:
        try:
            return load(self.settings.driver).Database(
                str(path),
                buffer_pool_size=self.settings.buffer_pool_mib * 2**20,
                max_num_threads=self.settings.threads,
                max_db_size=self.settings.max_size_gib * 2**30,
                # The engine would write a checkpoint during a commit and fail the commit if a reader is active.
                auto_checkpoint=False,
            )
        except RAISED as error:
            raise DriverError(str(error)) from error

    def _create(self) -> None:
        """Create the file under a temporary name and rename it, so that a file with the final name is complete."""
        _clear_leftovers(self.path)
        draft = Path(f"{self.path}.new")
        draft.unlink(missing_ok=True)
        _clear_leftovers(draft)
        handle = self._open_file(draft)
        try:
            session = Session(self.settings.driver, handle, timeout_s=self.settings.write_timeout_s)
            try:
                schema.create(session)
            finally:
                session.close()
        finally:
            handle.close()
        draft.replace(self.path)

    def _start(self, learn: Call[object] | None = None) -> None:
        try:
            self._handle = self._open_file(self.path)
            self._opened.remember()
            session = Session(self.settings.driver, self._handle, timeout_s=self.settings.write_timeout_s)
            self._write_session = session
            # First of all, so that a damaged file is closed as it is.
            session.run("CALL force_checkpoint_on_close = false")
            found = schema.version(session)
            if found is None:
                raise Unusable(f"{self.path} is a database of another program; choose another file")
            if found != schema.VERSION:
                raise Unusable(f"{self.path} was written by a newer version of Entrepot; upgrade Entrepot")
            for _ in range(READERS):
                self._idle.put(Session(self.settings.driver, self._handle, timeout_s=self.settings.timeout_s))
            if learn is not None:
                # Not run as a read: on a busy machine it may take longer than a read is allowed.
                learn(session)
        except DriverError as error:
            known = translate(error, self.path)
            # A file that the driver cannot open is unusable, whatever the driver's reason.
            useless = damaged_error(self.path, f"is damaged: it cannot be opened ({error})")
            raise (useless if type(known) is StoreError else known) from error

    def _write(self, call: Call[ResultT], after: Callable[[], None] | None) -> ResultT:
        session = self._writable()
        committed_bytes, committing = _size(self._log), False
        try:
            session.run("BEGIN TRANSACTION")
            try:
                result = call(session)
                committing = True
                session.run("COMMIT")
            except BaseException as error:
                if isinstance(error, DriverError) and (committing or unwritten(error)):
                    # The driver's indexes and its log now differ from what was committed, and Ladybug would never return.
                    self._fail(committed_bytes)
                else:
                    # The engine has already ended the transaction if the error is its own.
                    with suppress(DriverError):
                        session.run("ROLLBACK")
                raise
        except DriverError as error:
            raise translate(error, self.path) from error
        if after is not None:
            after()
        self._checkpoint_if_large(session)
        return result

    def _writable(self) -> Session:
        """Return the session to write with. Raises `Unavailable` without room for a write."""
        self._check_usable()
        disk.check_free_space(self.path.parent, min_bytes=MIN_FREE_BYTES)
        if self._write_session is None:
            raise Unavailable(f"{self.path} is closed")
        return self._write_session

    def _write_checkpoint(self) -> None:
        session = self._writable()
        try:
            session.run("CHECKPOINT")
        except DriverError as error:
            if unwritten(error):
                self._fail(None)
            raise translate(error, self.path) from error

    def _has_space_to_checkpoint(self) -> bool:
        needed = MIN_FREE_BYTES + CHECKPOINT_SPACE * _size(self._log)
        return disk.disk_full_problem(self.path.parent, min_bytes=needed) is None

    def _try_checkpoint(self, session: Session) -> None:
        """Write a checkpoint if there is something to write. A failed one only leaves the log larger."""
        if not _size(self._log):
            return
        try:
            session.run("CHECKPOINT")
        except DriverError as error:
            if unwritten(error):
                self._fail(None)

    def _checkpoint_if_large(self, session: Session) -> None:
        """Write a checkpoint if the log has grown and no reader is active, which the engine requires."""
        if _size(self._log) < CHECKPOINT_BYTES or not self._has_space_to_checkpoint():
            return
        held: list[Session] = []
        try:
            with suppress(Empty):
                while len(held) < READERS:
                    held.append(self._idle.get(timeout=QUIET_S))
                self._try_checkpoint(session)
        finally:
            for reader in held:
                self._idle.put(reader)


def _size(file: Path) -> int:
    """Return the size of a file, 0 if it does not exist."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _clear_leftovers(path: Path) -> None:
    """Remove the files that belonged to a deleted file; its log would be replayed into the new one."""
    for suffix in COMPANIONS:
        Path(f"{path}{suffix}").unlink(missing_ok=True)
