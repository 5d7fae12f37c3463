"""A connection pool. Every call has a time limit, is retried if that is safe, and raises the ports' errors."""

import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Final, LiteralString, Protocol, TypeAlias, TypeVar, cast

import anyio
from neo4j import AsyncGraphDatabase, AsyncSession, AsyncTransaction, Query
from neo4j.exceptions import DriverError, Neo4jError

from backends.engines.neo4j.errors import ChangedWhileRead, is_gone, is_passing, is_refusal, translate
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.errors import StoreError, Timeout, Unavailable

Values: TypeAlias = Mapping[str, object]
ResultT = TypeVar("ResultT")
RowT = TypeVar("RowT")

_CONNECT_S: Final = 5.0
"""A server that runs accepts a connection at once; one that is down is reported well before a tool's deadline."""
_FIRST_PAUSE_S: Final = 0.01
"""Most repeated calls lost a race with a transaction that takes milliseconds."""
_LONGEST_PAUSE_S: Final = 1.0
"""So late at most a call notices that a server is back."""
REFUSED_S: Final = 10.0
"""How long calls get the error of a refused login without another one. After three, Neo4j locks a user for five seconds."""


class Driver(Protocol):
    """A pool of connections to a server."""

    def session(self, *, database: str, fetch_size: int) -> AsyncSession:
        """Return a session on a database. With `fetch_size` -1 results are fetched completely."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class _Factory(Protocol):
    def driver(self, uri: str, /, *, auth: tuple[str, str], **options: float | str | bool) -> Driver: ...


def connect(uri: str, auth: tuple[str, str], **options: float | str | bool) -> Driver:
    """Return a driver, which connects on first use. Raises the driver's `ConfigurationError` and `ValueError`."""
    return cast("_Factory", AsyncGraphDatabase).driver(uri, auth=auth, **options)


def pair(first: str, second: str) -> tuple[str, str]:
    """Return a row of two texts as a tuple."""
    return first, second


def counted(name: str, count: int) -> tuple[str, int]:
    """Return a row of a text and a number as a tuple."""
    return name, count


def _parameters(values: Values) -> dict[str, object]:
    # The server plans a statement again for each combination of parameter types and sizes. A single map avoids that.
    return {"v": dict(values)}


class Statements:
    """The statements of one transaction."""

    def __init__(self, transaction: AsyncTransaction) -> None:
        self._transaction = transaction

    async def run(self, query: str, values: Values, parse: Callable[..., RowT]) -> list[RowT]:
        """Run a statement and return its rows, each converted by calling `parse` with its columns."""
        result = await self._transaction.run(cast("LiteralString", query), _parameters(values))
        return [parse(*row) for row in await result.values()]


class Connection:
    """A database on a server."""

    def __init__(self, settings: Neo4jSettings) -> None:
        self.settings = settings
        self._driver: Driver | None = None
        self._opening = False
        self._refusal: StoreError | None = None
        self._login_again_at = 0.0
        self.version: tuple[int, ...] = ()
        """The first two numbers of the server's version; empty until it is known."""

    @contextmanager
    def opening(self) -> Generator[None]:
        """Within this context a refusal by the server is attributed to the options."""
        self._opening = True
        try:
            yield
        finally:
            self._opening = False

    def start(self) -> None:
        """Create the driver. It does not connect yet."""
        chosen = self.settings
        self._driver = connect(
            chosen.uri,
            (chosen.user, chosen.password.get_secret_value()),
            max_connection_pool_size=chosen.pool_size,
            connection_timeout=min(_CONNECT_S, chosen.timeout_s),
            connection_acquisition_timeout=chosen.timeout_s,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )

    async def close(self) -> None:
        """Close all connections. Repeatable."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    async def run(
        self, query: str, values: Values, parse: Callable[..., RowT], *, timeout_s: float | None = None
    ) -> list[RowT]:
        """Run one statement in its own transaction and return its rows, each converted by calling `parse` with its columns.

        The statement refers to its values as the map `$v`. It must be idempotent, because it is repeated after a
        broken connection.
        """
        bound = timeout_s or self.settings.timeout_s
        statement = Query(cast("LiteralString", query), timeout=bound)

        async def attempt(driver: Driver) -> list[RowT]:
            async with driver.session(database=self.settings.database, fetch_size=-1) as session:
                result = await session.run(statement, _parameters(values))
                return [parse(*row) for row in await result.values()]

        return await self._repeated(attempt, bound)

    async def transaction(
        self, work: Callable[[Statements], Awaitable[ResultT]], *, timeout_s: float | None = None
    ) -> ResultT:
        """Run `work` in one transaction and commit it. `work` may be repeated from the start."""
        bound = timeout_s or self.settings.timeout_s

        async def attempt(driver: Driver) -> ResultT:
            async with (
                driver.session(database=self.settings.database, fetch_size=-1) as session,
                await session.begin_transaction(timeout=bound) as transaction,
            ):
                done = await work(Statements(transaction))
                await transaction.commit()
                return done

        return await self._repeated(attempt, bound)

    async def _repeated(self, attempt: Callable[[Driver], Awaitable[ResultT]], bound: float) -> ResultT:
        self._check_refused()
        async with self._translated(bound):
            pause = _FIRST_PAUSE_S
            reconnected = False
            while True:
                try:
                    done = await attempt(self._opened())
                except ChangedWhileRead:
                    pass  # read again after the pause; the deletion is committed by then
                except (Neo4jError, DriverError) as error:
                    # A pooled connection may be stale. If a second one fails as well, the server is down.
                    if is_gone(error) and not reconnected:
                        reconnected = True
                    elif not is_passing(error):
                        raise
                else:
                    self._refusal = None
                    return done
                await anyio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 -- jitter, so that conflicting transactions do not collide again
                pause = min(pause * 2, _LONGEST_PAUSE_S)

    def _check_refused(self) -> None:
        """Raise the error of a recent refusal. One call every `REFUSED_S` tries to log in again."""
        if self._refusal is None:
            return
        if time.monotonic() < self._login_again_at:
            raise self._refusal
        self._login_again_at = time.monotonic() + REFUSED_S

    def _opened(self) -> Driver:
        if self._driver is None:
            raise Unavailable(f"the connection to Neo4j at {self.settings.uri} is closed")
        return self._driver

    @asynccontextmanager
    async def _translated(self, bound: float) -> AsyncGenerator[None]:
        try:
            with anyio.fail_after(bound):
                yield
        except TimeoutError as error:
            raise Timeout(f"Neo4j at {self.settings.uri} did not answer within {bound:g} s") from error
        except (Neo4jError, DriverError) as error:
            problem = translate(error, self.settings, opening=self._opening)
            if is_refusal(error):
                # Calls concurrent with a refused one fail because the user is locked, which is a consequence of that refusal.
                problem = self._refusal = problem if self._refusal is None or not problem.retryable else self._refusal
                self._login_again_at = time.monotonic() + REFUSED_S
            raise problem from error
