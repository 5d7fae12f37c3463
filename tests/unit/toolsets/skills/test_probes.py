"""Probes: a store that hangs is named in time and asked once, and one that answers again is well."""

import asyncio

import pytest

from backends.ports.errors import Unavailable
from toolsets.skills.probes import Probe, problems
from toolsets.sourcing.generations import LiveGenerationUnknown


class Store:
    """A store that answers, fails, or hangs until it is freed."""

    def __init__(self) -> None:
        self.questions = 0
        self.freed = asyncio.Event()
        self.freed.set()
        self.error: Exception | None = None

    async def ask(self) -> None:
        self.questions += 1
        await self.freed.wait()
        if self.error is not None:
            raise self.error


@pytest.fixture
async def store() -> Store:
    return Store()


async def test_a_store_that_hangs_is_named_in_time_beside_those_that_answer(store: Store) -> None:
    probes = (Probe("event log", Store().ask), Probe("graph", store.ask))
    assert await problems(probes, within_s=30) == ()
    store.freed.clear()
    assert await problems(probes, within_s=0.05) == ("The graph did not answer within 0.05 s",)
    await probes[1].close()


async def test_a_store_that_hangs_is_asked_once_however_many_ask(store: Store) -> None:
    probe = Probe("graph", store.ask)
    store.freed.clear()
    assert await problems((probe,) * 50, within_s=0.05) == ("The graph did not answer within 0.05 s",) * 50
    assert await probe.problem(within_s=0.05) is not None
    assert store.questions == 1
    store.freed.set()
    assert await probe.problem(within_s=30) is None
    assert await probe.problem(within_s=30) is None
    assert store.questions == 2, "an answer is not kept"


async def test_a_probe_that_may_be_late_reports_failures_only(store: Store) -> None:
    probe = Probe("graph", store.ask, may_be_late=True)
    store.freed.clear()
    assert await problems((probe,), within_s=0.05) == ()
    store.error = Unavailable("the index is gone")
    store.freed.set()
    assert len(await problems((probe,), within_s=30)) == 1


async def test_a_failure_is_a_sentence_without_the_words_of_the_driver(store: Store) -> None:
    store.error = Unavailable("10.0.0.1:5432 refused")
    probe = Probe("graph", store.ask)
    assert await probe.problem(within_s=30) == "The graph does not answer; see the server's log"


async def test_a_probe_that_is_closed_asks_no_longer(store: Store) -> None:
    before = asyncio.all_tasks()
    store.freed.clear()
    probe = Probe("graph", store.ask)
    await probe.problem(within_s=0.01)
    assert asyncio.all_tasks() != before
    await probe.close()
    await Probe("graph", store.ask).close()
    assert asyncio.all_tasks() == before


async def test_new_stores_that_wait_for_the_log_blame_it(store: Store) -> None:
    """They answer, but do not know yet which generation is live."""
    store.error = LiveGenerationUnknown("PostgreSQL at 127.0.0.1:1 does not answer")
    probes = (Probe("graph", store.ask), Probe("vector store", store.ask))
    assert {*await problems(probes, within_s=30)} == {"The event log does not answer; see the server's log"}
