"""The declared collections of a space. A collection's table is opened once and opened again after it was replaced."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from backends.engines.lancedb.connection import Calls
from backends.engines.lancedb.driver import ARROW, Connection, Schema, Table
from backends.engines.lancedb.errors import CommitConflict
from backends.engines.lancedb.filters import column
from backends.engines.lancedb.layout import Layout, field_of, indexes_of, layout_of, metadata_of, schema_of
from backends.engines.lancedb.maintenance import WRITES_BETWEEN, WRITES_BETWEEN_REMOTE, TableMaintenance
from backends.engines.lancedb.writes import PendingWrite, Writer
from backends.kit.declarations import check_same_model, merge_specs, undeclared_collection
from backends.ports.errors import NotFound
from backends.ports.values import Namespace
from backends.ports.vectors import CollectionSpec

DECLARATION_TRIES: Final = 5
"""A try fails only if another process declares the same collection meanwhile."""

ResultT = TypeVar("ResultT")


@dataclass(slots=True)
class OpenTable:
    """The open table of a collection."""

    name: str
    table: Table
    layout: Layout
    maintenance: TableMaintenance
    calls: Calls
    writer: Writer
    versions: Path | None
    """The folder with a file for each version; None on an object store."""

    async def refresh(self) -> Layout:
        """Read the table's latest version from now on, whoever wrote it, and return its layout. This takes one request.

        The driver's own consistency setting would make a request in each step of a call. Raises `Unavailable` if an older copy
        was written over the folder: the table would stay at a version that is gone, and the next write would damage the copy.
        """
        await self.calls.run(self.table.checkout_latest())
        if self.versions is not None and not _has_version(self.versions, await self.calls.run(self.table.version())):
            raise self.calls.lose()
        self.layout = layout_of(await self.calls.run(self.table.schema()), location=self.name)
        return self.layout

    async def merge(self, pending: PendingWrite) -> None:
        """Write rows."""
        await self.calls.run(self.writer.write(pending))

    async def complete(self, spec: CollectionSpec) -> None:
        """Add the columns, flags and indexes of a declaration that are missing. Raises `Unusable` and `Conflict`."""
        layout = self.layout
        check_same_model(spec, model=layout.model, dim=layout.dim)
        owner = f"collection {spec.name!r}"
        wanted = merge_specs(layout.specs, {field.name: field for field in spec.fields}, owner=owner)
        added = [field for field in wanted if field.name not in layout.specs]
        if added:
            await self.calls.run(self.table.add_columns(ARROW.schema([field_of(field) for field in added])))
        for field in wanted:
            if field.name in layout.specs and field != layout.specs[field.name]:
                update = {"path": column(field.name), "metadata": metadata_of(field)}
                await self.calls.run(self.table.update_field_metadata(update))
        await self._create_indexes()

    async def _create_indexes(self) -> None:
        for name, config in indexes_of(await self.refresh()).items():
            present = {name for index in await self.calls.run(self.table.list_indices()) for name in index.columns}
            if name not in present:
                await self.calls.run(self.table.create_index(name, replace=False, config=config))


class Collections:
    """The collections of one space."""

    def __init__(self, connection: Connection, calls: Calls, *, index_from: int, remote: bool) -> None:
        self._connection = connection
        self._calls = calls
        self._index_from = index_from
        self._remote = remote
        self._writes_between = WRITES_BETWEEN_REMOTE if remote else WRITES_BETWEEN
        self._open_tables: dict[str, OpenTable] = {}
        self._opening = asyncio.Lock()

    async def declare(self, namespace: Namespace, spec: CollectionSpec) -> None:
        """Create a collection or extend it. Raises `Unusable` for another model, `Conflict` for another dimension or type."""
        for left in reversed(range(DECLARATION_TRIES)):
            try:
                await self.use(namespace, spec.name, lambda opened: opened.complete(spec))
            except NotFound:
                await self._create(table_name(namespace, spec.name), schema_of(spec))
            except CommitConflict:
                # Another process made the same change; the next try sees it.
                if not left:
                    raise
            else:
                return

    async def drop(self, namespace: Namespace, name: str) -> None:
        """Remove a collection's table if it exists."""
        full = table_name(namespace, name)
        await self._forget(full)
        await self._calls.run(self._connection.drop_table(full, ignore_missing=True))

    async def use(self, namespace: Namespace, name: str, call: Callable[[OpenTable], Awaitable[ResultT]]) -> ResultT:
        """Return what `call` returns for a collection's latest version; it is repeated once if the table was replaced.

        Raises `NotFound` for an undeclared collection.
        """
        opened = await self._find(namespace, name)
        try:
            await opened.refresh()
            return await call(opened)
        except NotFound:
            await self._forget(opened.name)
            return await call(await self._find(namespace, name))

    async def close(self) -> None:
        """Stop background work and release all tables."""
        for full in [*self._open_tables]:
            await self._forget(full)
        self._connection.close()

    async def _find(self, namespace: Namespace, name: str) -> OpenTable:
        full = table_name(namespace, name)
        if (known := self._open_tables.get(full)) is not None:
            return known
        async with self._opening:
            if (known := self._open_tables.get(full)) is not None:
                return known
            try:
                return await self._open(full)
            except NotFound:
                raise undeclared_collection(name) from None

    async def _create(self, full: str, schema: Schema) -> None:
        try:
            await self._calls.run(self._connection.create_table(full, schema=schema))
        except CommitConflict:  # another process created it
            return

    async def _open(self, full: str) -> OpenTable:
        calls = self._calls
        table = await calls.run(self._connection.open_table(full))
        layout = layout_of(await calls.run(table.schema()), location=f"{calls.location}/{full}")
        write_lock = asyncio.Lock()
        maintenance = TableMaintenance(
            table, calls, write_lock, index_from=self._index_from, writes_between=self._writes_between
        )
        await maintenance.start()
        writer = Writer(table, write_lock, check=calls.check, on_commit=maintenance.count_write)
        versions = None if self._remote else Path(calls.location, f"{full}.lance", "_versions")
        if versions is not None and not _has_version(versions, await calls.run(table.version())):
            versions = None  # named in another way
        opened = self._open_tables[full] = OpenTable(full, table, layout, maintenance, calls, writer, versions)
        return opened

    async def _forget(self, full: str) -> None:
        if (opened := self._open_tables.pop(full, None)) is not None:
            await opened.maintenance.close()
            opened.table.close()


def _has_version(versions: Path, number: int) -> bool:
    """Return whether the file of a version exists, under either of the names that the engine gives it."""
    return any((versions / f"{name}.manifest").exists() for name in (f"{2**64 - 1 - number:020}", number))


def table_name(namespace: Namespace, name: str) -> str:
    """Return the name of a collection's table. Neither part can contain the dot between them."""
    return f"{namespace}.{name}"
