"""Meta values kept with a store, in one small table per space."""

import asyncio
from contextlib import suppress
from typing import Final

from backends.engines.lancedb.connection import Calls
from backends.engines.lancedb.driver import ARROW, Connection, Rows, Schema, Table
from backends.engines.lancedb.errors import CommitConflict
from backends.engines.lancedb.filters import literal
from backends.engines.lancedb.layout import PRIMARY_KEY
from backends.engines.lancedb.maintenance import KEPT_VERSIONS, WRITES_BETWEEN
from backends.engines.lancedb.rows import texts
from backends.ports.errors import NotFound, StoreError
from backends.ports.values import Namespace

TABLE: Final = "notes"
TRIES: Final = 5
"""A try fails only while another process creates the table."""


class MetaTable:
    """The table with the meta values of all namespaces of a space."""

    def __init__(self, connection: Connection, calls: Calls) -> None:
        self._connection = connection
        self._calls = calls
        self._lock = asyncio.Lock()
        self._files: int | None = None

    async def get(self, identifier: str) -> str | None:
        """Return a value, None if there is none."""
        try:
            return await self._value(await self._calls.run(self._connection.open_table(TABLE)), identifier)
        except NotFound:
            return None

    async def set(self, identifier: str, value: str, *, if_absent: bool) -> str:
        """Store a value and return the value now in effect."""
        async with self._lock:
            table = await self._stored(identifier, value, if_absent=if_absent)
            await self._maintained(table)
        held = await self._value(table, identifier) if if_absent else None
        return value if held is None else held

    async def _stored(self, identifier: str, value: str, *, if_absent: bool) -> Table:
        """Store a value and return the table."""
        columns = [ARROW.array([one], ARROW.utf8()) for one in (identifier, value)]
        row = ARROW.Table.from_arrays(columns, schema=_schema())
        left = TRIES
        while True:
            left -= 1
            try:
                table = await self._table()
                await self._calls.run(_merge(table, row, if_absent=if_absent))
            except CommitConflict:
                if not left:
                    raise
            else:
                return table

    async def _table(self) -> Table:
        table = await self._opened()
        if not await self._calls.run(table.count_rows()):
            await self._restore(table)
        return table

    async def _opened(self) -> Table:
        try:
            return await self._calls.run(self._connection.open_table(TABLE))
        except NotFound:
            pass
        try:
            return await self._calls.run(self._connection.create_table(TABLE, schema=_schema()))
        except CommitConflict:
            return await self._calls.run(self._connection.open_table(TABLE))

    async def _restore(self, table: Table) -> None:
        """Put back the values of a table that is empty because the driver has replaced it by an empty version.

        It does so if two processes create it at once. The one that did may have failed before it put the values back.
        """
        for version in range(await self._calls.run(table.version()) - 1, 0, -1):
            try:
                await self._calls.run(table.checkout(version))
                rows = await self._calls.run(table.query().to_arrow())
            finally:
                await self._calls.run(table.checkout_latest())
            if rows.num_rows:
                await self._calls.run(_merge(table, rows, if_absent=True))
                return

    async def _maintained(self, table: Table) -> None:
        """Merge the small files that single writes leave, and remove old versions, once there are many."""
        # The value itself is stored. A failure here is retried after as many writes.
        with suppress(StoreError):
            if self._files is None:
                self._files = (await self._calls.run(table.stats()))["fragment_stats"]["num_small_fragments"]
            self._files += 1
            if self._files >= WRITES_BETWEEN:
                self._files = 0
                await self._calls.run(table.optimize(cleanup_older_than=KEPT_VERSIONS))

    async def _value(self, table: Table, identifier: str) -> str | None:
        query = table.query().where(f"id = {literal(identifier)}").select(["value"]).limit(1)
        found = texts(await self._calls.run(query.to_arrow()), "value")
        return found[0] if found else None


class Meta:
    """The meta values of one namespace."""

    def __init__(self, table: MetaTable, namespace: Namespace) -> None:
        self._table = table
        self._namespace = namespace

    async def get(self, key: str) -> str | None:
        """Return a value, None if there is none."""
        return await self._table.get(self._id(key))

    async def set(self, key: str, value: str, *, if_absent: bool) -> str:
        """Store a value and return the value now in effect."""
        return await self._table.set(self._id(key), value, if_absent=if_absent)

    def _id(self, key: str) -> str:
        return f"{self._namespace}/{key}"


async def _merge(table: Table, rows: Rows, *, if_absent: bool) -> None:
    merging = table.merge_insert("id").when_not_matched_insert_all()
    if not if_absent:
        merging = merging.when_matched_update_all()
    await merging.execute(rows, on_bad_vectors="null")


def _schema() -> Schema:
    return ARROW.schema(
        [ARROW.field("id", ARROW.utf8(), nullable=False, metadata=PRIMARY_KEY), ARROW.field("value", ARROW.utf8())]
    )
