"""The stores of a profile: each engine opened once, shared by the toolsets that name it, reopened after an outage."""

import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from backends.ports.adapter import Adapter, AdapterOfParts, AdapterOverFiles, Engine, Health, Stores
from backends.ports.embedder import Embedder
from backends.ports.errors import InvalidInput, StoreError, Unavailable
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors
from backends.registry import load_adapter
from backends.trial import Unexamined, look_through

RETRY_AFTER_S = 1.0
"""How long a failed opening answers for later calls, so that a dead engine is not asked by every call."""


class StoreHouse:
    """All stores of a running gateway, by their name in the configuration."""

    def __init__(self, tables: Mapping[str, Mapping[str, Json]], directory: Path, *, spare: Path | None = None) -> None:
        """Hold the stores of a directory; with `spare` what it lacks is made there, for somebody who only looks."""
        self._openings = {
            name: _Opening(name, table, directory, spare and spare / str(number))
            for number, (name, table) in enumerate(tables.items())
        }

    def stores(
        self,
        *,
        graph: str | None = None,
        vectors: str | None = None,
        events: str | None = None,
        embedder: str | None = None,
        language: str | None = None,
    ) -> Stores:
        """Return one toolset's view; a port without a name raises `InvalidInput` when it is asked for.

        The language model, which is never needed, is None instead.
        """
        return _View(self._engine, graph, vectors, events, embedder, language)

    async def open_all(self) -> None:
        """Open every store that is not open, all at once, then raise a `StoreError`, one that waiting does not mend first."""
        problems: dict[str, StoreError] = {}

        async def open_one(name: str) -> None:
            try:
                await self._openings[name].engine()
            except StoreError as problem:
                problems[name] = problem

        await self._for_each(open_one)
        if problems:
            raise min((problems[name] for name in self._openings if name in problems), key=lambda each: each.retryable)

    async def health(self) -> Mapping[str, Health]:
        """Return how each store is, opening what is not open; all are asked at once. Raises nothing."""
        found: dict[str, Health] = {}

        async def ask(name: str) -> None:
            found[name] = await self._openings[name].health()

        await self._for_each(ask)
        return {name: found[name] for name in self._openings}

    async def examine(self) -> Mapping[str, StoreError]:
        """Let each engine look for damage, opening what is not open; return what is wrong, by the store's name.

        A store that could not be read in another process stays closed: opened here, it might take this one with it.
        """
        found: dict[str, StoreError] = {}
        for name, opening in self._openings.items():
            try:
                await opening.examine()
            except StoreError as problem:
                found[name] = problem
        return found

    async def close(self) -> None:
        """Close every open engine; repeatable."""
        for opening in self._openings.values():
            await opening.close()

    async def _for_each(self, ask: Callable[[str], Coroutine[None, None, None]]) -> None:
        async with anyio.create_task_group() as group:
            for name in self._openings:
                group.start_soon(ask, name)

    async def _engine(self, name: str | None, port: str) -> Engine:
        if name is None:
            raise InvalidInput(f"the configuration names no store for {port}")
        if name not in self._openings:
            raise InvalidInput(f"the configuration has no table [stores.{name}], which {port} names")
        return await self._openings[name].engine()


class _Opening:
    """One store: closed, open, or failed a moment ago."""

    def __init__(self, name: str, table: Mapping[str, Json], directory: Path, spare: Path | None) -> None:
        self._name = name
        self._table = table
        self._directory = directory
        self._spare = spare
        if spare is not None:
            spare.mkdir()
        self._lock = anyio.Lock()
        self._engine: Engine | None = None
        self._failure: StoreError | None = None
        self._retry_at = 0.0

    async def engine(self) -> Engine:
        if self._engine is not None:
            return self._engine
        async with self._lock:
            if self._engine is not None:
                return self._engine
            if self._failure is not None and time.monotonic() < self._retry_at:
                raise self._failure
            try:
                self._engine = await self._open()
            except StoreError as failure:
                self._failure, self._retry_at = failure, time.monotonic() + RETRY_AFTER_S
                raise
            self._failure = None
            return self._engine

    async def examine(self) -> None:
        """Look for damage: in another process where the engine has files that it may fall over. Raises `StoreError`."""
        adapter, options = self._chosen()
        files = adapter.files(options, self._directory) if isinstance(adapter, AdapterOverFiles) else ()
        if not files or self._lacking(adapter, options):
            await (await self.engine()).examine()
            return
        try:
            await look_through(adapter.name, options, self._directory, files)
        except Unexamined:
            raise
        except StoreError as problem:
            self._failure, self._retry_at = problem, math.inf
            raise

    async def health(self) -> Health:
        try:
            found = await (await self.engine()).health()
        except StoreError as failure:
            return Health(ok=False, detail=str(failure))
        made = self._spare is not None and str(self._spare) in found.detail
        return replace(found, detail="nothing is there yet") if made else found

    async def close(self) -> None:
        async with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()

    async def _open(self) -> Engine:
        adapter, options = self._chosen()
        try:
            if self._spare is None:
                return await adapter.open(options, self._directory)
            if isinstance(adapter, AdapterOfParts):
                return await adapter.look(options, self._directory, self._spare)
            return await adapter.open(options, self._spare if self._lacking(adapter, options) else self._directory)
        except InvalidInput as problem:
            raise InvalidInput(f"[stores.{self._name}]: {problem}") from problem
        except OSError as problem:
            raise Unavailable(f"the store {self._name!r} cannot be opened: {problem}") from problem

    def _lacking(self, adapter: Adapter, options: Mapping[str, Json]) -> bool:
        """Say whether somebody only looks at an engine of which no file is there; a server needs none."""
        if self._spare is None or not isinstance(adapter, AdapterOverFiles):
            return False
        return not any(file.exists() for file in adapter.files(options, self._directory))

    def _chosen(self) -> tuple[Adapter, Mapping[str, Json]]:
        kind = self._table.get("kind")
        if not isinstance(kind, str):
            raise InvalidInput(f"[stores.{self._name}] needs a kind")
        options = {key: value for key, value in self._table.items() if key != "kind"}
        try:
            return load_adapter(kind), options
        except InvalidInput as problem:
            raise InvalidInput(f"[stores.{self._name}]: {problem}") from problem


@dataclass(frozen=True, slots=True)
class _View:
    """What one toolset sees of the stores."""

    find: Callable[[str | None, str], Awaitable[Engine]]
    graph_store: str | None
    vectors_store: str | None
    events_store: str | None
    embedder_store: str | None
    language_store: str | None

    async def graph(self, namespace: Namespace) -> Graph:
        return await (await self.find(self.graph_store, "graph")).graph(namespace)

    async def vectors(self, namespace: Namespace) -> Vectors:
        return await (await self.find(self.vectors_store, "vectors")).vectors(namespace)

    async def events(self) -> EventLog:
        return await (await self.find(self.events_store, "events")).events()

    async def embedder(self) -> Embedder:
        return await (await self.find(self.embedder_store, "embedder")).embedder()

    async def language(self) -> LanguageModel | None:
        if self.language_store is None:
            return None
        return await (await self.find(self.language_store, "language")).language()
