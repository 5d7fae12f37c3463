"""The LanceDB adapter: opens a folder or an object store prefix of tables and hands out the vectors in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

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
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors


class LancedbEngine(Engine):
    """The open tables of one space."""

    def __init__(self, connection: Connection, calls: Calls, settings: LancedbSettings) -> None:
        self._connection = connection
        self._calls = calls
        self._settings = settings
        self._collections = Collections(connection, calls, index_from=settings.index_from, remote=settings.remote)
        self._meta = MetaTable(connection, calls)
        self._closed = False

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Nothing is read or created."""
        return LanceVectors(self._collections, Meta(self._meta, namespace), namespace)

    async def verify(self) -> None:
        """Verify the tables of a folder in a copy; those in an object store are not verified. Raises `Unusable`."""
        if not self._settings.remote:
            await verify(self._calls.place, self._settings)

    async def health(self) -> Health:
        """Report whether listing tables succeeds."""
        versions = {"lancedb": LANCE.__version__}
        if self._closed:
            return Health(ok=False, detail=f"{self._calls.place} is closed", versions=versions)
        try:
            await self._calls.run(self._connection.list_tables(limit=1))
        except StoreError as error:
            return Health(ok=False, detail=str(error), versions=versions)
        return Health(ok=True, detail=f"{self._calls.place} answers", versions=versions)

    async def close(self) -> None:
        """Stop background work and release the tables."""
        if not self._closed:
            self._closed = True
            await self._collections.close()
            self._calls.close()


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
        return own_tables(_place(parse_options(LancedbSettings, options), directory))

    async def open(self, options: Mapping[str, Json], directory: Path) -> LancedbEngine:
        """Open the space. A missing folder is created."""
        settings = parse_options(LancedbSettings, options)
        place = _place(settings, directory)
        calls = Calls(place, settings.timeout_s, None if settings.remote else OpenedPath(Path(place)))
        connecting = LANCE.connect_async(place, storage_options=settings.storage_options())
        return LancedbEngine(await calls.run(connecting), calls, settings)


def _place(settings: LancedbSettings, directory: Path) -> str:
    base = settings.uri.rstrip("/") if settings.remote else str((directory / settings.uri).resolve())
    return f"{base}/{settings.space}"


ADAPTER: Final = LancedbAdapter()
