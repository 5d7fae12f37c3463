"""The log's waiters, leases, and reads beside records that cannot be decoded."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import StoreError, Undecodable, Unusable
from backends.ports.events import BatchId, EventId, EventLog, NewEvent, StreamName, Write
from backends.ports.values import Micros
from backends.stores import open_engine
from tests.engines.sqlite.damage import NOT_JSON, changed, filled
from tests.engines.sqlite.samples import write
from tests.support.damage import table_gone

MANY = 200
DAY_S = 86_400.0
TTL_S = 0.5
LONG_TTL_S = 2.0
"""Of a holder that must renew in time, on a busy processor too."""


async def test_an_append_of_another_process_wakes_all_waiters(tmp_path: Path, engine: Engine) -> None:
    log = await engine.events()
    waiting = [asyncio.create_task(log.wait(0, timeout_s=20)) for _ in range(MANY)]
    await asyncio.sleep(0.2)
    assert not any(task.done() for task in waiting)
    other = await open_engine(ADAPTER, {}, tmp_path)
    await (await other.events()).append([write("a/b/c")], batch=BatchId("1"))
    assert await asyncio.gather(*waiting) == [True] * MANY
    await other.close()


async def test_a_waiter_that_comes_later_hides_no_append_from_another_one(tmp_path: Path, engine: Engine) -> None:
    log = await engine.events()
    other = await open_engine(ADAPTER, {}, tmp_path)
    theirs = await other.events()
    await theirs.append([write("a/b/c")], batch=BatchId("0"))
    for number in range(1, 6):
        waiting = asyncio.create_task(log.wait(number, timeout_s=20))
        await asyncio.sleep(0.15)
        await theirs.append([write("a/b/c")], batch=BatchId(str(number)))
        assert await log.wait(0, timeout_s=20), "it reads the head at once, before the poll does"
        assert await waiting
    await other.close()


async def test_many_waiters_share_the_polls(engine: Engine) -> None:
    """Reads are counted: the time of the processor depends on the machine."""
    log = await engine.events()
    reads = 0

    async def counted(number: int) -> None:
        nonlocal reads
        assert not await log.wait(0, timeout_s=1)
        reads += number

    heads = 0
    plain = event_tables.head

    def head(connection: sqlite3.Connection, prefix: str) -> int:
        nonlocal heads
        heads += 1
        return plain(connection, prefix)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_tables, "head", head)
        await asyncio.gather(*(counted(1) for _ in range(MANY)))
    assert reads == MANY
    assert heads < 2 * MANY, "one read each, and some twenty polls for all"


async def test_a_wait_ends_in_time_and_after_the_others(engine: Engine) -> None:
    log = await engine.events()
    ended: list[float] = []

    async def wait(seconds: float) -> None:
        assert not await log.wait(0, timeout_s=seconds)
        ended.append(seconds)

    await asyncio.gather(*(wait(seconds) for seconds in (0.6, 0.2, 0.4)))
    assert ended == [0.2, 0.4, 0.6]


async def test_waiters_get_the_error_of_a_log_that_fails_and_can_wait_again(tmp_path: Path, engine: Engine) -> None:
    log = await engine.events()
    await log.append([write("a/b/c")], batch=BatchId("1"))
    waiting = [asyncio.create_task(log.wait(1, timeout_s=20)) for _ in range(5)]
    await asyncio.sleep(0.1)
    with table_gone(tmp_path / "events.db", "prefixes"):
        for error in await asyncio.gather(*waiting, return_exceptions=True):
            assert isinstance(error, StoreError)
    assert not await log.wait(1, timeout_s=0.1)


async def test_a_log_that_was_purged_does_not_count_as_grown(engine: Engine) -> None:
    log = await engine.events()
    for name in ("a", "b"):
        await log.append([write(f"{name}/b/c")], batch=BatchId(name))
    assert await log.wait(1, timeout_s=1)
    await log.purge("b/")
    assert not await log.wait(await log.head(), timeout_s=0.2)
    assert await log.head() == 1


async def outlasted(log: EventLog, owner: str) -> float:
    """Ask for the lease until it is had; return for how many seconds."""
    began = anyio.current_time()
    with anyio.fail_after(20 * TTL_S):
        while await log.acquire_lease("l", owner, ttl_s=TTL_S) is None:
            await anyio.sleep(0.02)
    return anyio.current_time() - began


@pytest.mark.parametrize("noted", [TTL_S, None], ids=["", "taken by a build before the first release"])
async def test_a_lease_far_in_the_future_ends_after_the_time_that_its_holder_asked_for(
    tmp_path: Path, engine: Engine, noted: float | None
) -> None:
    """The clock was a day ahead when it was taken, and was set right since; whoever took it is gone."""
    log = await engine.events()
    assert await log.acquire_lease("l", "gone", ttl_s=TTL_S)
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        connection.execute("UPDATE leases SET expires = ?, ttl = ?", (time.time() + DAY_S, noted))
    assert TTL_S / 2 < await outlasted(log, "next") < 10 * TTL_S


async def test_a_holder_that_renews_keeps_such_a_lease(tmp_path: Path, engine: Engine) -> None:
    log = await engine.events()
    mine = await log.acquire_lease("l", "me", ttl_s=LONG_TTL_S)
    assert mine is not None
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        connection.execute("UPDATE leases SET expires = ?", (time.time() + DAY_S,))
    for _ in range(20):
        assert await log.acquire_lease("l", "you", ttl_s=LONG_TTL_S) is None
        assert await log.renew_lease(mine, ttl_s=LONG_TTL_S)
        await anyio.sleep(LONG_TTL_S / 10)


async def test_acquiring_for_a_short_time_does_not_shorten_a_long_lease(engine: Engine) -> None:
    log = await engine.events()
    assert await log.acquire_lease("l", "me", ttl_s=60)
    for _ in range(3):
        assert await log.acquire_lease("l", "you", ttl_s=0.01) is None
        await anyio.sleep(0.02)


async def test_a_checkpoint_that_cannot_be_decoded_is_damage(engine: Engine, tmp_path: Path) -> None:
    log = await engine.events()
    await log.save_checkpoint("c", {"position": 1}, expected=0)
    changed(tmp_path / "events.db", "UPDATE checkpoints SET value = ?", NOT_JSON)
    with pytest.raises(Undecodable, match=r"events\.db is damaged"):
        await log.load_checkpoint("c")


async def test_an_event_that_cannot_be_decoded_leaves_the_other_streams_usable(engine: Engine, tmp_path: Path) -> None:
    await filled(engine)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    log = await engine.events()
    with pytest.raises(Unusable):
        await log.read_all("a/")
    event = NewEvent(EventId("00000009-0000-4000-8000-000000000000"), "Made", {}, Micros(2))
    await log.append([Write(StreamName("b/x/1"), (event,), expected=1)], batch=BatchId("batch-9"))
    assert [each.version for each in await log.read_all("b/")] == [1, 2]


async def test_what_cannot_be_decoded_fails_none_of_the_calls_that_are_read_together_with_it(
    engine: Engine, tmp_path: Path
) -> None:
    await filled(engine)
    log = await engine.events()
    for name in "ab":
        await log.save_checkpoint(name, name, expected=0)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    changed(tmp_path / "events.db", "UPDATE checkpoints SET value = ? WHERE name = 'a'", NOT_JSON)
    names = [*"bb", "a", *"bbbb"]
    streams = await asyncio.gather(
        *(log.read_streams([StreamName(f"{name}/x/1")]) for name in names), return_exceptions=True
    )
    checkpoints = await asyncio.gather(*map(log.load_checkpoint, names), return_exceptions=True)
    for found in (streams, checkpoints):
        assert [isinstance(each, Undecodable) for each in found] == [name == "a" for name in names]
    assert all(isinstance(each, BaseException) or len(each[StreamName("b/x/1")]) == 1 for each in streams)
