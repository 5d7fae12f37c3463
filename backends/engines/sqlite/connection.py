"""One database file: a writer, a few readers, and a check that the file is still the one that was opened.

A port uses it by `OpenNamespace`, which has the meta values of a namespace, too.
"""

import sqlite3
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from backends.engines.sqlite import errors, wal
from backends.engines.sqlite.errors import PROBLEMS, Problem
from backends.engines.sqlite.schema import COMPANIONS, FileSchema, check_ours, migrate, scalar, schema_version
from backends.engines.sqlite.settings import SqliteSettings
from backends.engines.sqlite.verify import find_damage, find_damage_quickly
from backends.engines.sqlite.writer import Writer
from backends.kit.file_identity import Identity, OpenedPath
from backends.kit.threads import InterruptibleCall, Workers, outcome
from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable
from backends.ports.values import Namespace

READERS: Final = 3
"""Rows are converted under the GIL, so more would gain little; each has a cache of its own."""
CACHE_KIB: Final = 8_192
"""For each connection to a file, so four times for its readers and its writer."""
READ_TIMEOUT_S: Final = 30.0
"""The default deadline of a tool; nobody waits for a later answer."""
VERIFY_TIMEOUT_S: Final = 3_600.0
"""A file of many gigabytes takes minutes, so only a read that hangs takes an hour."""
CLOSE_WAIT_MS: Final = 200
"""How long closing waits for readers in other processes; what they keep from being checkpointed stays in the WAL."""
UPGRADE_WAIT_S: Final = 3.0
"""How long an upgrade waits for processes that are ending."""

ResultT = TypeVar("ResultT")
Call = Callable[[sqlite3.Connection], ResultT]
_GET_META = "SELECT value FROM meta WHERE ns = ? AND key = ?"
_KEEP_META = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO NOTHING"
_SET_META = "INSERT INTO meta(ns, key, value) VALUES(?, ?, ?) ON CONFLICT(ns, key) DO UPDATE SET value = excluded.value"
_NOWHERE: Final = (0, 0)
"""Stands for a missing file; no file has this identity."""


_logs_guard = threading.RLock()
_open_logs: Counter[Identity] = Counter()
"""How many times this process has each log open. Its WAL is checked only before the first: see `wal`."""


