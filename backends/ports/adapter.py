"""Adapters: a name, capabilities, settings and a way to open an engine."""

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
    """Whether an open engine answers, with a sentence for the operator. If it does, `versions` has at least one entry."""

    ok: bool
    detail: str
    versions: Mapping[str, str] = field(default_factory=dict[str, str])


class Engine(ABC):
    """An open engine. It hands out the ports that its adapter offers; any other raises `Unsupported`.

    `backends.stores` wraps it, so that each port sees valid arguments only (`backends.ports.checked`).
    """

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace; it is created on first use."""
        raise Unsupported(f"{type(self).__name__} offers no graph")

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace; they are created on first use."""
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

    async def verify(self) -> None:
        """Read all stored data, without a time limit, and look for damage that calls have not hit yet.

        Raises `Unusable` for damage. Does nothing if the engine cannot verify its data.
        """
        return

    async def out_of_space(self) -> str | None:
        """Return a sentence if there is no space left to write, otherwise None. Called often: cheap, and raises nothing.

        Returns None if the engine cannot know it. The disk under the files of an `AdapterOverFiles` is checked anyway.
        """
        return None

    @abstractmethod
    async def health(self) -> Health:
        """Ask the engine whether it answers. Raises nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Finish running calls and close files and connections; repeatable."""


class Adapter(Protocol):
    """An engine that can be chosen by name in a profile; importing it imports its driver."""

    @property
    def name(self) -> str:
        """The `kind` in a profile's `[stores.*]` table."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do with any options."""
        ...

    @property
    def settings(self) -> type[BaseModel]:
        """The model of its `[stores.*]` table, `kind` left out."""
        ...

    async def open(self, options: Mapping[str, Json], directory: Path) -> Engine:
        """Open the engine with the options of its table; `directory` is the data directory.

        Raises `InvalidInput` for a wrong option (`backends.ports.options` does that), `Unavailable` if the engine does not
        answer, `Unusable` if its data must not be used as they are, `AlreadyOpen` if an engine for one process is open
        elsewhere. Nothing is overwritten. The message names the cause and the remedy.
        """
        ...


@runtime_checkable
class AdapterWithModes(Protocol):
    """An adapter whose options extend what the engine can do, such as a server instead of a folder."""

    def capabilities_with(self, options: Mapping[str, Json]) -> Capabilities:
        """Return what the engine can do when it is opened with these options. Raises `InvalidInput` for a wrong option."""
        ...


@runtime_checkable
class AdapterOverFiles(Protocol):
    """An adapter whose driver may crash on damaged files: `verify` runs in a separate process."""

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the engine's own files, existing or not; none for a server. Without them the engine opens empty.

        They contain nothing that cannot be rebuilt from the event log. Messages name the store by the first one.
        Raises `InvalidInput` for a wrong option.
        """
        ...


@runtime_checkable
class AdapterWithSeveralFiles(Protocol):
    """An adapter with several files, some of which may be missing: opened read-only, it creates none of them."""

    async def open_read_only(self, options: Mapping[str, Json], directory: Path, scratch: Path) -> Engine:
        """Open the files in `directory` as `open` does; create missing ones in `scratch`, which the caller removes.

        Raises what `open` raises.
        """
        ...


@runtime_checkable
class AdapterWithDrivers(Protocol):
    """An adapter that chooses between drivers of which a process can load only one."""

    def driver(self, options: Mapping[str, Json]) -> str:
        """Return the driver that these options choose, without loading it. Raises `InvalidInput` for a wrong option."""
        ...


def capabilities_with(adapter: Adapter, options: Mapping[str, Json]) -> Capabilities:
    """Return what an adapter's engine can do when it is opened with these options. Raises `InvalidInput`."""
    return adapter.capabilities_with(options) if isinstance(adapter, AdapterWithModes) else adapter.capabilities


class Stores(Protocol):
    """The stores of one toolset, as its profile names them. A call opens a store that is not open yet.

    Every method raises `Unavailable` while its engine is down, and works again once the engine is back.
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
        """Return the toolset's language model, None if the configuration names none."""
        ...
