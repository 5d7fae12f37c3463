"""What an engine's adapter is: a name, capabilities and a way to open it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import BaseModel

from backends.ports.capabilities import Capabilities
from backends.ports.embedder import Embedder
from backends.ports.errors import Unsupported
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Health:
    """Whether an open engine answers, in words for the operator; while it does, with the versions it runs, at least one."""

    ok: bool
    detail: str
    versions: Mapping[str, str] = field(default_factory=dict[str, str])


class Engine(ABC):
    """An open engine. It hands out the ports its adapter offers; asking for another one raises `Unsupported`."""

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace, made on first use."""
        raise Unsupported(f"{type(self).__name__} offers no graph")

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace, made on first use."""
        raise Unsupported(f"{type(self).__name__} offers no vectors")

    async def events(self) -> EventLog:
        """Return the event log."""
        raise Unsupported(f"{type(self).__name__} offers no event log")

    async def embedder(self) -> Embedder:
        """Return the embedder."""
        raise Unsupported(f"{type(self).__name__} offers no embedder")

    async def language(self) -> LanguageModel:
        """Return the language model."""
        raise Unsupported(f"{type(self).__name__} offers no language model")

    async def examine(self) -> None:
        """Read all that is stored, from end to end, for damage that no call has met yet, however long it takes.

        Raises `Unusable`. Does nothing where the engine has no such look.
        """
        return

    @abstractmethod
    async def health(self) -> Health:
        """Ask the engine whether it answers. Raises nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what is under way and let go of files and connections; repeatable."""


class Adapter(Protocol):
    """An engine that can be chosen by name in a profile; importing it imports its driver."""

    @property
    def name(self) -> str:
        """The `kind` in a profile's `[stores.*]` table."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do, however it is set up."""
        ...

    @property
    def settings(self) -> type[BaseModel]:
        """The model of its `[stores.*]` table, `kind` left out."""
        ...

    async def open(self, options: Mapping[str, Json], directory: Path) -> Engine:
        """Open the engine with the options of its table; `directory` is the data directory.

        Raises `InvalidInput` for an option that is wrong (`backends.ports.options` does), `Unavailable` when the engine does not
        answer, `Unusable` when its data must not be used as they are, `AlreadyOpen` where one process
        has it. Nothing is overwritten. The message names the cause and the way out.
        """
        ...


@runtime_checkable
class AdapterWithModes(Protocol):
    """An adapter of which some options let the engine do more, such as a server instead of a folder."""

    def capabilities_with(self, options: Mapping[str, Json]) -> Capabilities:
        """Return what the engine can do when it is opened with these options. Raises `InvalidInput` for a wrong one."""
        ...


@runtime_checkable
class AdapterOverFiles(Protocol):
    """An adapter whose engine may end this process over files that are damaged: they are looked through in another one."""

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the engine's own files, there or not, none for a server: once they are moved away it opens anew.

        They hold nothing but what the event log fills again. The first one names the store. Raises `InvalidInput`.
        """
        ...


@runtime_checkable
class AdapterOfParts(Protocol):
    """An adapter whose engine has several files, of which some may be missing: looked at, none of them is made."""

    async def look(self, options: Mapping[str, Json], directory: Path, spare: Path) -> Engine:
        """Open what is in `directory` as `open` does; what is missing there is made in `spare`, which is thrown away."""
        ...


def capabilities_with(adapter: Adapter, options: Mapping[str, Json]) -> Capabilities:
    """Return what an adapter's engine can do when it is opened with these options. Raises `InvalidInput`."""
    return adapter.capabilities_with(options) if isinstance(adapter, AdapterWithModes) else adapter.capabilities


class Stores(Protocol):
    """The stores of one toolset, as its profile names them. Each call may open what is not open yet.

    Every method raises `Unavailable` while the engine behind it is down; it comes back by itself.
    """

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the toolset's graph in a namespace."""
        ...

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the toolset's vectors in a namespace."""
        ...

    async def events(self) -> EventLog:
        """Return the toolset's event log."""
        ...

    async def embedder(self) -> Embedder:
        """Return the toolset's embedder."""
        ...

    async def language(self) -> LanguageModel | None:
        """Return the toolset's language model; None when the configuration names none, which is no error."""
        ...
