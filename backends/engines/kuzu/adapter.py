"""The adapter of Kuzu and Ladybug: opens one database file and hands out the graphs in it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from backends.engines.kuzu import schema
from backends.engines.kuzu.connection import MIN_FREE_BYTES, DatabaseFile
from backends.engines.kuzu.errors import damaged_error, own_files
from backends.engines.kuzu.graph import KuzuGraph
from backends.engines.kuzu.kinds import Kinds
from backends.engines.kuzu.settings import KuzuSettings
from backends.engines.kuzu.verify import probe_writes, verify
from backends.kit import disk
from backends.kit.lifecycle import open_or_close
from backends.kit.scratch_copy import DamageFound
from backends.kit.threads import Workers
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError, Timeout, Unavailable
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace

OPEN_TIMEOUT_S: Final = 120.0
"""Opening replays the log of a killed process, and closing checkpoints the log: only a stuck disk takes longer."""


class KuzuEngine(Engine):
    """An open file. Each namespace is a graph in it."""

    def __init__(self, path: Path, settings: KuzuSettings) -> None:
        self._driver = settings.driver
        self._workers = Workers(settings.driver, threads=1)
        self._database = DatabaseFile(path, settings)
        self._kinds = Kinds()

    async def open(self) -> None:
        """Open or create the file and load its declarations."""
        await self._workers.run(partial(self._database.open, self._kinds.load), timeout_s=OPEN_TIMEOUT_S)

    async def graph(self, namespace: Namespace) -> KuzuGraph:
        """Return the graph of a namespace. Nothing is read or created."""
        return KuzuGraph(self._database, self._kinds, namespace)

    async def verify(self) -> None:
        """Read every row, then write to a copy, because some damage shows only on writing. Raises `Unusable`."""
        try:
            await verify(self._database, self._kinds)
            await probe_writes(self._database)
        # With some damaged pages the driver never returns, which shows as a timeout here.
        except (DamageFound, Timeout, ValueError) as problem:
            raise damaged_error(self._database.path, f"is damaged ({problem})") from problem

    async def health(self) -> Health:
        """Report whether a read from the file succeeds."""
        try:
            version = await self._database.read(schema.version)
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        versions = {self._driver: self._database.version, self._database.path.name: f"schema {version}"}
        return Health(ok=True, detail=f"{self._database.path} answers", versions=versions)

    async def out_of_space(self) -> str | None:
        """Return a sentence if the disk has no room for a write."""
        return disk.disk_full_problem(self._database.path.parent, min_bytes=MIN_FREE_BYTES)

    async def close(self) -> None:
        """Finish calls in progress and release the file."""
        try:
            await self._workers.run(self._database.close, timeout_s=OPEN_TIMEOUT_S)
        except (Unavailable, Timeout):  # already closed, or still busy: its threads end by themselves
            return
        self._workers.close()


class KuzuAdapter:
    """The embedded graph databases Kuzu and Ladybug: one file, one process, native shortest paths."""

    name: Final = "kuzu"
    capabilities: Final = Capabilities(
        ports=frozenset({"graph"}),
        durable="fsync",
        processes="one",
        conditional_writes=True,
    )
    settings: type[BaseModel] = KuzuSettings

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the database file and the files that belong to it."""
        return own_files(directory / parse_options(KuzuSettings, options).file)

    def driver(self, options: Mapping[str, Json]) -> str:
        """Return the driver."""
        return parse_options(KuzuSettings, options).driver

    async def open(self, options: Mapping[str, Json], directory: Path) -> KuzuEngine:
        """Open the file that the options name, relative to `directory`."""
        settings = parse_options(KuzuSettings, options)
        return await open_or_close(KuzuEngine(directory / settings.file, settings))


ADAPTER: Final = KuzuAdapter()
