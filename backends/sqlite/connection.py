"""One database file: a writer, a few readers, and the watch that the file is still the one that was opened."""

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Generic, TypeVar

from backends.offload import Workers, outcome
from backends.ports.errors import StoreError, Unavailable, Unusable
from backends.sqlite.errors import damaged, tail_damaged, translate
from backends.sqlite.schema import COMPANIONS, Layout, check_ours, migrate, schema_version
from backends.sqlite.settings import SqliteSettings
from backends.sqlite.wal import lost_behind
from backends.sqlite.writer import BUSY_RETRIES, Writer

READERS: Final = 3
CACHE_KIB: Final = 8_192
READ_TIMEOUT_S: Final = 30.0
EXAMINE_TIMEOUT_S: Final = 3_600.0

ResultT = TypeVar("ResultT")
Call = Callable[[sqlite3.Connection], ResultT]
Identity = tuple[int, int]


class Database:
    """An open file. `read` and `write` run a call against a connection in a thread, and translate what goes wrong."""

    def __init__(self, path: Path, layout: Layout, settings: SqliteSettings) -> None:
        self.path = path
        self.layout = layout
        self.incarnation = 0
        """Grows when the file was found replaced: what was remembered about the old one no longer holds."""
        self._settings = settings
        self._guard = threading.RLock()
        self._name = str(path)
        self._identity: Identity | None = None
        self._damaged: Unusable | None = None
        self._idle: list[tuple[int, sqlite3.Connection]] = []
        self._writing: tuple[int, sqlite3.Connection] | None = None
        self._readers = Workers(path.name, threads=READERS)
        self._writer = Writer(f"{path.name} writer", self._writing_connection, self.translate)
        self._write_timeout_s = READ_TIMEOUT_S + settings.busy_timeout_s * (BUSY_RETRIES + 1)

    def translate(self, error: sqlite3.Error) -> StoreError:
        """Return the store error for the driver's. A log that is damaged takes no more writes from here on."""
        meaning = translate(error, self.path, self.layout)
        if self.layout.is_log and isinstance(meaning, Unusable):
            # A backup has to be put in its place, without what would be written now.
            self._damaged = meaning
        return meaning

    def open(self) -> None:
        """Open or create the file and bring its schema up to date; blocking. Raises `Unavailable` and `Unusable`."""
        if self.layout.is_log:
            self._check_tail()
        try:
            with closing(self._connect()) as connection:
                check_ours(connection, self.path, self.layout)
                # From here on it is ours to write to; a disk that is read-only shows now, not at the first write.
                connection.execute("PRAGMA journal_mode = WAL")
                migrate(connection, self.layout)
            self._identity = self._found()
        except sqlite3.Error as error:
            raise self.translate(error) from error

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call of one statement, or of several that need not see the same state."""
        task = _Read(self, call)
        return await self._readers.run(task, timeout_s=READ_TIMEOUT_S, give_up=task.interrupt)

    async def snapshot(self, call: Call[ResultT]) -> ResultT:
        """Run a call whose statements all see the same state."""

        def transaction(connection: sqlite3.Connection) -> ResultT:
            connection.execute("BEGIN")
            try:
                return call(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")

        return await self.read(transaction)

    async def write(self, call: Call[ResultT]) -> ResultT:
        """Run a call in the next transaction and return after its commit; what it raises undoes what it did."""
        if self._damaged is not None:
            raise Unusable(str(self._damaged))
        work = self._writer.submit(call)
        return await outcome(work, timeout_s=self._write_timeout_s, what=self.path.name)

    def borrow(self) -> tuple[int, sqlite3.Connection]:
        """Return a reading connection with its incarnation. Raises `Unavailable` when the file is not what it was."""
        with self._guard:
            self._watch()
            if self._idle:
                return self._idle.pop()
            incarnation = self.incarnation
        connection = self._connect()
        connection.execute("PRAGMA query_only = 1")
        return incarnation, connection

    def give_back(self, incarnation: int, connection: sqlite3.Connection) -> None:
        """Keep the connection for the next reader, if the file is still the same."""
        with self._guard:
            if incarnation == self.incarnation:
                self._idle.append((incarnation, connection))
                return
        connection.close()

    def close(self) -> None:
        """Finish writes, fold the WAL into the file, let go of it; repeatable, blocking."""
        self._writer.close()
        self._readers.close()
        with self._guard, suppress(sqlite3.Error, OSError):
            if self._writing is not None and self._identity == self._found():
                self._writing[1].execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._forget()
            if self._writing is not None:
                self._writing[1].close()
                self._writing = None

    def version(self) -> int:
        """Return the schema version of the file; blocking. Raises what a read raises."""
        return _Read(self, schema_version)()

    async def examine(self) -> None:
        """Read the whole file, which takes in proportion to its size. Raises `Unusable` for damage anywhere."""
        # The quick one does not miss entries of an index, by which events are found.
        check = "integrity_check" if self.layout.is_log else "quick_check"
        task = _Read(self, lambda connection: str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0]))
        found = await self._readers.run(task, timeout_s=EXAMINE_TIMEOUT_S, give_up=task.interrupt)
        if found != "ok":
            raise damaged(self.path, self.layout, found)

    def _check_tail(self) -> None:
        """Raise `Unusable` where SQLite would leave out acknowledged transactions, and then overwrite them."""
        try:
            frame = lost_behind(Path(f"{self.path}-wal"))
        except OSError as error:
            raise Unavailable(f"{self.path}-wal cannot be read: {error}") from error
        if frame is not None:
            raise tail_damaged(self.path, frame)

    def _connect(self) -> sqlite3.Connection:
        timeout_s = self._settings.busy_timeout_s
        connection = sqlite3.connect(
            self.path, timeout=timeout_s, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.execute(f"PRAGMA synchronous = {'FULL' if self.layout.is_log else 'NORMAL'}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        if self._settings.max_pages is not None and not self.layout.is_log:
            connection.execute(f"PRAGMA max_page_count = {self._settings.max_pages:d}")
        return connection

    def _writing_connection(self) -> sqlite3.Connection:
        with self._guard:
            self._watch()
            if self._writing is not None and self._writing[0] != self.incarnation:
                self._writing[1].close()
                self._writing = None
            if self._writing is None:
                self._writing = (self.incarnation, self._connect())
            return self._writing[1]

    def _found(self) -> Identity | None:
        try:
            status = os.stat(self._name)  # noqa: PTH116 -- asked before each read, and a path makes its text anew each time
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _watch(self) -> None:
        """Raise `Unavailable` when the file was deleted or replaced; a projection is made anew for the next call."""
        try:
            found = self._found()
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be reached: {error}") from error
        if found == self._identity:
            return
        if self.layout.is_log:
            raise Unavailable(f"{self.path} was removed or replaced while it was in use: restore it, or start again")
        self._forget()
        self._renew()
        raise Unavailable(f"{self.path} was removed or replaced while it was in use; it was opened anew, try again")

    def _forget(self) -> None:
        """Make every connection stale; those in use are closed by their users, each in its own thread."""
        self.incarnation += 1
        for _, connection in self._idle:
            connection.close()
        self._idle.clear()

    def _renew(self) -> None:
        from filelock import FileLock

        try:
            # Leftovers of the lost file would be taken for the new one's; the lock keeps two processes from
            # clearing each other's.
            with FileLock(f"{self.path}.lock", timeout=self._settings.busy_timeout_s):
                if self._found() is None:
                    for suffix in COMPANIONS:
                        Path(f"{self.path}{suffix}").unlink(missing_ok=True)
                self.open()
        except OSError as error:
            raise Unavailable(f"{self.path} is gone and cannot be made anew: {error}") from error


class _Read(Generic[ResultT]):
    """A call on its way through a reader thread; `interrupt` stops the statement it is in."""

    def __init__(self, database: Database, call: Call[ResultT]) -> None:
        self._database = database
        self._call = call
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def __call__(self) -> ResultT:
        database = self._database
        try:
            incarnation, connection = database.borrow()
            self._connection = connection
            try:
                return self._call(connection)
            finally:
                # From here on an interrupt would hit the connection's next borrower.
                with self._guard:
                    self._connection = None
                database.give_back(incarnation, connection)
        except sqlite3.Error as error:
            raise database.translate(error) from error

    def interrupt(self) -> None:
        """Stop the statement under way, if there is one."""
        with self._guard:
            if self._connection is not None:
                self._connection.interrupt()
