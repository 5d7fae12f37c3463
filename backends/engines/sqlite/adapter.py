"""The SQLite adapter: one file in the data directory for each port."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel

from backends.engines.sqlite.connection import DatabaseFile, OpenNamespace
from backends.engines.sqlite.events import SqliteEventLog
from backends.engines.sqlite.graph.store import SqliteGraph
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS
from backends.engines.sqlite.settings import SqliteSettings
from backends.engines.sqlite.vectors.arrays import VectorArrays
from backends.engines.sqlite.vectors.search import WordCounts
from backends.engines.sqlite.vectors.store import SqliteVectors
from backends.kit import disk
from backends.kit.lifecycle import open_or_close
from backends.kit.threads import Workers
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.errors import StoreError, Timeout, Unavailable, Undecodable
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.options import parse_options
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors

OPEN_TIMEOUT_S: Final = 120.0
"""Opening may check and migrate a file, and closing checkpoints its WAL: only a stuck disk takes longer."""
LEAST_PAGES: Final = 8
"""Pages that a node or a record may need for itself and its index entries."""


class SqliteEngine(Engine):
    """Up to three open files, for the log, the graph and the vectors; each is created when its port is first requested."""

    def __init__(self, directory: Path, settings: SqliteSettings, *, scratch: Path | None = None) -> None:
        """Use the files of a directory; missing ones are created in `scratch`, if it is given."""
        self._workers = Workers("sqlite", threads=1)
        self._directory = directory

        def path_of(file: str) -> Path:
            return (directory if scratch is None or (directory / file).exists() else scratch) / file

        self._log, self._graph, self._vectors = (
            DatabaseFile(path_of(file_schema.file), file_schema, settings) for file_schema in (EVENTS, GRAPH, VECTORS)
        )
        self._opening = anyio.Lock()
        self._open_ones: list[DatabaseFile] = []
        self._unopened: list[DatabaseFile] = []
        """The files that could not be opened with the engine."""
        self._arrays = VectorArrays()
        self._counts = WordCounts()
        self._events = SqliteEventLog(self._log)

    async def open(self) -> None:
        """Open each file that exists. Raises `Unavailable` for the directory, and `Unusable`.

        A file that cannot be opened now is opened when its port is next requested, so that the other ports can be used.
        """
        for database in await self._workers.run(self._existing, timeout_s=OPEN_TIMEOUT_S):
            try:
                await self._opened(database)
            except StoreError as error:
                if not error.retryable:
                    raise
                self._unopened.append(database)

    async def events(self) -> EventLog:
        """Return the log of the directory. Raises what opening or creating its file raises."""
        await self._opened(self._log)
        return self._events

    async def graph(self, namespace: Namespace) -> Graph:
        """Return the graph of a namespace. Raises what opening or creating the file raises."""
        await self._opened(self._graph)
        return SqliteGraph(OpenNamespace(self._graph, namespace))

    async def vectors(self, namespace: Namespace) -> Vectors:
        """Return the vectors of a namespace. Raises what opening or creating the file raises."""
        await self._opened(self._vectors)
        return SqliteVectors(OpenNamespace(self._vectors, namespace), self._arrays, self._counts)

    async def health(self) -> Health:
        """Read from each open file, and from those that could not be opened at first."""
        versions = {"sqlite": sqlite3.sqlite_version}
        problems: list[str] = []
        for database in dict.fromkeys((*self._open_ones, *self._unopened)):
            try:
                await self._opened(database)
                version = await self._workers.run(database.version, timeout_s=OPEN_TIMEOUT_S)
            except StoreError as error:
                problems.append(str(error))
            else:
                versions[database.file_schema.file] = f"schema {version}"
        used = ", ".join(database.file_schema.file for database in self._open_ones) or "nothing is used yet"
        detail = "; ".join(problems) or f"{self._directory} answers: {used}"
        return Health(not problems, detail, versions)

    async def out_of_space(self) -> str | None:
        """Check the disk and the quota of each open file."""
        return disk.disk_full_problem(self._directory) or await self._beyond_quota()

    async def _beyond_quota(self) -> str | None:
        for database in self._open_ones:
            try:
                room = await database.room()
            except StoreError:
                continue
            if room is not None and room < LEAST_PAGES:
                return f"the quota of {database.path} is used up ({room} pages are left); raise max_pages"
        return None

    async def verify(self) -> None:
        """Read each open file to its end, the log first. Raises `Unusable`, and `Undecodable` if nothing else is damaged."""
        undecodable: Undecodable | None = None
        for database in sorted(self._open_ones, key=lambda each: not each.file_schema.is_log):
            try:
                await database.verify()
            except Undecodable as found:
                undecodable = found
        if undecodable is not None:
            raise undecodable

    async def close(self) -> None:
        """Finish the calls on each file and close it."""
        try:
            await self._workers.run(self._close, timeout_s=OPEN_TIMEOUT_S)
        except (Unavailable, Timeout):  # closed already, or still busy: its threads end by themselves
            return
        self._workers.close()

    async def _opened(self, database: DatabaseFile) -> None:
        if database in self._open_ones:
            return
        async with self._opening:
            if database not in self._open_ones:
                await self._workers.run(database.open, timeout_s=OPEN_TIMEOUT_S)
                self._open_ones.append(database)

    def _existing(self) -> list[DatabaseFile]:
        """Return the files that exist; the directory is created."""
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
    """The engine that needs no installation, and the reference for the others."""

    name = "sqlite"
    capabilities = Capabilities(
        ports=frozenset({"graph", "vectors", "events"}),
        durable="fsync",
        processes="many",
        conditional_writes=True,
        exact_dense=True,
    )
    settings: type[BaseModel] = SqliteSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> SqliteEngine:
        """Open the files in `directory`, or in the directory that the options name relative to it."""
        return await _opened(options, directory, None)

    async def open_read_only(self, options: Mapping[str, Json], directory: Path, scratch: Path) -> SqliteEngine:
        """Open the existing files; missing ones are created in `scratch` when they are requested."""
        return await _opened(options, directory, scratch)


async def _opened(options: Mapping[str, Json], directory: Path, scratch: Path | None) -> SqliteEngine:
    settings = parse_options(SqliteSettings, options)
    folder = directory / settings.directory if settings.directory else directory
    return await open_or_close(SqliteEngine(folder, settings, scratch=scratch))


ADAPTER: Final = SqliteAdapter()
