"""Those who wait for the log to grow are told by one poll, of their own process or another one's appends."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from backends.engines.sqlite import event_tables
from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import StoreError
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.samples import write
from tests.support.damage import table_gone

MANY = 200


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
