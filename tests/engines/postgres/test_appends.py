"""Appends that race: by several connections, by several processes, within one transaction."""

import asyncio
import json
import sys
from itertools import pairwise

import pytest

from backends.engines.postgres.adapter import PostgresEngine
from backends.ports.errors import Conflict, Timeout
from backends.ports.events import EventLog, Expected, RecordedEvent, StreamName
from contracts.ports.event_records import batch, event, events_of, write
from tests.engines.postgres.conftest import Opening
from tests.services.postgres import Postgres

WRITER = """
import asyncio, json, sys
from pathlib import Path
from backends.engines.postgres.adapter import ADAPTER
from contracts.ports.event_records import batch, events_of, write

async def main(options, stream, batches):
    engine = await ADAPTER.open(options, Path())
    log = await engine.events()
    for number in range(batches):
        await log.append([write(stream, *events_of(1 + number % 3))], batch=batch())
    await engine.close()

asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
"""


async def followed(log: EventLog, total: int) -> list[RecordedEvent]:
    """Return the events that a reader sees by position, until it has seen `total` of them."""
    seen: list[RecordedEvent] = []
    async with asyncio.timeout(30):
        while len(seen) < total:
            page = await log.read_all(after=seen[-1].position if seen else 0, limit=11)
            seen.extend(page)
            if not page:
                await log.wait(seen[-1].position if seen else 0, timeout_s=0.05)
    return seen


async def burst(log: EventLog, stream: str, batches: int) -> None:
    for number in range(batches):
        await log.append([write(stream, *events_of(1 + number % 3))], batch=batch())


async def test_eight_writers_on_their_own_connections_hide_nothing_from_a_reader(opening: Opening) -> None:
    """Positions become visible in their order, whichever writer commits first."""
    logs = [await (await opening()).events() for _ in range(8)]
    reader = await (await opening()).events()
    total = 8 * 60
    async with asyncio.TaskGroup() as group:
        seeing = group.create_task(followed(reader, total))
        for number, log in enumerate(logs):
            group.create_task(burst(log, f"race/kind/{number}", 30))
    seen = seeing.result()
    assert seen == list(await reader.read_all(limit=10_000))
    assert all(low.position < high.position for low, high in pairwise(seen))
    assert (await reader.count(), await reader.count("race/"), await reader.count("race/kind/")) == (total,) * 3


async def test_processes_hide_nothing_from_each_other(server: Postgres, space: str, opening: Opening) -> None:
    """Four processes, which also create the space at once."""
    options = json.dumps({"uri": server.uri, "space": space})
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, options, f"race/kind/{number % 2}", "15")
        for number in range(4)
    ]
    log = await (await opening()).events()
    seen = await followed(log, 4 * 30)
    assert [await process.wait() for process in processes] == [0] * 4
    assert seen == list(await log.read_all(limit=10_000))
    assert await log.versions([StreamName("race/kind/0"), StreamName("race/kind/1")]) == {
        "race/kind/0": 60,
        "race/kind/1": 60,
    }


async def test_of_several_writers_to_a_new_stream_one_wins_and_the_others_conflict(opening: Opening) -> None:
    logs = [await (await opening()).events() for _ in range(4)]
    writes = [write("race/free/1", event()), write("race/name/1", event(), expected=Expected.NEW)]
    tries = [log.append(writes, batch=batch()) for log in logs for _ in range(4)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    refused = [result for result in results if isinstance(result, Conflict)]
    assert len(refused) == 15
    assert {conflict.key for conflict in refused} == {"race/name/1"}
    assert await logs[0].count() == 2


async def test_one_batch_from_several_connections_is_appended_once(opening: Opening) -> None:
    logs = [await (await opening()).events() for _ in range(4)]
    name, writes = batch(), [write("race/kind/1", *events_of(3)), write("race/kind/2", event())]
    results = await asyncio.gather(*(log.append(writes, batch=name) for log in logs for _ in range(4)))
    assert all(result == results[0] for result in results)
    assert await logs[0].count() == 4


async def test_a_refused_append_fails_no_other_of_its_transaction(engine: PostgresEngine) -> None:
    """Appends that come together share a transaction, not its outcome."""
    log = await engine.events()
    tries = [
        log.append([write(f"shared/kind/{number}", event(), expected=number % 2)], batch=batch())
        for number in range(40)
    ]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert [isinstance(result, Conflict) for result in results] == [False, True] * 20
    assert await log.count() == 20


async def test_an_abandoned_append_does_not_stop_the_others(engine: PostgresEngine) -> None:
    log = await engine.events()
    left = [asyncio.create_task(log.append([write(f"left/kind/{n}", event())], batch=batch())) for n in range(5)]
    await asyncio.sleep(0)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    assert (await log.append([write("kept/kind/1", event())], batch=batch())).versions == {"kept/kind/1": 1}


async def test_ten_thousand_streams_fit_one_batch(engine: PostgresEngine) -> None:
    log = await engine.events()
    writes = [write(f"many/k{number % 7}/{number}", event({"n": number})) for number in range(10_000)]
    done = await log.append(writes, batch=batch())
    assert len(done.versions) == 10_000
    page = await log.read_all("many/k3/", limit=10_000)
    assert [recorded.data["n"] for recorded in page] == list(range(3, 10_000, 7))
    assert (await log.count("many/k3/"), await log.head("many/")) == (len(page), done.position)
    await log.purge("many/k3/")
    assert (await log.count("many/"), await log.count("many/k3/")) == (10_000 - len(page), 0)


async def test_an_append_behind_one_that_hangs_times_out(opening: Opening) -> None:
    holder, waiter = await opening(), await opening(timeout_s=0.3)
    log = await waiter.events()
    async with holder.connections.use() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(1164866674, hashtext(current_schema()))")
        with pytest.raises(Timeout):
            await log.append([write("stuck/kind/1", event())], batch=batch())
        assert await log.count() == 0
    assert (await log.append([write("stuck/kind/1", event())], batch=batch())).position
