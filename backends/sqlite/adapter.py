"""The SQLite adapter: opens the files of a data directory, one for each port, and hands out the ports."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel

from backends.offload import Workers
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError, Timeout, Unavailable
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors
from backends.sqlite.connection import Database
from backends.sqlite.events import SqliteEventLog
from backends.sqlite.graph.store import SqliteGraph
from backends.sqlite.schema import EVENTS, GRAPH, VECTORS
from backends.sqlite.settings import SqliteSettings
from backends.sqlite.vectors.store import SqliteVectors, VectorArrays

OPEN_TIMEOUT_S: Final = 120.0


class SqliteEngine(Engine):
    """Up to three open files: the log, the graph, the vectors; one that nobody asks for is not made."""

    def __init__(self, directory: Path, settings: SqliteSettings, *, spare: Path | None = None) -> None:
        """Hold the files of a directory; those that it lacks lie in `spare`, if that is given."""
        self._workers = Workers("sqlite", threads=1)
        self._directory = directory

        def place(file: str) -> Path:
            return (directory if spare is None or (directory / file).exists() else spare) / file

        self._log, self._graph, self._vectors = (
            Database(place(layout.file), layout, settings) for layout in (EVENTS, GRAPH, VECTORS)
        )
        self._opening = anyio.Lock()
        self._open_ones: list[Database] = []
        self._arrays = VectorArrays()
        self._events = SqliteEventLog(self._log)

    async def open(self) -> None:
        """Open each file that is there. Raises `Unavailable` and `Unusable`."""
        there = await self._workers.run(self._there, timeout_s=OPEN_TIMEOUT_S)
        for database in there:
            await self._opened(database)

    async def events(self) -> EventLog:
        """Return the log of the directory. Raises what opening or making its file raises."""
        await self._opened(self._log)
        return self._events

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace. Raises what opening or making the file raises."""
        await self._opened(self._graph)
        return SqliteGraph(self._graph, namespace)

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Raises what opening or making the file raises."""
        await self._opened(self._vectors)
        return SqliteVectors(self._vectors, self._arrays, namespace)

    async def health(self) -> Health:
        """Read something from each open file."""
        versions = {"sqlite": sqlite3.sqlite_version}
        problems: list[str] = []
        for database in self._open_ones:
            try:
                version = await self._workers.run(database.version, timeout_s=OPEN_TIMEOUT_S)
            except StoreError as error:
                problems.append(str(error))
            else:
                versions[database.layout.file] = f"schema {version}"
        used = ", ".join(database.layout.file for database in self._open_ones) or "nothing is used yet"
        detail = "; ".join(problems) or f"{self._directory} answers: {used}"
        return Health(not problems, detail, versions)

    async def examine(self) -> None:
        """Read each open file from its beginning to its end, the log first. Raises `Unusable`."""
        for database in sorted(self._open_ones, key=lambda each: not each.layout.is_log):
            await database.examine()

    async def close(self) -> None:
        """Let each file finish and close it."""
        try:
            await self._workers.run(self._close, timeout_s=OPEN_TIMEOUT_S)
        except (Unavailable, Timeout):  # closed before, or still at work: its threads end by themselves
            return
        self._workers.close()

    async def _opened(self, database: Database) -> None:
        if database in self._open_ones:
            return
        async with self._opening:
            if database not in self._open_ones:
                await self._workers.run(database.open, timeout_s=OPEN_TIMEOUT_S)
                self._open_ones.append(database)

    def _there(self) -> list[Database]:
        """Return the files that are there, in the directory, which is made."""
        directory = self._log.path.parent
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"the directory {directory} cannot be used: {error}") from error
        return [database for database in (self._log, self._graph, self._vectors) if database.path.exists()]

    def _close(self) -> None:
        for database in (self._log, self._graph, self._vectors):
            database.close()


class SqliteAdapter:
    """The engine that needs nothing installed, and the reference for the others."""

    name: Final = "sqlite"
    capabilities: Final = Capabilities(
        ports=frozenset({"graph", "vectors", "events"}),
        durable="fsync",
        processes="many",
        conditional_writes=True,
        substring_index=True,
        exact_dense=True,
        ranked_keyword=True,
        native_paths=False,
    )
    settings: type[BaseModel] = SqliteSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> SqliteEngine:
        """Open the files in `directory`, or in the directory that the options name relative to it."""
        return await _opened(options, directory, None)

    async def look(self, options: Mapping[str, Json], directory: Path, spare: Path) -> SqliteEngine:
        """Open the files that there are, and others in `spare` where they are asked for."""
        return await _opened(options, directory, spare)


async def _opened(options: Mapping[str, Json], directory: Path, spare: Path | None) -> SqliteEngine:
    settings = parse_options(SqliteSettings, options)
    engine = SqliteEngine(directory / settings.directory if settings.directory else directory, settings, spare=spare)
    try:
        await engine.open()
    except BaseException:
        await engine.close()
        raise
    return engine


ADAPTER: Final = SqliteAdapter()
