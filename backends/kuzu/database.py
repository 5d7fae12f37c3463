"""One open file: a writer, a few readers, and the moments when its log is folded in."""

import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Final, Generic, TypeVar

from backends.kuzu import schema
from backends.kuzu.driver import DriverError, Handle, Session, load
from backends.kuzu.errors import COMPANIONS, damaged, translate
from backends.kuzu.files import Claim, check_format, clear_leftovers
from backends.kuzu.habits import HABITS
from backends.kuzu.settings import KuzuSettings
from backends.offload import Workers
from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable

READERS: Final = 3
FOLD_BYTES: Final = 8 * 1024 * 1024
"""The size of the log beside the file from which on it is folded in after a write."""
QUIET_S: Final = 0.5
"""How long folding waits for the readers to be done; it is tried again after the next write."""
GRACE_S: Final = 1.0
LOOK_TIMEOUT_S: Final = 60.0

ResultT = TypeVar("ResultT")
Call = Callable[[Session], ResultT]


class Database:
    """An open file. `read` and `write` run a call against a session in a thread, and translate what goes wrong."""

    def __init__(self, path: Path, settings: KuzuSettings) -> None:
        self.path = path
        self.habits = HABITS[settings.driver]
        self._settings = settings
        self._log = Path(f"{path}.wal")
        self._claim: Claim | None = None
        self._handle: Handle | None = None
        self._writing: Session | None = None
        self._idle: LifoQueue[Session] = LifoQueue()
        self._readers = Workers(path.name, threads=READERS)
        self._writer = Workers(f"{path.name} writer", threads=1)

    @property
    def version(self) -> str:
        """The version of the driver."""
        return load(self._settings.driver).__version__

    def open(self, learn: Call[object] | None = None) -> None:
        """Open or create the file, and `learn` from it before anybody uses it; blocking.

        Raises `InvalidInput` for a driver that is missing, `AlreadyOpen`, `Unusable` and `Unavailable`.
        """
        load(self._settings.driver)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._claim = Claim(self.path)
            if self.path.exists():
                check_format(self.path, self._settings.driver)
            else:
                self._create()
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be used: {error}") from error
        except DriverError as error:
            raise translate(error, self.path) from error
        try:
            self._start()
            if learn is not None and self._writing is not None:
                # Not as a read, which may take less time than this does on a busy machine.
                learn(self._writing)
        except DriverError as error:
            known = translate(error, self.path)
            # Whatever else the driver says of a file that it cannot open, the file is of no use.
            useless = damaged(self.path, f"cannot be opened ({error})")
            raise (useless if type(known) is StoreError else known) from error

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call of one statement, or of several that need not see the same state."""
        task = _Read(self, call)
        timeout_s = self._settings.timeout_s
        return await self._readers.run(task, timeout_s=timeout_s + GRACE_S, give_up=task.interrupt)

    async def look(self, call: Call[ResultT]) -> ResultT:
        """Run a call of many statements, of which each takes no longer than a read may."""
        return await self._readers.run(_Read(self, call), timeout_s=LOOK_TIMEOUT_S)

    async def snapshot(self, call: Call[ResultT]) -> ResultT:
        """Run a call whose statements all see the same state."""

        def transaction(session: Session) -> ResultT:
            session.run("BEGIN TRANSACTION READ ONLY")
            try:
                return call(session)
            finally:
                # After an error the engine has ended the transaction itself.
                with suppress(DriverError):
                    session.run("ROLLBACK")

        return await self.read(transaction)

    async def write(self, call: Call[ResultT], *, after: Callable[[], None] | None = None) -> ResultT:
        """Run a call in a transaction of its own and return after its commit; what it raises undoes what it did.

        `after` runs in the writing thread once it is committed, whether or not anybody still waits.
        """
        return await self._writer.run(lambda: self._write(call, after), timeout_s=self._settings.write_timeout_s)

    def copied(self, folder: Path) -> "Database":
        """Return a copy of the file as it is on the disk, to be opened; blocking. Raises `Unavailable`."""
        copy = folder / self.path.name
        try:
            for suffix in ("", *COMPANIONS):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{self.path}{suffix}", f"{copy}{suffix}")
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be copied, to be written to: {error.strerror or error}") from error
        return Database(copy, self._settings)

    async def fold(self) -> None:
        """Fold the log into the file. Raises what a write raises."""
        await self._writer.run(self._checkpoint, timeout_s=self._settings.write_timeout_s)

    def borrow(self) -> Session:
        """Return a session to read with. Raises `Unavailable` after closing and `Timeout` when none is free."""
        if self._handle is None:
            raise Unavailable(f"{self.path} is closed")
        try:
            return self._idle.get(timeout=self._settings.timeout_s)
        except Empty:
            raise Timeout(f"{self.path}: no reader became free within {self._settings.timeout_s:g} seconds") from None

    def give_back(self, session: Session) -> None:
        """Keep the session for the next reader."""
        session.resume()
        self._idle.put(session)

    def close(self) -> None:
        """Finish what is under way, fold the log in, let go of the file; repeatable, blocking."""
        self._writer.close()
        self._readers.close()
        handle, self._handle = self._handle, None
        while not self._idle.empty():
            self._idle.get().close()
        if self._writing is not None:
            # Of a file in which nothing was written not a byte is changed.
            last = "CHECKPOINT" if _size(self._log) else "CALL force_checkpoint_on_close = false"
            with suppress(DriverError):
                self._writing.run(last)
            self._writing.close()
            self._writing = None
        if handle is not None:
            handle.close()
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _open_file(self, path: Path) -> Handle:
        try:
            return load(self._settings.driver).Database(
                str(path),
                buffer_pool_size=self._settings.buffer_pool_mib * 2**20,
                max_num_threads=self._settings.threads,
                max_db_size=self._settings.max_size_gib * 2**30,
                # The engine folds its log in while it commits, and fails the commit when somebody reads on.
                auto_checkpoint=False,
            )
        except RuntimeError as error:
            raise DriverError(str(error)) from error

    def _create(self) -> None:
        """Make the file under another name first, so that what has its name is whole."""
        clear_leftovers(self.path)
        draft = Path(f"{self.path}.new")
        draft.unlink(missing_ok=True)
        clear_leftovers(draft)
        handle = self._open_file(draft)
        try:
            session = Session(self._settings.driver, handle, timeout_s=self._settings.write_timeout_s)
            try:
                schema.create(session)
            finally:
                session.close()
        finally:
            handle.close()
        draft.replace(self.path)

    def _start(self) -> None:
        self._handle = self._open_file(self.path)
        self._writing = Session(self._settings.driver, self._handle, timeout_s=self._settings.write_timeout_s)
        found = schema.version(self._writing)
        if found is None:
            raise Unusable(f"{self.path} is a database of another program; choose another file")
        if found != schema.VERSION:
            raise Unusable(f"{self.path} was written by a newer version of Entrepot; upgrade Entrepot")
        for _ in range(READERS):
            self._idle.put(Session(self._settings.driver, self._handle, timeout_s=self._settings.timeout_s))

    def _write(self, call: Call[ResultT], after: Callable[[], None] | None) -> ResultT:
        session = self._writing
        if session is None:
            raise Unavailable(f"{self.path} is closed")
        try:
            session.run("BEGIN TRANSACTION")
            try:
                result = call(session)
                session.run("COMMIT")
            except BaseException:
                # An error of the engine has ended the transaction already.
                with suppress(DriverError):
                    session.run("ROLLBACK")
                raise
        except DriverError as error:
            raise translate(error, self.path) from error
        if after is not None:
            after()
        self._fold(session)
        return result

    def _checkpoint(self) -> None:
        if self._writing is None:
            raise Unavailable(f"{self.path} is closed")
        try:
            self._writing.run("CHECKPOINT")
        except DriverError as error:
            raise translate(error, self.path) from error

    def _fold(self, session: Session) -> None:
        """Fold the log in when it has grown, in a moment when nobody reads; the engine does not do it otherwise."""
        if _size(self._log) < FOLD_BYTES:
            return
        held: list[Session] = []
        try:
            with suppress(Empty):
                while len(held) < READERS:
                    held.append(self._idle.get(timeout=QUIET_S))
                # What was committed is on the disk; a failure to fold costs nothing but the log's size.
                with suppress(DriverError):
                    session.run("CHECKPOINT")
        finally:
            for reader in held:
                self._idle.put(reader)


def _size(file: Path) -> int:
    """Return the size of a file, 0 where there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


class _Read(Generic[ResultT]):
    """A call on its way through a reader thread; `interrupt` stops it."""

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
            # From here on an interrupt would hit the session's next borrower.
            with self._guard:
                self._session = None
            self._database.give_back(session)

    def interrupt(self) -> None:
        """Stop the call, if it is under way."""
        with self._guard:
            if self._session is not None:
                self._session.interrupt()
