"""The adapter: graphs live as long as the process, each directory's apart; one engine may have a directory open."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import AlreadyOpen, Unavailable
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace

from .graph import MemoryGraph
from .state import State

_GRAPHS: dict[Path, dict[Namespace, State]] = {}
_OPEN: set[Path] = set()


class MemorySettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MemoryEngine(Engine):
    def __init__(self, directory: Path) -> None:
        if directory in _OPEN:
            raise AlreadyOpen(f"{directory} is open")
        _OPEN.add(directory)
        self._directory = directory
        self._open = True

    async def graph(self, namespace: Namespace) -> MemoryGraph:
        if not self._open:
            raise Unavailable("the graph is closed")
        return MemoryGraph(_GRAPHS.setdefault(self._directory, {}).setdefault(namespace, State()))

    async def health(self) -> Health:
        return Health(self._open, "in memory" if self._open else "closed", {"memgraph": "1.0"})

    async def close(self) -> None:
        if self._open:
            self._open = False
            _OPEN.discard(self._directory)


class MemoryAdapter:
    name = "memgraph"
    capabilities = Capabilities(ports=frozenset({"graph"}), durable="none", conditional_writes=True)
    settings = MemorySettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> MemoryEngine:
        parse_options(MemorySettings, options)
        return MemoryEngine(directory.resolve())


ADAPTER = MemoryAdapter()
