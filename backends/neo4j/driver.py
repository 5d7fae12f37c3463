"""What we need of the driver, typed: its own functions take their options as anything."""

from typing import Protocol, cast

from neo4j import AsyncGraphDatabase, AsyncSession


class Driver(Protocol):
    """A pool of connections to a server."""

    def session(self, *, database: str, fetch_size: int) -> AsyncSession:
        """Return a session on a database; with `fetch_size` -1 results come whole."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class _Factory(Protocol):
    def driver(self, uri: str, /, *, auth: tuple[str, str], **options: float | str | bool) -> Driver: ...


def connect(uri: str, auth: tuple[str, str], **options: float | str | bool) -> Driver:
    """Return a driver, which connects when it is first used. Raises the driver's `ConfigurationError` and `ValueError`."""
    return cast("_Factory", AsyncGraphDatabase).driver(uri, auth=auth, **options)
