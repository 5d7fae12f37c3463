"""The adapter of Kuzu and Ladybug: opens the file of a data directory and hands out its graphs."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import BaseModel

from backends.kuzu import schema
from backends.kuzu.database import Database
from backends.kuzu.errors import damaged, own_files
from backends.kuzu.examining import Torn, examine
from backends.kuzu.kinds import Kinds
from backends.kuzu.rewriting import try_writing
from backends.kuzu.settings import KuzuSettings
from backends.kuzu.store import KuzuGraph
from backends.offload import Workers
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError, Timeout, Unavailable
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace

OPEN_TIMEOUT_S: Final = 120.0


class KuzuEngine(Engine):
    """An open file; every namespace is a graph in it."""

    def __init__(self, path: Path, settings: KuzuSettings) -> None:
        self._driver = settings.driver
        self._workers = Workers(settings.driver, threads=1)
        self._database = Database(path, settings)
        self._kinds = Kinds()

    async def open(self) -> None:
        """Open or create the file and learn what it declares."""
        await self._workers.run(partial(self._database.open, self._kinds.load), timeout_s=OPEN_TIMEOUT_S)

    async def graph(self, namespace: Namespace) -> KuzuGraph:
        """Return the graph of a namespace; nothing is read or made."""
        return KuzuGraph(self._database, self._kinds, namespace)

    async def examine(self) -> None:
        """Read every row of the file, then write to a copy, since some damage shows only there. Raises `Unusable`."""
        try:
            await examine(self._database, self._kinds)
            with TemporaryDirectory() as folder:
                await try_writing(self._database.copied(Path(folder)))
        # Over some damaged pages the driver turns for ever.
        except (Torn, Timeout, ValueError) as problem:
            raise damaged(self._database.path, f"is damaged ({problem})") from problem

    async def health(self) -> Health:
        """Read something from the file."""
        try:
            version = await self._database.read(schema.version)
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        versions = {self._driver: self._database.version, self._database.path.name: f"schema {version}"}
        return Health(ok=True, detail=f"{self._database.path} answers", versions=versions)

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        try:
            await self._workers.run(self._database.close, timeout_s=OPEN_TIMEOUT_S)
        except (Unavailable, Timeout):  # closed before, or still at work: its threads end by themselves
            return
        self._workers.close()


class KuzuAdapter:
    """The embedded graph databases Kuzu and Ladybug: one file, one process, the engine finds paths itself."""

    name: Final = "kuzu"
    capabilities: Final = Capabilities(
        ports=frozenset({"graph"}),
        durable="fsync",
        processes="one",
        conditional_writes=True,
        native_paths=True,
    )
    settings: type[BaseModel] = KuzuSettings

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the file, and what lies beside it."""
        return own_files(directory / parse_options(KuzuSettings, options).file)

    async def open(self, options: Mapping[str, Json], directory: Path) -> KuzuEngine:
        """Open the file that the options name in `directory`."""
        settings = parse_options(KuzuSettings, options)
        engine = KuzuEngine(directory / settings.file, settings)
        try:
            await engine.open()
        except BaseException:
            await engine.close()
            raise
        return engine


ADAPTER: Final = KuzuAdapter()
