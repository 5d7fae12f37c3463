"""One process leads at a time, knows until when, and stops writing before another one may begin."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup

from backends.ports.events import EventLog
from backends.stores import OpenStores
from tests.support.leases import unanswered_leases
from toolsets.sourcing import leadership
from toolsets.sourcing.leadership import Leadership, NotLeader


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[EventLog]:
    house = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    yield await house.stores(events="db").events()
    await house.close()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lease last three seconds: long enough to renew it in time on a busy processor."""
    monkeypatch.setattr(leadership, "LEASE_S", 3.0)
    monkeypatch.setattr(leadership, "MARGIN_S", 1.5)
    monkeypatch.setattr(leadership, "RENEW_AFTER_S", 0.5)


@pytest.fixture
def doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a leader ask the log whenever it looks after its lease."""
    monkeypatch.setattr(leadership, "RENEW_AFTER_S", 0.0)


async def test_the_first_to_ask_leads_until_it_gives_the_lead_back(log: EventLog) -> None:
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert not one.leads
    assert (await one.acquire(log), await two.acquire(log), await one.acquire(log)) == (True, False, True)
    with one.single_writer():
        assert (one.leads, two.leads) == (True, False)
    with pytest.raises(NotLeader), two.single_writer():
        pytest.fail("only the leader writes")
    await one.release(log)
    assert await two.acquire(log)
    with pytest.raises(NotLeader), one.single_writer():
        pytest.fail("what was given back is not to be used")


@pytest.mark.usefixtures("short")
async def test_a_leader_that_does_not_renew_stops_before_another_one_may_lead(log: EventLog) -> None:
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert await one.acquire(log)
    began = anyio.current_time()
    with pytest.raises(NotLeader), one.single_writer():
        await anyio.sleep_forever()
    stopped = anyio.current_time()
    assert not await two.acquire(log)
    while not await two.acquire(log):
        await log.wait(await log.head(), timeout_s=0.02)
    assert 1.4 < stopped - began < 3
    assert anyio.current_time() - stopped > 0.2


@pytest.mark.usefixtures("short")
async def test_a_leader_that_renews_may_write_for_longer_than_a_lease(log: EventLog) -> None:
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert await one.acquire(log)

    async def keep() -> None:
        while True:
            await anyio.sleep(0.1)
            await one.renew(log)

    async with anyio.create_task_group() as group:
        group.start_soon(keep)
        with one.single_writer():
            for _ in range(5):
                await log.wait(await log.head(), timeout_s=0.8)
                assert not await two.acquire(log)
        group.cancel_scope.cancel()
    assert one.term == 1


@pytest.mark.usefixtures("doubtful")
async def test_a_leader_that_finds_its_lease_gone_stops_at_once(log: EventLog) -> None:
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert await one.acquire(log)
    taken = await log.lease("t", "one", ttl_s=1.0)
    assert taken is not None
    await log.release(taken)
    assert await two.acquire(log)
    with anyio.fail_after((leadership.LEASE_S - leadership.MARGIN_S) / 2), pytest.raises(NotLeader):
        await write_on(one, log)


async def test_a_lease_whose_grant_never_arrived_is_given_back(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process was stopped while the log answered: it does not know that it leads, and the log does."""
    one, two = Leadership("t", "one"), Leadership("t", "two")
    with unanswered_leases(monkeypatch) as granted:
        task = asyncio.create_task(one.acquire(log))
        await granted.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (one.leads, one.may_hold, await two.acquire(log)) == (False, True, False)
    await one.release(log)
    assert (one.may_hold, await two.acquire(log)) == (False, True)
    await one.release(log)
    assert await log.lease_owner("t") == "two"


async def test_a_question_that_the_log_leaves_without_an_answer_is_known(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log may be read while another program keeps it from being written."""
    one = Leadership("t", "one")
    with unanswered_leases(monkeypatch) as answered:
        task = asyncio.create_task(one.acquire(log))
        await answered.wait()
        assert one.unanswered_since is not None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert one.unanswered_since is not None
    assert await one.acquire(log)
    assert one.unanswered_since is None


async def test_a_stopped_process_releases_no_lease_of_another(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert await two.acquire(log)
    with unanswered_leases(monkeypatch) as answered:
        task = asyncio.create_task(one.acquire(log))
        await answered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await one.release(log)
    assert await log.lease_owner("t") == "two"


@pytest.mark.usefixtures("doubtful")
async def test_a_lead_that_was_lost_and_won_again_ends_what_was_begun_before(log: EventLog) -> None:
    """Another one may have written meanwhile."""
    one, two = Leadership("t", "one"), Leadership("t", "two")
    assert await one.acquire(log)
    taken = await log.lease("t", "one", ttl_s=1.0)
    assert taken is not None
    await log.release(taken)
    assert await two.acquire(log)
    await two.release(log)
    async with anyio.create_task_group() as group:
        with pytest.raises(NotLeader):
            await write_beside(one, log, group)
    assert (one.leads, one.term) == (True, 2)


async def write_beside(leader: Leadership, log: EventLog, group: TaskGroup) -> None:
    """Write for ever, while another task looks after the lease."""
    with leader.single_writer():
        group.start_soon(leader.acquire, log)
        await anyio.sleep_forever()


async def write_on(leader: Leadership, log: EventLog) -> None:
    """Write for ever, and look after the lease meanwhile."""
    with leader.single_writer():
        assert not await leader.acquire(log)
        await anyio.sleep_forever()
