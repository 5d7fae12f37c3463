"""The one writing thread of a file. Calls that wait together are committed together."""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, Generic, Protocol, TypeVar

from backends.engines.sqlite.errors import PROBLEMS, Problem, is_busy, is_undecodable
from backends.ports.errors import StoreError, Unavailable

GROUP: Final = 256
"""Calls of one transaction: 256 callers had no higher throughput than 64 when measured."""
BUSY_RETRIES: Final = 2
"""Further attempts where the busy timeout does not apply; more would only delay the error of a file that stays busy."""

ResultT = TypeVar("ResultT")


class File(Protocol):
    """What the writer requires of its file."""

    def connection(self) -> sqlite3.Connection:
        """Return the connection to write with, checked just before use. Raises `StoreError`."""
        ...

    def check_version(self, connection: sqlite3.Connection) -> None:
        """Raise `StoreError` in a transaction that must write nothing."""
        ...

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """Complete a transaction that changed something."""
        ...

    def after_commit(self, connection: sqlite3.Connection) -> None:
        """Called after a commit that changed something. Raises nothing."""
        ...

    def translate(self, error: Problem) -> StoreError:
        """Return the store error for an error in `PROBLEMS`."""
        ...


class Job(Generic[ResultT]):
    """A call for the next transaction. It may run again when its transaction fails, so it must change nothing but the file."""

    def __init__(self, call: Callable[[sqlite3.Connection], ResultT]) -> None:
        self._call = call
        self._result: ResultT | None = None
        self.error: BaseException | None = None
        """The exception of the call itself."""
        self.work: Future[ResultT] = Future()

    def begin(self) -> bool:
        """Return whether a caller still waits for it; from then on it cannot be cancelled. Repeatable while it is true."""
        return self.work.running() or self.work.set_running_or_notify_cancel()

    def run(self, connection: sqlite3.Connection) -> None:
        """Run the call in a savepoint, so that an exception rolls back this job only. Raises `sqlite3.Error`."""
        self.error = None
        connection.execute("SAVEPOINT job")
        try:
            self._result = self._call(connection)
        except sqlite3.Error:
            raise
        # The exception belongs to the caller; this thread must continue for the others.
        except BaseException as error:  # noqa: BLE001
            self.error = error
            connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")

    def settle(self, error: BaseException | None = None) -> None:
        """Give the caller `error`, if it is set, otherwise the result or exception of the call."""
        problem = error or self.error
        if problem is not None:
            self.work.set_exception(problem)
        else:
            self.work.set_result(self._result)  # pyright: ignore[reportArgumentType]  # set by run, of the call's type


class Writer:
    """A thread that commits waiting jobs in groups; a job is acknowledged only after its commit."""

    def __init__(self, name: str, file: File, *, busy_timeout_s: float) -> None:
        """Create the writer of a file whose connections wait `busy_timeout_s` for another process."""
        self._file = file
        self._busy_timeout_s = busy_timeout_s
        self._queue: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._name = name

    def submit(self, call: Callable[[sqlite3.Connection], ResultT]) -> "Future[ResultT]":
        """Queue a call. Raises `Unavailable` after closing."""
        job = Job(call)
        with self._guard:
            if self._closed:
                raise Unavailable(f"{self._name} is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._queue.put(job)  # pyright: ignore[reportArgumentType]  # the queue never looks at the result's type
        return job.work

    def close(self) -> None:
        """Finish the queued jobs and end the thread; repeatable, blocking."""
        with self._guard:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            jobs, last = self._gather(job)
            self._commit(jobs)
            if last:
                return

    def _gather(self, first: Job[object]) -> tuple[list[Job[object]], bool]:
        jobs = [first]
        try:
            while len(jobs) < GROUP:
                job = self._queue.get_nowait()
                if job is None:
                    return jobs, True
                jobs.append(job)
        except Empty:
            pass
        return jobs, False

    def _commit(self, jobs: Sequence[Job[object]]) -> None:
        """Commit the jobs together; if the transaction fails, each alone, so that no job fails because of another."""
        if all(job.work.cancelled() for job in jobs):
            return
        try:
            connection = self._file.connection()
            _begin(connection, self._busy_timeout_s)
            self._checked(connection)
        except (sqlite3.Error, StoreError) as error:
            # No job has run: the file is missing or another process is writing it, and single jobs would fail too.
            self._settle([job for job in jobs if job.begin()], error)
            return
        # Only now: a caller that gave up while another process was writing must not be surprised by its write later.
        jobs = [job for job in jobs if job.begin()]
        problem = self._transact(connection, jobs)
        if problem is None or len(jobs) == 1:
            self._settle(jobs, problem)
        else:
            for job in jobs:
                self._commit([job])

    def _checked(self, connection: sqlite3.Connection) -> None:
        try:
            self._file.check_version(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _transact(self, connection: sqlite3.Connection, jobs: Sequence[Job[object]]) -> sqlite3.Error | None:
        before = connection.total_changes
        try:
            for job in jobs:
                job.run(connection)
            if changed := connection.total_changes != before:
                self._file.before_commit(connection)
            connection.execute("COMMIT")
            if changed:
                self._file.after_commit(connection)
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            return error
        return None

    def _settle(self, jobs: Sequence[Job[object]], problem: sqlite3.Error | StoreError | None) -> None:
        for job in jobs:
            error = problem or job.error
            if isinstance(error, PROBLEMS):
                meaning = self._file.translate(error)
                meaning.__cause__ = None if is_undecodable(error) else error
                job.settle(meaning)
            else:
                job.settle(error)


def _begin(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """Begin a transaction, waiting for another process at most one and a half times the busy timeout."""
    # The busy timeout does not cover every case: another process may be recovering or closing the WAL.
    retry_until = time.monotonic() + busy_timeout_s / 2
    for attempt in range(BUSY_RETRIES + 1):
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if attempt == BUSY_RETRIES or not is_busy(error) or time.monotonic() > retry_until:
                raise
        else:
            return
