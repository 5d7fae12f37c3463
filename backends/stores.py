"""The stores of a profile: each engine is opened once, shared by the toolsets that name it, and reopened after an outage."""

import math
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from backends.integrity import Unverified, verify_in_child
from backends.kit import disk
from backends.ports.adapter import (
    Adapter,
    AdapterOverFiles,
    AdapterWithSeveralFiles,
    Engine,
    Health,
    Stores,
    capabilities_with,
)
from backends.ports.checked import CheckedEngine
from backends.ports.embedder import Embedder
from backends.ports.errors import InvalidInput, StoreError, Unavailable
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors
from backends.read_only import ReadOnlyEngine
from backends.registry import load_adapter

RETRY_AFTER_S = 1.0
"""How long calls get the error of a failed opening, so that not every call waits for an engine that is down."""


async def open_engine(
    adapter: Adapter, options: Mapping[str, Json], directory: Path, *, scratch: Path | None = None
) -> Engine:
    """Open an engine whose ports check their arguments. Raises what the adapter raises.

    With `scratch` the engine is opened read-only: files that are missing in `directory` are created in `scratch`, and existing
    ones are not written to.
    """
    if scratch is None:
        takes_images = capabilities_with(adapter, options).images
        return CheckedEngine(await adapter.open(options, directory), takes_images=takes_images)
    if isinstance(adapter, AdapterWithSeveralFiles):
        return ReadOnlyEngine(await adapter.open_read_only(options, directory, scratch))
    missing = _is_missing(adapter, options, directory)
    return ReadOnlyEngine(await adapter.open(options, scratch if missing else directory))


def _is_missing(adapter: Adapter, options: Mapping[str, Json], directory: Path) -> bool:
    """Return whether an engine with files has none in `directory`; false for a server."""
    if not isinstance(adapter, AdapterOverFiles):
        return False
    return not any(file.exists() for file in adapter.files(options, directory))


