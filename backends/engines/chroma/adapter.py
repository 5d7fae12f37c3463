"""The Chroma adapter: connects to a server, or opens a folder that only this process may use."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel

from backends.engines.chroma.collections import Collections
from backends.engines.chroma.embedded import EmbeddedEngine
from backends.engines.chroma.files import own_files
from backends.engines.chroma.server import Server
from backends.engines.chroma.settings import ChromaSettings
from backends.engines.chroma.vectors import ChromaVectors
from backends.engines.chroma.write_probe import probe_writes
from backends.engines.chroma.writes import WriteQueue
from backends.kit.file_lock import acquire
from backends.kit.lifecycle import open_or_close
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace


class ChromaEngine(Engine):
    """An open folder or a server."""

    def __init__(self, access: EmbeddedEngine | Server, where: str, settings: ChromaSettings) -> None:
        self._access = access
        self._where = where
        self._space = settings.space
        self._timeout_s = settings.timeout_s
        self._write_queue = WriteQueue()
        self._collections: Collections | None = None
        self._opening = anyio.Lock()

    async def open(self) -> None:
        """Connect. Raises what `Adapter.open` raises."""
        await self.collections()

    async def collections(self) -> Collections:
        """Return the collections. A folder that was removed or replaced since the last call is opened again.

        Raises what `Adapter.open` raises.
        """
        if self._collections is not None and not self._access.lost:
            return self._collections
        async with self._opening:
            if self._collections is None or self._access.lost:
                self._collections = Collections(await self._access.open(), self._space)
            return self._collections

    async def vectors(self, namespace: Namespace) -> ChromaVectors:
        """Return the vectors of a namespace. Nothing is read or created."""
        written_at_once = self._access.written_at_once
        return ChromaVectors(self.collections, self._write_queue, namespace, written_at_once=written_at_once)

    async def verify(self) -> None:
        """Read everything in a folder, then write to a copy. A server is not verified. Raises `Unusable`."""
        if isinstance(self._access, EmbeddedEngine):
            await self._access.verify()
            await probe_writes(self._access.path, self._timeout_s)

    async def health(self) -> Health:
        """Report whether the engine returns its version."""
        try:
            versions = await self._access.versions()
        except StoreError as error:
            return Health(ok=False, detail=str(error))
        return Health(ok=True, detail=f"{self._where} answers", versions=versions)

    async def out_of_space(self) -> str | None:
        """Return a sentence if the disk under an embedded folder has no room for a write."""
        return self._access.out_of_space() if isinstance(self._access, EmbeddedEngine) else None

    async def close(self) -> None:
        """Wait for running writes and close the connection."""
        await self._write_queue.drain()
        await self._access.close()


class ChromaAdapter:
    """Vectors in Chroma. The adapter itself ranks by keyword and compares revisions, the latter within one process."""

    name: Final = "chroma"
    capabilities: Final = Capabilities(
        ports=frozenset({"vectors"}),
        durable="process",
        processes="one",
        conditional_writes=False,
        exact_dense=False,
    )
    settings: type[BaseModel] = ChromaSettings

    def capabilities_with(self, options: Mapping[str, Json]) -> Capabilities:
        """Return the capabilities: a server admits several processes, a folder one."""
        served = parse_options(ChromaSettings, options).uri is not None
        return replace(self.capabilities, processes="many") if served else self.capabilities

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the engine's files in an existing folder; none of a server."""
        settings = parse_options(ChromaSettings, options)
        return own_files(directory / settings.directory) if settings.uri is None else ()

    async def open(self, options: Mapping[str, Json], directory: Path) -> ChromaEngine:
        """Connect to the server that the options name, or open the folder relative to `directory`."""
        settings = parse_options(ChromaSettings, options)
        return await open_or_close(_engine(settings, directory / settings.directory))


def _engine(settings: ChromaSettings, path: Path) -> ChromaEngine:
    if settings.uri is not None:
        return ChromaEngine(Server(settings), f"the server at {settings.uri}", settings)
    return ChromaEngine(EmbeddedEngine(path, settings.timeout_s, acquire(path)), f"the folder {path}", settings)


ADAPTER: Final = ChromaAdapter()
