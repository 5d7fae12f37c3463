"""One open file: one writer, several readers, and the checkpoints that fold its log into it."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Final, Generic, TypeVar

from backends.engines.kuzu import schema
from backends.engines.kuzu.driver import RAISED, DriverError, DriverName, Handle, Session, load
from backends.engines.kuzu.errors import COMPANIONS, damaged, translate
from backends.engines.kuzu.opening_probe import crash_of
from backends.engines.kuzu.query_strategy import STRATEGIES
from backends.engines.kuzu.settings import KuzuSettings
from backends.kit.file_identity import OpenedPath
from backends.kit.file_lock import AcquiredLock, acquire
from backends.kit.threads import Workers
from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable

READERS: Final = 3
CHECKPOINT_BYTES: Final = 8 * 1024 * 1024
"""A log of this size is folded into the file after a write."""
QUIET_S: Final = 0.5
"""How long a checkpoint waits for the readers to finish. If they do not, the next write tries again."""
GRACE_S: Final = 1.0
VERIFY_TIMEOUT_S: Final = 60.0
_MAGIC: Final[dict[bytes, DriverName]] = {b"KUZU": "kuzu", b"LBUG": "ladybug"}
"""The first bytes of a database file, by the driver that wrote it."""

ResultT = TypeVar("ResultT")
Call = Callable[[Session], ResultT]


class Database:
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
                _check_format(self.path, self.settings.driver)
                if (crash := crash_of(self.path, self.settings.driver)) is not None:
                    raise damaged(self.path, f"is damaged: a process that opens it ends with {crash}")
            else:
                self._create()
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be used: {error}") from error
        except DriverError as error:
            raise translate(error, self.path) from error
        try:
            self._start()
            if learn is not None and self._write_session is not None:
                # Not run as a read: on a busy machine it may take longer than a read is allowed.
                learn(self._write_session)
        except DriverError as error:
            known = translate(error, self.path)
            # A file that the driver cannot open is unusable, whatever the driver's reason.
            useless = damaged(self.path, f"is damaged: it cannot be opened ({error})")
            raise (useless if type(known) is StoreError else known) from error

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call whose statements need not see the same state."""
        task = _Read(self, call)
        timeout_s = self.settings.timeout_s
        return await self._readers.run(task, timeout_s=timeout_s + GRACE_S, give_up=task.interrupt)

    async def read_for_verify(self, call: Call[ResultT]) -> ResultT:
        """Run a call of many statements, each of which is bound by the read timeout."""
        return await self._readers.run(_Read(self, call), timeout_s=VERIFY_TIMEOUT_S)

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

    def borrow(self) -> Session:
        """Return a session to read with. Raises `Unavailable` after closing and `Timeout` if none becomes free.

        Raises `Unavailable` for a file that was moved away, too: its writes would be missing after a restart.
        """
        if self._handle is None:
            raise Unavailable(f"{self.path} is closed")
        self._check_place()
        try:
            return self._idle.get(timeout=self.settings.timeout_s)
        except Empty:
            raise Timeout(f"{self.path}: no reader became free within {self.settings.timeout_s:g} seconds") from None

    def give_back(self, session: Session) -> None:
        """Return a session to the pool."""
        session.resume()
        self._idle.put(session)

    def close(self) -> None:
        """Finish calls in progress, write a checkpoint and release the file. Repeatable, blocking."""
        self._writer.close()
        self._readers.close()
        handle, self._handle = self._handle, None
        while not self._idle.empty():
            self._idle.get().close()
        if self._write_session is not None:
            # Closing leaves a file unchanged, byte for byte, if nothing was written to it.
            last = "CHECKPOINT" if _size(self._log) else "CALL force_checkpoint_on_close = false"
            with suppress(DriverError):
                self._write_session.run(last)
            self._write_session.close()
            self._write_session = None
        if handle is not None:
            handle.close()
        self._opened.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _check_place(self) -> None:
        """Raise `Unavailable` unless the file is still at its path."""
        if (place := self._opened.place()) != "same":
            raise Unavailable(self._opened.problem(place))

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

    def _start(self) -> None:
        self._handle = self._open_file(self.path)
        self._opened.remember()
        self._write_session = Session(self.settings.driver, self._handle, timeout_s=self.settings.write_timeout_s)
        found = schema.version(self._write_session)
        if found is None:
            raise Unusable(f"{self.path} is a database of another program; choose another file")
        if found != schema.VERSION:
            raise Unusable(f"{self.path} was written by a newer version of Entrepot; upgrade Entrepot")
        for _ in range(READERS):
            self._idle.put(Session(self.settings.driver, self._handle, timeout_s=self.settings.timeout_s))

    def _write(self, call: Call[ResultT], after: Callable[[], None] | None) -> ResultT:
        session = self._write_session
        if session is None:
            raise Unavailable(f"{self.path} is closed")
        self._check_place()
        try:
            session.run("BEGIN TRANSACTION")
            try:
                result = call(session)
                session.run("COMMIT")
            except BaseException:
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

    def _write_checkpoint(self) -> None:
        if self._write_session is None:
            raise Unavailable(f"{self.path} is closed")
        try:
            self._write_session.run("CHECKPOINT")
        except DriverError as error:
            raise translate(error, self.path) from error

    def _checkpoint_if_large(self, session: Session) -> None:
        """Write a checkpoint if the log has grown and no reader is active, which the engine requires."""
        if _size(self._log) < CHECKPOINT_BYTES:
            return
        held: list[Session] = []
        try:
            with suppress(Empty):
                while len(held) < READERS:
                    held.append(self._idle.get(timeout=QUIET_S))
                # The commit is already on disk. A failed checkpoint only leaves the log larger.
                with suppress(DriverError):
                    session.run("CHECKPOINT")
        finally:
            for reader in held:
                self._idle.put(reader)


def _size(file: Path) -> int:
    """Return the size of a file, 0 if it does not exist."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


class _Read(Generic[ResultT]):
    """A call in a reader thread. `interrupt` stops it."""

    def __init__(self, database: Database, call: Call[ResultT]) -> None:
        self._database = database
        self._call = call
        self._guard = threading.Lock()
        self._session: Session | None = None

    def __call__(self) -> ResultT:
        session = self._database.borrow()
        with self._guard:
            self._session = session
        try:
            return self._call(session)
        except DriverError as error:
            raise translate(error, self._database.path) from error
        finally:
            # After this an interrupt would stop the session's next user.
            with self._guard:
                self._session = None
            self._database.give_back(session)

    def interrupt(self) -> None:
        """Stop the call if it is running."""
        with self._guard:
            if self._session is not None:
                self._session.interrupt()


def _check_format(path: Path, driver: DriverName) -> None:
    """Raise `Unusable` unless an existing file has this driver's format."""
    with path.open("rb") as file:
        begins = file.read(4)
    wrote = _MAGIC.get(begins)
    if wrote == driver:
        return
    if wrote is None:
        raise damaged(path, f"is damaged or not a database of {driver}")
    raise Unusable(
        f'{path} was written by {wrote}, which {driver} cannot read: set driver = "{wrote}", or move the file and its'
        " .wal away: a new file is created and rebuilt from the log"
    )


def _clear_leftovers(path: Path) -> None:
    """Remove the files that belonged to a deleted file; its log would be replayed into the new one."""
    for suffix in COMPANIONS:
        Path(f"{path}{suffix}").unlink(missing_ok=True)
