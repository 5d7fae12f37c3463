"""The tables of a space: opened once, kept while they live, opened anew when they were replaced."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from backends.lancedb.driver import Connection, Schema, Table
from backends.lancedb.errors import Calls, Raced
from backends.lancedb.layout import Layout, layout_of
from backends.lancedb.upkeep import WRITES_BETWEEN, WRITES_BETWEEN_REMOTE, Upkeep
from backends.lancedb.writing import Change, Writer
from backends.ports.errors import NotFound
from backends.ports.values import Namespace

ResultT = TypeVar("ResultT")


@dataclass(slots=True)
class Opened:
    """An open table and what it holds."""

    name: str
    table: Table
    layout: Layout
    upkeep: Upkeep
    calls: Calls
    writer: Writer

    async def look(self) -> Layout:
        """Read the table as it is from now on, whoever wrote it, and return its layout; this is one request.

        Left to itself, the driver would look in each of the steps that a call consists of.
        """
        await self.calls.run(self.table.checkout_latest())
        self.layout = layout_of(await self.calls.run(self.table.schema()), place=self.name)
        return self.layout

    async def merge(self, change: Change) -> None:
        """Write a change."""
        await self.calls.run(self.writer.write(change))


class Tables:
    """The tables of one space."""

    def __init__(self, connection: Connection, calls: Calls, *, index_from: int, remote: bool) -> None:
        self._connection = connection
        self.calls = calls
        self._index_from = index_from
        self._writes_between = WRITES_BETWEEN_REMOTE if remote else WRITES_BETWEEN
        self._opened: dict[str, Opened] = {}
        self._opening = asyncio.Lock()

    async def find(self, namespace: Namespace, name: str) -> Opened:
        """Return a collection's table. Raises `NotFound`."""
        full = table_name(namespace, name)
        if (known := self._opened.get(full)) is not None:
            return known
        async with self._opening:
            if (known := self._opened.get(full)) is not None:
                return known
            try:
                table = await self.calls.run(self._connection.open_table(full))
                return await self._keep(full, table)
            except NotFound:
                raise NotFound(f"no collection {name!r:.60} is declared here") from None

    async def create(self, namespace: Namespace, name: str, schema: Schema) -> None:
        """Make a collection's table, unless it is there."""
        try:
            await self.calls.run(self._connection.create_table(table_name(namespace, name), schema=schema))
        except Raced:
            return

    async def drop(self, namespace: Namespace, name: str) -> None:
        """Remove a collection's table, if it is there."""
        full = table_name(namespace, name)
        await self._forget(full)
        await self.calls.run(self._connection.drop_table(full, ignore_missing=True))

    async def using(self, namespace: Namespace, name: str, call: Callable[[Opened], Awaitable[ResultT]]) -> ResultT:
        """Return what `call` makes of a collection's table as it is now; one that was replaced is opened anew, once."""
        opened = await self.find(namespace, name)
        try:
            await opened.look()
            return await call(opened)
        except NotFound:
            await self._forget(opened.name)
            return await call(await self.find(namespace, name))

    async def close(self) -> None:
        """End what runs in the background and let go of all tables."""
        for full in [*self._opened]:
            await self._forget(full)
        self._connection.close()

    async def _keep(self, full: str, table: Table) -> Opened:
        layout = layout_of(await self.calls.run(table.schema()), place=f"{self.calls.place}/{full}")
        turn = asyncio.Lock()
        upkeep = Upkeep(table, self.calls, turn, index_from=self._index_from, writes_between=self._writes_between)
        await upkeep.look()
        opened = self._opened[full] = Opened(
            full, table, layout, upkeep, self.calls, Writer(table, turn, upkeep.note_write)
        )
        return opened

    async def _forget(self, full: str) -> None:
        if (opened := self._opened.pop(full, None)) is not None:
            await opened.upkeep.close()
            opened.table.close()


def table_name(namespace: Namespace, name: str) -> str:
    """Return the name of a collection's table; neither part can hold the dot between them."""
    return f"{namespace}.{name}"