class OpenStores:
    """All stores of a running gateway, by their names in the configuration."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Json]],
        directory: Path,
        *,
        scratch: Path | None = None,
        in_subprocess: Collection[str] = (),
    ) -> None:
        """Use the stores of a data directory. With `scratch` they are read-only, and missing files are created there instead.

        Each store named in `in_subprocess` is opened in its own process, which offers only the graph.
        """
        self._stores = {
            name: _Store(name, table, directory, scratch and scratch / str(number), in_subprocess=name in in_subprocess)
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
        """Return the stores of one toolset by their names; requesting a port without a name raises `InvalidInput`.

        The language model is optional: without a name it is None.
        """
        return _View(self._engine, graph, vectors, events, embedder, language)

    async def open_all(self) -> None:
        """Open every closed store, concurrently. Raises the first `StoreError`, permanent ones before retryable ones."""
        problems: dict[str, StoreError] = {}

        async def open_one(name: str) -> None:
            try:
                await self._stores[name].engine()
            except StoreError as problem:
                problems[name] = problem

        await self._for_each(open_one)
        if problems:
            raise min((problems[name] for name in self._stores if name in problems), key=lambda each: each.retryable)

    async def health(self) -> Mapping[str, Health]:
        """Return the health of each store, opening closed ones, concurrently. Raises nothing."""
        found: dict[str, Health] = {}

        async def ask(name: str) -> None:
            found[name] = await self._stores[name].health()

        await self._for_each(ask)
        return {name: found[name] for name in self._stores}

    def failures(self) -> Mapping[str, StoreError]:
        """Return why stores could not be opened when that was last tried, without those that are open now."""
        found = {name: store.failure for name, store in self._stores.items()}
        return {name: failure for name, failure in found.items() if failure is not None}

    async def full_stores(self) -> Mapping[str, str]:
        """Return a sentence for each open store that has no space left to write. Raises nothing."""
        found = {name: await store.out_of_space() for name, store in self._stores.items()}
        return {name: sentence for name, sentence in found.items() if sentence is not None}

    async def verify(self, *, but: Collection[str] = ()) -> Mapping[str, StoreError]:
        """Verify each store but those named, opening closed ones. Return the errors by the store's name.

        A store that could not be read in another process stays closed: it might crash this one.
        """
        found: dict[str, StoreError] = {}
        for name, store in self._stores.items():
            if name in but:
                continue
            try:
                await store.verify()
            except StoreError as problem:
                found[name] = problem
        return found

    async def close(self) -> None:
        """Close every open engine; repeatable."""
        for store in self._stores.values():
            await store.close()

    async def _for_each(self, ask: Callable[[str], Coroutine[None, None, None]]) -> None:
        async with anyio.create_task_group() as group:
            for name in self._stores:
                group.start_soon(ask, name)

    async def _engine(self, name: str | None, port: str) -> Engine:
        if name is None:
            raise InvalidInput(f"the configuration names no store for {port}")
        if name not in self._stores:
            raise InvalidInput(f"the configuration has no table [stores.{name}], which {port} names")
        return await self._stores[name].engine()


class _Store:
    """One store: closed, open, or recently failed to open."""

    def __init__(
        self, name: str, table: Mapping[str, Json], directory: Path, scratch: Path | None, *, in_subprocess: bool
    ) -> None:
        self._name = name
        self._table = table
        self._directory = directory
        self._scratch = scratch
        self._in_subprocess = in_subprocess
        if scratch is not None:
            scratch.mkdir()
        self._lock = anyio.Lock()
        self._engine: Engine | None = None
        self._failure: StoreError | None = None
        self._retry_at = 0.0

    @property
    def failure(self) -> StoreError | None:
        return None if self._engine is not None else self._failure

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

    async def verify(self) -> None:
        """Verify the store, in another process if damaged files may crash the engine. Raises `StoreError`."""
        adapter, options = self._chosen()
        files = adapter.files(options, self._directory) if isinstance(adapter, AdapterOverFiles) else ()
        if not files or (self._scratch is not None and _is_missing(adapter, options, self._directory)):
            await (await self.engine()).verify()
            return
        try:
            await verify_in_child(adapter.name, options, self._directory, files)
        except Unverified:
            raise
        except StoreError as problem:
            # Never opened again in this process.
            self._failure, self._retry_at = problem, math.inf
            raise

    async def health(self) -> Health:
        try:
            found = await (await self.engine()).health()
        except StoreError as failure:
            return Health(ok=False, detail=str(failure))
        if found.ok and (sentence := await self.out_of_space()) is not None:
            return replace(found, ok=False, detail=f"{found.detail}; {sentence}")
        is_scratch = self._scratch is not None and str(self._scratch) in found.detail
        return replace(found, detail="no data yet") if is_scratch else found

    async def out_of_space(self) -> str | None:
        if (engine := self._engine) is None:
            return None
        adapter, options = self._chosen()
        files = adapter.files(options, self._directory) if isinstance(adapter, AdapterOverFiles) else ()
        return await engine.out_of_space() or (disk.disk_full_problem(files[0].parent) if files else None)

    async def close(self) -> None:
        async with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()

    async def _open(self) -> Engine:
        adapter, options = self._chosen()
        try:
            if self._in_subprocess:
                from backends.subprocess_engine import open_in_subprocess  # only a comparison of stores needs it

                return CheckedEngine(await open_in_subprocess(adapter.name, options, self._directory))
            return await open_engine(adapter, options, self._directory, scratch=self._scratch)
        except InvalidInput as problem:
            raise InvalidInput(f"[stores.{self._name}]: {problem}") from problem
        except OSError as problem:
            raise Unavailable(f"the store {self._name!r} cannot be opened: {problem}") from problem

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
    """The stores of one toolset."""

    engine: Callable[[str | None, str], Awaitable[Engine]]
    graph_store: str | None
    vectors_store: str | None
    events_store: str | None
    embedder_store: str | None
    language_store: str | None

    async def graph(self, namespace: Namespace) -> Graph:
        return await (await self.engine(self.graph_store, "graph")).graph(namespace)

    async def vectors(self, namespace: Namespace) -> Vectors:
        return await (await self.engine(self.vectors_store, "vectors")).vectors(namespace)

    async def events(self) -> EventLog:
        return await (await self.engine(self.events_store, "events")).events()

    async def embedder(self) -> Embedder:
        return await (await self.engine(self.embedder_store, "embedder")).embedder()

    async def language(self) -> LanguageModel | None:
        if self.language_store is None:
            return None
        return await (await self.engine(self.language_store, "language")).language()
