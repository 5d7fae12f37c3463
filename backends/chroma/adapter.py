"""The Chroma adapter: connects to a server, or opens a folder for this process alone."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel

from backends.chroma.collections import Collections
from backends.chroma.embedded import Embedded
from backends.chroma.files import own_files
from backends.chroma.server import Server
from backends.chroma.settings import ChromaSettings
from backends.chroma.store import ChromaVectors
from backends.chroma.turns import Turns
from backends.holding import hold
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace


class ChromaEngine(Engine):
    """An open folder or a server."""

    def __init__(self, access: Embedded | Server, where: str, space: str) -> None:
        self._access = access
        self._where = where
        self._space = space
        self._turns = Turns()
        self._collections: Collections | None = None
        self._opening = anyio.Lock()

    async def collections(self) -> Collections:
        """Return the collections there are, of a folder that was lost since its last use those of a new one.

        Raises what `Adapter.open` says.
        """
        if self._collections is not None and not self._access.lost:
            return self._collections
        async with self._opening:
            if self._collections is None or self._access.lost:
                self._collections = Collections(await self._access.open(), self._space)
            return self._collections

    async def vectors(self, namespace: Namespace) -> ChromaVectors:
        """Return the vectors of a namespace; nothing is read or made."""
        written_at_once = self._access.written_at_once
        return ChromaVectors(self.collections, self._turns, namespace, written_at_once=written_at_once)

    async def examine(self) -> None:
        """Read all that a folder holds; what a server keeps is its own matter. Raises `Unusable`."""
        if isinstance(self._access, Embedded):
            await self._access.examine()

    async def health(self) -> Health:
        """Ask for a sign of life."""
        try:
            versions = await self._access.versions()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        return Health(ok=True, detail=f"{self._where} answers", versions=versions)

    async def close(self) -> None:
        """Let writes end, then let go."""
        await self._turns.finish()
        await self._access.close()


class ChromaAdapter:
    """Vectors in Chroma. Its order by words is ours, and so is the guard of revisions, within one process."""

    name: Final = "chroma"
    capabilities: Final = Capabilities(
        ports=frozenset({"vectors"}),
        durable="process",
        processes="one",
        conditional_writes=False,
        exact_dense=False,
        ranked_keyword=False,
        max_batch=500,
    )
    settings: type[BaseModel] = ChromaSettings

    def capabilities_with(self, options: Mapping[str, Json]) -> Capabilities:
        """Return that a server admits several processes, a folder one."""
        served = parse_options(ChromaSettings, options).uri is not None
        return replace(self.capabilities, processes="many") if served else self.capabilities

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the engine's files in a folder that is there, none of a server."""
        settings = parse_options(ChromaSettings, options)
        return own_files(directory / settings.directory) if settings.uri is None else ()

    async def open(self, options: Mapping[str, Json], directory: Path) -> ChromaEngine:
        """Connect to the server that the options name, or open the folder relative to `directory`."""
        settings = parse_options(ChromaSettings, options)
        engine = _engine(settings, directory / settings.directory)
        try:
            await engine.collections()
        except BaseException:
            await engine.close()
            raise
        return engine


def _engine(settings: ChromaSettings, path: Path) -> ChromaEngine:
    if settings.uri is not None:
        return ChromaEngine(Server(settings), f"the server at {settings.uri}", settings.space)
    return ChromaEngine(Embedded(path, settings.timeout_s, hold(path)), f"the folder {path}", settings.space)


ADAPTER: Final = ChromaAdapter()