class DatabaseFile:
    """An open file. `read` and `write` run a call with a connection in a thread and translate its errors."""

    def __init__(self, path: Path, file_schema: FileSchema, settings: SqliteSettings) -> None:
        self.path = path
        self.file_schema = file_schema
        self.incarnation = 0
        """Incremented when the file was replaced; caches of an older incarnation are stale."""
        self._settings = settings
        self._guard = threading.RLock()
        self._opened = OpenedPath(path)
        self._counted: Identity | None = None
        self._is_checkpointed = False
        self._damaged: Unusable | None = None
        self._idle: list[tuple[int, sqlite3.Connection]] = []
        self._writing: tuple[int, sqlite3.Connection] | None = None
        self._readers = Workers(path.name, threads=READERS)
        self._writer = Writer(f"{path.name} writer", self, busy_timeout_s=settings.busy_timeout_s)
        self._write_timeout_s = READ_TIMEOUT_S + 2 * settings.busy_timeout_s

    def translate(self, error: Problem) -> StoreError:
        """Return the store error for one of `PROBLEMS`. After damage the log refuses writes.

        An event that cannot be decoded does not stop writes, because it affects only its readers.
        """
        meaning = errors.translate(error, self.path, self.file_schema)
        if errors.is_undecodable(error):
            # A cursor in these frames would keep its connection in an old transaction, and the WAL from being checkpointed.
            traceback.clear_frames(error.__traceback__)
        if self.file_schema.is_log and isinstance(meaning, Unusable) and not errors.is_undecodable(error):
            # A backup will replace it, so later writes would be lost.
            self._damaged = meaning
        return meaning

    @contextmanager
    def translating(self) -> Generator[None]:
        """Raise the store error for an error in `PROBLEMS`."""
        try:
            yield
        except PROBLEMS as error:
            raise self.translate(error) from None if errors.is_undecodable(error) else error

    def open(self) -> None:
        """Open or create the file and bring its schema up to date; blocking.

        Raises `Unavailable`, `Unusable`, and `AlreadyOpen` for a file to be upgraded that another process has open.
        """
        if not self.file_schema.is_log:
            self._open()
            return
        with _logs_guard:
            self._uncount()
            if _open_logs[self._opened.there() or _NOWHERE] == 0:
                wal.check(self.path)
                self._check_quickly()
            self._open()
            self._counted = self._opened.identity
            _open_logs[self._counted or _NOWHERE] += 1

    def _uncount(self) -> None:
        """Undo what `open` counted."""
        with _logs_guard:
            if self._counted is not None:
                _open_logs[self._counted] -= 1
                self._counted = None

    def _open(self) -> None:
        try:
            with self.translating():
                with closing(self._connect()) as connection:
                    check_ours(connection, self.path, self.file_schema)
                    found = schema_version(connection)
                if 0 < found < self.file_schema.version:
                    self._upgrade()
                with closing(self._connect()) as connection:
                    # Only now is it certain that the file is ours and may be written. This statement fails on a read-only disk.
                    wal.switch_to(connection, self._settings.busy_timeout_s)
                    migrate(connection, self.file_schema)
                self._opened.remember()
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be reached: {error}") from error

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call of one statement, or of several that need not see the same state."""
        task = InterruptibleCall(self._acquired_reader, call)
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
        """Run a call in the next transaction and return after its commit; an exception rolls the call back."""
        if self._damaged is not None:
            raise Unusable(str(self._damaged))
        work = self._writer.submit(call)
        return await outcome(work, timeout_s=self._write_timeout_s, what=self.path.name)

    def acquire(self) -> tuple[int, sqlite3.Connection]:
        """Return a reading connection with its incarnation. Raises `Unavailable` if the file was replaced."""
        with self._guard:
            self._check_identity()
            if self._idle:
                return self._idle.pop()
            incarnation = self.incarnation
        connection = self._connect()
        connection.execute("PRAGMA query_only = 1")
        return incarnation, connection

    def release(self, incarnation: int, connection: sqlite3.Connection) -> None:
        """Return the connection to the pool, if the file is still the same."""
        with self._guard:
            if incarnation == self.incarnation:
                self._idle.append((incarnation, connection))
                return
        connection.close()

    @contextmanager
    def _acquired_reader(self) -> Generator[sqlite3.Connection]:
        """Lend a connection to read with; the driver's errors inside the block are translated."""
        with self.translating():
            incarnation, connection = self.acquire()
            try:
                yield connection
            finally:
                self.release(incarnation, connection)

    def close(self) -> None:
        """Finish writes, checkpoint the WAL and close the file; repeatable, blocking."""
        self._writer.close()
        self._readers.close()
        with self._guard, suppress(sqlite3.Error, OSError):
            if self._writing is not None and self._opened.state() == "same":
                self._writing[1].execute(f"PRAGMA busy_timeout = {CLOSE_WAIT_MS}")
                self._writing[1].execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._forget()
            if self._writing is not None:
                self._writing[1].close()
                self._writing = None
        self._opened.close()
        self._uncount()

    def version(self) -> int:
        """Return the schema version of the file; blocking. Raises what a read raises, and `Unusable` for a newer one."""

        def checked(connection: sqlite3.Connection) -> int:
            self.check_version(connection)
            return schema_version(connection)

        return InterruptibleCall(self._acquired_reader, checked)()

    async def room(self) -> int | None:
        """Return how many more pages the file may have, None without a quota. Raises what a read raises."""
        if (most := self._settings.max_pages) is None or self.file_schema.is_log:
            return None
        return most - await self.read(_used_pages)

    async def verify(self) -> None:
        """Read the whole file; the time grows with its size. Raises `Unusable` for damage anywhere."""
        task = InterruptibleCall(self._acquired_reader, lambda connection: find_damage(connection, self.file_schema))
        found = await self._readers.run(task, timeout_s=VERIFY_TIMEOUT_S, give_up=task.interrupt)
        if found is not None:
            raise errors.damaged_error(self.path, self.file_schema, found)

    def _check_quickly(self) -> None:
        """Raise `Unusable` for damage found within a second; the rest is found by reads or by `verify`."""
        if self._opened.there() is None:
            return
        try:
            with self.translating(), closing(self._connect()) as connection:
                check_ours(connection, self.path, self.file_schema)
                found = find_damage_quickly(connection)
        except Timeout:
            return
        if found is not None:
            raise errors.damaged_error(self.path, self.file_schema, found)

    def _upgrade(self) -> None:
        """Migrate a file of an older version while no other process has it open; an older one would keep writing its schema."""
        from filelock import FileLock
        from filelock import Timeout as LockTimeout

        try:
            # Processes of this version wait here with the file closed, so one that has it open is of another version.
            with (
                FileLock(f"{self.path}.upgrade.lock", timeout=self._settings.busy_timeout_s),
                closing(self._connect(timeout_s=UPGRADE_WAIT_S)) as connection,
            ):
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                migrate(connection, self.file_schema)
        except (OSError, LockTimeout) as error:
            raise Unavailable(f"{self.path} cannot be upgraded: {error}") from error
        except sqlite3.OperationalError as error:
            if errors.is_busy(error):
                raise errors.in_use_error(self.path) from error
            raise

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """Append a link to the log's chain, just before the commit of a transaction that changed something."""
        if self.file_schema.is_log:
            wal.extend_chain(connection)

    def after_commit(self, connection: sqlite3.Connection) -> None:
        """Copy this process's first link into the log's file, so that an earlier backup cannot be mistaken for it."""
        if self.file_schema.is_log and not self._is_checkpointed:
            self._is_checkpointed = True
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def check_version(self, connection: sqlite3.Connection) -> None:
        """Raise `Unusable` if a newer version has upgraded the file since it was opened."""
        if (found := schema_version(connection)) > self.file_schema.version:
            raise errors.upgraded_error(self.path, found, self.file_schema.version)

    def _connect(self, *, timeout_s: float | None = None) -> sqlite3.Connection:
        timeout_s = self._settings.busy_timeout_s if timeout_s is None else timeout_s
        connection = sqlite3.connect(
            self.path, timeout=timeout_s, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        with ExitStack() as failing:
            failing.callback(connection.close)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self.file_schema.is_log else 'NORMAL'}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            if self._settings.max_pages is not None and not self.file_schema.is_log:
                connection.execute(f"PRAGMA max_page_count = {self._settings.max_pages:d}")
            failing.pop_all()
        return connection

    def connection(self) -> sqlite3.Connection:
        """Return the connection of the writer. Raises `Unavailable` if the file was replaced."""
        with self._guard:
            self._check_identity()
            if self._writing is not None and self._writing[0] != self.incarnation:
                self._writing[1].close()
                self._writing = None
            if self._writing is None:
                self._writing = (self.incarnation, self._connect())
            return self._writing[1]

    def _check_identity(self) -> None:
        """Raise `Unavailable` unless the file is the one that was opened.

        A projection that was deleted or replaced is opened again, for ports requested later. One that was moved away may be
        moved back, with the rest of its WAL, so no file is created in its place.
        """
        if (state := self._opened.state()) == "same":
            return
        if self.file_schema.is_log and state != "unreachable":
            raise Unavailable(f"{self.path} was removed or replaced while it was in use: restore it, or start again")
        if state in ("moved", "unreachable"):
            raise Unavailable(self._opened.problem(state))
        self._forget()
        self._renew()
        raise errors.replaced_error(self.path)

    def _forget(self) -> None:
        """Invalidate every connection; those in use are closed when they are released."""
        self.incarnation += 1
        for _, connection in self._idle:
            connection.close()
        self._idle.clear()

    def _renew(self) -> None:
        from filelock import FileLock

        try:
            # SQLite would treat the companions of the lost file as those of the new one. The lock prevents two processes
            # from removing each other's.
            with FileLock(f"{self.path}.lock", timeout=self._settings.busy_timeout_s):
                if self._opened.there() is None:
                    for suffix in COMPANIONS:
                        Path(f"{self.path}{suffix}").unlink(missing_ok=True)
                self.open()
        except OSError as error:
            raise Unavailable(f"{self.path} is gone and cannot be created again: {error}") from error


