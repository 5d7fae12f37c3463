"""psycopg's own best use for a log of facts: the yardstick for what the port costs.

The bare log has the same lock, the same notification and a fsync per commit, but no counters, batches or checks.

python -m tests.services postgres -- python -m tests.bench.engines.postgres
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median

import orjson
import psycopg
from psycopg.rows import TupleRow

from backends.events_rows import EventRow, recorded
from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.postgres.adapter import ADAPTER
from contracts.ports.log import batch, events_of, write
from contracts.servers import options_of

CALLS = 200
CLIENTS = 16
READ = 500

Work = Callable[[int], Awaitable[object]]
FACT = {"id": "0199c1de-0000-7000-8000-000000000000", "data": '{"n":1}', "meta": '{"tool":"contracts"}', "at": 1}


class Bare:
    """The same work in plain statements on a table of its own."""

    def __init__(self, connection: psycopg.AsyncConnection[TupleRow]) -> None:
        self._connection = connection

    async def make(self) -> None:
        await self._connection.execute(
            "CREATE TEMP SEQUENCE bare_positions;"
            "DROP TABLE IF EXISTS public.bare;"
            "CREATE TABLE public.bare (position bigint PRIMARY KEY, stream text NOT NULL, version bigint NOT NULL,"
            " id text NOT NULL, type text NOT NULL, at bigint NOT NULL, data text NOT NULL, meta text NOT NULL,"
            " UNIQUE (stream, version))"
        )

    async def append(self, stream: str, version: int, count: int) -> None:
        """Lock, insert, notify and commit, in one round trip each way."""
        rows = [{**FACT, "stream": stream, "version": version + number} for number in range(count)]
        connection = self._connection
        async with connection.pipeline(), connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(1, 2)")
            await connection.execute(
                "INSERT INTO public.bare SELECT nextval('bare_positions'), f.stream, f.version, f.id, 'contracts.noted',"
                " f.at, f.data, f.meta FROM json_to_recordset(%s::json) AS f(stream text, version bigint, id text,"
                " at bigint, data text, meta text)",
                (orjson.dumps(rows).decode(),),
            )
            await connection.execute("SELECT pg_notify('bare', '')")

    async def read(self, after: int) -> list[RecordedEvent]:
        query = (
            "SELECT id, stream, version, position, type, data, at, 1, meta FROM public.bare WHERE position > %s"
            " ORDER BY position LIMIT %s"
        )
        rows: list[EventRow] = await (await self._connection.execute(query, (after, READ))).fetchall()
        return [recorded(row) for row in rows]


async def timed(work: Work, calls: int = CALLS) -> float:
    """Return the median in milliseconds."""
    spent: list[float] = []
    for number in range(calls):
        before = time.perf_counter()
        await work(number)
        spent.append(time.perf_counter() - before)
    return median(spent) * 1_000


async def rate(work: Work) -> float:
    """Return calls per second of some clients at once."""
    before = time.perf_counter()

    async def client(number: int) -> None:
        for call in range(CALLS // 4):
            await work(number * 1_000 + call)

    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    return CLIENTS * (CALLS // 4) / (time.perf_counter() - before)


async def compare(bare: Bare, log: EventLog) -> Mapping[str, tuple[float, float]]:
    """Return the medians of the driver and of the port by what was done."""
    figures = {
        "append 1": (
            await timed(lambda n: bare.append("bench/one/1", n, 1)),
            await timed(lambda _: log.append([write("bench/one/1", *events_of(1))], batch=batch())),
        ),
        "append 100": (
            await timed(lambda n: bare.append("bench/many/1", n * 100, 100), 50),
            await timed(lambda _: log.append([write("bench/many/1", *events_of(100))], batch=batch()), 50),
        ),
        f"read {READ}": (
            await timed(bare.read, 50),
            await timed(lambda n: log.read_all(after=n, limit=READ), 50),
        ),
    }
    for name, work in (("head", log.head), ("count of a prefix", lambda: log.count("bench/many/"))):
        figures[name] = (0.0, await timed(lambda _, work=work: work()))
    one = StreamName("bench/one/1")
    figures["versions"] = (0.0, await timed(lambda _: log.versions([one])))
    return figures


async def main() -> None:
    """Print a line per call."""
    options = options_of("postgres")
    engine = await ADAPTER.open(options, Path())
    log = await engine.events()
    async with await psycopg.AsyncConnection.connect(str(options["uri"]), autocommit=True) as connection:
        bare = Bare(connection)
        await bare.make()
        for name, (driver, port) in (await compare(bare, log)).items():
            print(f"{name:20} driver {driver:8.2f} ms   port {port:8.2f} ms   {port / driver if driver else 0:5.2f}")
        fast = await rate(lambda n: log.append([write(f"r/k/{n}", *events_of(1))], batch=batch()))
        print(f"{CLIENTS} clients appending: {fast:.0f}/s")
        await connection.execute("DROP TABLE public.bare")
    await engine.close()


if __name__ == "__main__":
    asyncio.run(main())
