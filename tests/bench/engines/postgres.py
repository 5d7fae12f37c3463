"""psycopg's own best use for a log of facts, in the port's own tables.

An append takes the lock, knows its batch again, compares the version, writes, counts and notifies, as the port's does,
in statements that are sent together and prepared by the driver.
"""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import orjson
import psycopg
from psycopg.rows import TupleRow

from backends.engines.postgres.adapter import ADAPTER
from backends.ports.events import EventId, EventLog, RecordedEvent, StreamName
from backends.ports.values import Micros
from contracts.ports.event_records import batch, events_of, write
from contracts.servers import options_of
from tests.bench.engines.comparison import Row
from tests.bench.engines.data import BATCH

READ: Final = 500
ONE, MANY = "bench/one/1", "bench/many/1"
_COUNTED: Final = (
    "INSERT INTO prefixes AS p (name, events, last) SELECT name, %(count)s, (SELECT last_value FROM positions)"
    " FROM unnest(%(names)s::text[]) AS name"
    " ON CONFLICT (name) DO UPDATE SET events = p.events + excluded.events, last = excluded.last"
)
_STREAM: Final = (
    "INSERT INTO streams AS s (name, version, p1, p2) SELECT %(stream)s, %(count)s, a.key, b.key"
    " FROM prefixes a, prefixes b WHERE a.name = %(first)s AND b.name = %(second)s"
    " ON CONFLICT (name) DO UPDATE SET version = s.version + excluded.version"
)
_FACTS: Final = (
    "INSERT INTO events (position, stream, version, p1, p2, id, type, schema, at, data, meta)"
    " SELECT nextval('positions'), s.key, s.version - %(count)s + f.number, s.p1, s.p2, f.id, f.type, 1, f.at, f.data,"
    " f.meta FROM json_to_recordset(%(facts)s::json) AS f(number bigint, id text, type text, at bigint, data text,"
    " meta text) JOIN streams s ON s.name = %(stream)s"
)
_BATCH: Final = (
    "INSERT INTO batches (id, first, last) SELECT %(batch)s, last_value - %(count)s + 1, last_value FROM positions"
)
_READ: Final = (
    "SELECT e.id, s.name, e.version, e.position, e.type, e.data, e.at, e.schema, e.meta FROM events e"
    " JOIN streams s ON s.key = e.stream WHERE e.position > %s ORDER BY e.position LIMIT %s"
)
_VERSIONS: Final = "SELECT name, version FROM streams WHERE name = ANY(%s)"


class Bare:
    """A connection to the tables of a space that the port has made."""

    def __init__(self, connection: psycopg.AsyncConnection[TupleRow]) -> None:
        self._connection = connection

    async def append(self, stream: str, count: int) -> None:
        """Send all of an append at once and wait for the commit."""
        facts = [
            {"number": number, "id": each.id, "type": each.type, "at": each.at,
             "data": orjson.dumps(each.data).decode(), "meta": orjson.dumps(each.meta).decode()}
            for number, each in enumerate(events_of(count), 1)
        ]  # fmt: skip
        first, second = stream[: stream.index("/") + 1], stream[: stream.rindex("/") + 1]
        values = {
            "stream": stream, "count": count, "batch": batch(), "first": first, "second": second,
            "names": ["", first, second], "facts": orjson.dumps(facts).decode(),
        }  # fmt: skip
        connection = self._connection
        async with connection.pipeline(), connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(1, 2)")
            known = await connection.execute("SELECT first, last FROM batches WHERE id = %(batch)s", values)
            found = await connection.execute("SELECT version FROM streams WHERE name = %(stream)s", values)
            for statement in (_COUNTED, _STREAM, _FACTS, _BATCH):
                await connection.execute(statement, values)
            await connection.execute("SELECT pg_notify('bare', '')")
            await known.fetchone()
            await found.fetchone()

    async def read(self, after: int) -> object:
        """Return a page of events with their JSON read."""
        cursor = await self._connection.execute(_READ, (after, READ))
        found: list[tuple[EventId, StreamName, int, int, str, str, Micros, int, str]] = await cursor.fetchall()
        return [RecordedEvent(*row[:5], orjson.loads(row[5]), row[6], row[7], orjson.loads(row[8])) for row in found]

    async def versions(self, streams: Sequence[str]) -> object:
        """Return the versions of streams."""
        cursor = await self._connection.execute(_VERSIONS, ([*streams],))
        found: list[tuple[str, int]] = await cursor.fetchall()
        return dict(found)


async def rows(kind: str, directory: Path) -> AsyncIterator[Row]:
    """Yield the rows of the log; each side has a space of its own."""
    ours, theirs = options_of(kind), options_of(kind)
    engine, model = await ADAPTER.open(ours, directory), await ADAPTER.open(theirs, directory)
    await model.events()
    await model.close()
    try:
        async with await psycopg.AsyncConnection.connect(
            str(theirs["uri"]), autocommit=True, options=f"-c search_path={theirs['space']}"
        ) as connection:
            for row in _events(Bare(connection), await engine.events()):
                yield row
    finally:
        await engine.close()


def _events(bare: Bare, port: EventLog) -> Sequence[Row]:
    def appending(count: int, stream: str, calls: int) -> Row:
        return Row(
            f"append of {count}",
            lambda _: bare.append(stream, count),
            lambda _: port.append([write(stream, *events_of(count))], batch=batch()),
            calls,
        )

    return [
        appending(1, ONE, 200),
        appending(BATCH, MANY, 60),
        Row(f"read {READ} events", bare.read, lambda call: port.read_all(after=call, limit=READ)),
        Row("version of a stream", lambda _: bare.versions([ONE]), lambda _: port.versions([StreamName(ONE)]), 200),
    ]
