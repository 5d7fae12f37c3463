"""Connections to one server: opened by the call that needs one, kept while they work, with a bounded wait.

A call therefore reports at once, with the reason, that the server is down, and the next call works once it is back.
"""

import asyncio
import select
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from backends.engines.postgres.errors import refusal, translate
from backends.engines.postgres.settings import PostgresSettings
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable

Connection: TypeAlias = psycopg.AsyncConnection[TupleRow]

# These override the defaults of the database and the user: an append is safe only if each statement sees all earlier
# commits, and durable only with a synchronous commit. JIT compilation costs more than these statements take.
_SESSION: Final = """
SELECT set_config('search_path', %(space)s, false),
       set_config('statement_timeout', %(timeout)s, false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                  ELSE current_setting('synchronous_commit') END, false),
       set_config('jit', 'off', false)
"""

# A connection that only listens would never notice that the server is gone.
_DEFAULTS: Final = {
    "application_name": "entrepot",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}


class ConnectionPool:
    """The connections to one space on one server."""

    def __init__(self, settings: PostgresSettings) -> None:
        secret = {} if settings.password is None else {"password": settings.password.get_secret_value()}
        uri = settings.uri.get_secret_value()
        try:
            named = conninfo_to_dict(uri, **secret)
        except psycopg.Error:
            raise InvalidInput("option uri: not a PostgreSQL URI such as postgresql://user@host:5432/name") from None
        ours = {option: named.get(option, value) for option, value in _DEFAULTS.items()} | {"client_encoding": "UTF8"}
        self._options = make_conninfo(uri, **secret, **ours)
        self.place = f"PostgreSQL at {named.get('host', 'localhost')}:{named.get('port', 5432)}"
        self.space = settings.space
        self._timeout_s = settings.timeout_s
        self._free = asyncio.Semaphore(settings.max_connections)
        self._idle: list[Connection] = []
        self._closed = False

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[Connection]:
        """Yield a connection in autocommit. Raises `Unavailable`, and `Timeout` if the block takes too long."""
        connection = await self._acquire()
        watch = _Watch(connection, self._timeout_s)
        try:
            yield connection
        except psycopg.Error as error:
            if watch.ended:
                raise Timeout(f"{self.place} did not answer within {self._timeout_s:g} seconds") from error
            raise translate(error, self.place) from error
        finally:
            watch.cancel()
            await self._release(connection)

    async def connect(self) -> Connection:
        """Return a new connection, set up for the space; the caller closes it. Raises as `errors.refusal` says."""
        if self._closed:
            raise Unavailable(f"{self.place}: the store is closed")
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._connect()
        except psycopg.Error as error:
            raise refusal(error, self.place) from error
        except TimeoutError:
            raise Unavailable(f"{self.place} did not answer within {self._timeout_s:g} seconds") from None

    async def close(self) -> None:
        """Close idle connections now, and busy ones when they are released; repeatable."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    async def _connect(self) -> Connection:
        connection = await psycopg.AsyncConnection.connect(self._options, autocommit=True)
        try:
            timeout = f"{self._timeout_s * 1_000:.0f}"
            await connection.execute(_SESSION, {"space": self.space, "timeout": timeout})
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _acquire(self) -> Connection:
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._free.acquire()
        except TimeoutError:
            raise Timeout(f"{self.place}: every connection was busy for {self._timeout_s:g} seconds") from None
        try:
            while self._idle:
                connection = self._idle.pop()
                if not _has_ended(connection):
                    return connection
                await connection.close()
            return await self.connect()
        except BaseException as problem:
            self._free.release()
            # The options were right when the store was opened, so this error may be temporary.
            if isinstance(problem, StoreError) and not problem.retryable:
                raise Unavailable(str(problem)) from problem
            raise

    async def _release(self, connection: Connection) -> None:
        try:
            if self._closed or connection.closed or connection.info.transaction_status != 0:
                await connection.close()
            else:
                self._idle.append(connection)
        finally:
            self._free.release()


class _Watch:
    """Shuts the connection down if a call takes too long; that ends the wait for the server."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self.ended = False
        self._connection = connection
        self._timer = asyncio.get_running_loop().call_later(seconds, self._hang_up)

    def cancel(self) -> None:
        self._timer.cancel()

    def _hang_up(self) -> None:
        self.ended = True
        if not self._connection.closed:
            # The driver keeps its descriptor and reads end-of-file, as if the server had closed the connection.
            with socket.socket(fileno=socket.dup(self._connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)


def _has_ended(connection: Connection) -> bool:
    """Return whether the server closed an idle connection; then there is something to read."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