class OpenNamespace:
    """A namespace whose calls fail once the file was replaced.

    The caller then asks for the port again and finds another incarnation.
    """

    def __init__(self, database: DatabaseFile, namespace: Namespace) -> None:
        self.namespace = namespace
        self.incarnation = database.incarnation
        """The incarnation of the file that the port belongs to."""
        self._database = database

    async def read(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `DatabaseFile.read` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.read(self._checked(call))

    async def snapshot(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `DatabaseFile.snapshot` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.snapshot(self._checked(call))

    async def write(self, call: Call[ResultT]) -> ResultT:
        """Run a call as `DatabaseFile.write` does. Raises `Unavailable` for a file that was replaced."""
        return await self._database.write(self._checked(call))

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value, None if there is none."""
        return await self.read(lambda connection: self.meta_value(connection, key))

    async def set_meta(self, key: str, value: str, *, if_absent: bool) -> str:
        """Store a meta value and return the one now in effect."""

        def keep(connection: sqlite3.Connection) -> str:
            connection.execute(_KEEP_META if if_absent else _SET_META, (self.namespace, key, value))
            return self.meta_value(connection, key) or value

        return await self.write(keep)

    def meta_value(self, connection: sqlite3.Connection, key: str) -> str | None:
        """Return a meta value inside a call, None if there is none."""
        row: tuple[str] | None = connection.execute(_GET_META, (self.namespace, key)).fetchone()
        return None if row is None else row[0]

    def _checked(self, call: Call[ResultT]) -> Call[ResultT]:
        def checked(connection: sqlite3.Connection) -> ResultT:
            if self._database.incarnation != self.incarnation:
                raise errors.replaced_error(self._database.path)
            return call(connection)

        return checked


def _used_pages(connection: sqlite3.Connection) -> int:
    return scalar(connection, "PRAGMA page_count") - scalar(connection, "PRAGMA freelist_count")
