"""The LanceDB adapter: opens a folder or an object store prefix of tables and hands out the vectors in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel

from backends.engines.lancedb.collections import Collections
from backends.engines.lancedb.connection import Calls
from backends.engines.lancedb.driver import LANCE, Connection
from backends.engines.lancedb.errors import own_tables
from backends.engines.lancedb.meta import Meta, MetaTable
from backends.engines.lancedb.settings import LancedbSettings
from backends.engines.lancedb.vectors import LanceVectors
from backends.engines.lancedb.verify import verify
from backends.kit.file_identity import OpenedPath
from backends.kit.lifecycle import open_or_close
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError, Unavailable
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors


@dataclass(frozen=True, slots=True)
class _Space:
    """The open tables of a folder or prefix. They are of no use once the folder was removed or replaced."""

    connection: Connection
    calls: Calls
    collections: Collections
    meta: MetaTable

    async def close(self) -> None:
        """Stop background work and release the tables."""
        await self.collections.close()
        self.calls.close()


class LancedbEngine(Engine):
    """One space, opened again after its folder was removed or replaced."""

    def __init__(self, location: str, settings: LancedbSettings) -> None:
        self._location = location
        self._settings = settings
        self._space: _Space | None = None
        self._opening = anyio.Lock()
        self._closed = False

    async def open(self) -> None:
        """Open the space. A missing folder is created. Raises what `Adapter.open` raises."""
        await self._opened()

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Nothing is read or created in it.

        Those returned earlier raise `Unavailable` once the folder was removed or replaced.
        """
        space = await self._opened()
        return LanceVectors(space.collections, Meta(space.meta, namespace), namespace)

    async def verify(self) -> None:
        """Verify the tables of a folder in a copy; those in an object store are not verified. Raises `Unusable`."""
        if not self._settings.remote:
            await verify(self._location, self._settings)

    async def health(self) -> Health:
        """Report whether listing tables succeeds."""
        versions = {"lancedb": LANCE.__version__}
        try:
            space = await self._opened()
            await space.calls.run(space.connection.list_tables(limit=1))
        except StoreError as error:
            return Health(ok=False, detail=str(error), versions=versions)
        return Health(ok=True, detail=f"{self._location} answers", versions=versions)

    async def close(self) -> None:
        """Stop background work and release the tables."""
        async with self._opening:
            self._closed = True
            await self._close()

    async def _opened(self) -> _Space:
        async with self._opening:
            if self._closed:
                raise Unavailable(f"{self._location} is closed")
            if self._space is not None and not self._space.calls.lost:
                return self._space
            await self._close()
            self._space = await self._open()
            return self._space

    async def _open(self) -> _Space:
        settings = self._settings
        # A new connection, too: it caches what it has read.
        connecting = LANCE.connect_async(self._location, storage_options=settings.storage_options())
        connection = await Calls(self._location, settings.timeout_s).run(connecting)
        folder = None if settings.remote else OpenedPath(Path(self._location))
        if folder is not None:
            try:
                folder.remember()
            except OSError as error:
                raise Unavailable(f"{self._location} cannot be reached: {error}") from error
        calls = Calls(self._location, settings.timeout_s, folder)
        collections = Collections(connection, calls, index_from=settings.index_from, remote=settings.remote)
        return _Space(connection, calls, collections, MetaTable(connection, calls))

    async def _close(self) -> None:
        space, self._space = self._space, None
        if space is not None:
            await space.close()


class LancedbAdapter:
    """Vectors in a folder or in an object store, for collections that are larger than memory."""

    name: Final = "lancedb"
    capabilities: Final = Capabilities(
        ports=frozenset({"vectors"}),
        durable="process",
        processes="many",
        conditional_writes=True,
        exact_dense=False,
    )
    settings: type[BaseModel] = LancedbSettings

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the tables of a folder; none of an object store, whose files are not moved."""
        return own_tables(_location(parse_options(LancedbSettings, options), directory))

    async def open(self, options: Mapping[str, Json], directory: Path) -> LancedbEngine:
        """Open the space. A missing folder is created."""
        settings = parse_options(LancedbSettings, options)
        return await open_or_close(LancedbEngine(_location(settings, directory), settings))


def _location(settings: LancedbSettings, directory: Path) -> str:
    base = settings.uri.rstrip("/") if settings.remote else str((directory / settings.uri).resolve())
    return f"{base}/{settings.space}"


ADAPTER: Final = LancedbAdapter()
