"""The LanceDB adapter: opens a folder or a bucket of tables and hands out the vectors in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from backends.lancedb.driver import LANCE, Connection
from backends.lancedb.errors import Calls, damaged, own_tables
from backends.lancedb.examining import examine
from backends.lancedb.notes import Notes, NoteTable
from backends.lancedb.settings import LancedbSettings
from backends.lancedb.store import LanceVectors
from backends.lancedb.tables import Tables
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import NotFound, StoreError
from backends.ports.ids import namespace
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors


class LancedbEngine(Engine):
    """The tables of one space."""

    def __init__(self, connection: Connection, calls: Calls, settings: LancedbSettings) -> None:
        self._connection = connection
        self._calls = calls
        self._tables = Tables(connection, calls, index_from=settings.index_from, remote=settings.remote)
        self._notes = NoteTable(connection, calls)
        self._closed = False

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace; nothing is read or made."""
        return LanceVectors(self._tables, Notes(self._notes, namespace), namespace)

    async def examine(self) -> None:
        """Read all tables of a folder; what an object store has is its own matter. Raises `Unusable`."""
        for table in own_tables(self._calls.place):
            space, _, name = table.stem.partition(".")
            try:
                if name:
                    await examine(
                        LanceVectors(self._tables, Notes(self._notes, namespace(space)), namespace(space)), name
                    )
                else:
                    await self._notes.get(space)
            except (NotFound, ValueError) as problem:
                raise damaged(self._calls.place, str(problem)) from problem

    async def health(self) -> Health:
        """List a table."""
        versions = {"lancedb": LANCE.__version__}
        if self._closed:
            return Health(ok=False, detail=f"{self._calls.place} is closed", versions=versions)
        try:
            await self._calls.run(self._connection.list_tables(limit=1))
        except StoreError as error:
            return Health(ok=False, detail=str(error), versions=versions)
        return Health(ok=True, detail=f"{self._calls.place} answers", versions=versions)

    async def close(self) -> None:
        """End what runs in the background and let go."""
        if not self._closed:
            self._closed = True
            await self._tables.close()


class LancedbAdapter:
    """Vectors in a folder or on object storage, for collections that outgrow the memory."""

    name: Final = "lancedb"
    capabilities: Final = Capabilities(
        ports=frozenset({"vectors"}),
        durable="process",
        processes="many",
        conditional_writes=True,
        exact_dense=False,
        ranked_keyword=True,
    )
    settings: type[BaseModel] = LancedbSettings

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the tables of a folder; what an object store has is not moved."""
        return own_tables(_place(parse_options(LancedbSettings, options), directory))

    async def open(self, options: Mapping[str, Json], directory: Path) -> LancedbEngine:
        """Open the space, made if it is a folder that is not there."""
        settings = parse_options(LancedbSettings, options)
        place = _place(settings, directory)
        calls = Calls(place, settings.timeout_s)
        connecting = LANCE.connect_async(place, storage_options=settings.storage_options())
        return LancedbEngine(await calls.run(connecting), calls, settings)


def _place(settings: LancedbSettings, directory: Path) -> str:
    base = settings.uri.rstrip("/") if settings.remote else str((directory / settings.uri).resolve())
    return f"{base}/{settings.space}"


ADAPTER: Final = LancedbAdapter()
