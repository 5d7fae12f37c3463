"""What is wrong with log and stores, and how much is pending."""

from pathlib import Path

import pytest

from backends.ports.errors import InvalidInput, NotFound, StoreError, Unavailable, Unusable
from tests.support.damage import table_gone
from tests.unit.toolsets.sourcing.library import PROJECTOR, library
from toolsets.sourcing.health import (
    ProjectionCounts,
    SourcedHealth,
    event_counts,
    failures_of,
    pending_in,
    pending_since,
    projection_counts,
    search_once,
    sourced_health,
    without_leader,
)


def test_counts_of_two_stores_are_added() -> None:
    assert ProjectionCounts(1, 2, 3) + ProjectionCounts(10, 20, 30) == ProjectionCounts(11, 22, 33)


def test_other_problems_come_first_and_each_once() -> None:
    health = SourcedHealth(3, ("a", "b")).toolset_health("c", "a")
    assert (health.ok, health.lag, health.problems) == (False, 3, ("c", "a", "b"))
    assert SourcedHealth().toolset_health().ok


async def test_each_store_that_fails_has_a_sentence_in_the_given_order() -> None:
    async def answers() -> None: ...

    async def is_down() -> None:
        raise Unavailable("it is down")

    async def is_damaged() -> None:
        raise Unusable("The graph is damaged.")

    assert await failures_of({"log": is_down, "graph": is_damaged, "embedder": answers}) == {
        "log": "the log does not answer: it is down",
        "graph": "The graph is damaged.",
    }


async def test_a_permanent_error_is_not_said_to_be_an_outage() -> None:
    async def has_a_wrong_option() -> None:
        raise InvalidInput("[stores.here]: there is no such option")

    found = await failures_of({"log": has_a_wrong_option, "graph": has_a_wrong_option})
    assert found == dict.fromkeys(("log", "graph"), "[stores.here]: there is no such option")

    async def lacks_a_table() -> None:
        raise NotFound("there is no table")

    assert await failures_of({"graph": lacks_a_table}) == {"graph": "the graph cannot be used: there is no table"}


async def test_errors_that_no_store_raises_pass() -> None:
    async def breaks() -> None:
        raise LookupError("a defect")

    with pytest.raises(ExceptionGroup):
        await failures_of({"log": breaks})


async def test_what_another_server_recorded_is_pending_until_it_is_projected(tmp_path: Path) -> None:
    async with library(tmp_path / "log", tmp_path / "other graph", tmp_path / "other vectors") as other:
        await other.title("a", "one")
        await other.title("b", "two")
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        live = server.sourced.live_stores
        log = await live.log()
        counts = await event_counts(log, PROJECTOR)
        assert sum(counts.values()) == 2
        assert await projection_counts(live, counts) == ProjectionCounts(pending=4)
        assert (await pending_in(live, "graph"), await pending_in(live, "vectors")) == (2, 2)
        first, *_ = await log.read_all(PROJECTOR.prefix, after=0, limit=10)
        assert await pending_since(live) == first.at
        assert await without_leader(live) == ("graph", "vectors")
        await server.sourced.relay.catch_up()
        assert await projection_counts(live, counts) == ProjectionCounts(processed=4)
        assert await pending_since(live) is None
        assert await sourced_health(live, lambda: ()) == SourcedHealth(0)
        assert await sourced_health(live, lambda: ("no space",)) == SourcedHealth(
            0, ("projections are not being written: no space",)
        )


async def test_a_store_that_fails_is_named_and_the_lag_unknown(tmp_path: Path) -> None:
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        await server.title("a", "one")
        live = server.sourced.live_stores
        with table_gone(tmp_path / "graph" / "graph.db", "meta"):
            health = await sourced_health(live, lambda: ())
        assert health.lag is None
        assert [problem.partition(":")[0] for problem in health.problems] == ["the graph cannot be used"]


async def test_a_search_finds_what_the_metadata_do_not_show(tmp_path: Path) -> None:
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        await server.title("a", "one")
        live = server.sourced.live_stores
        await search_once(live, "graph")
        await search_once(live, "vectors")
        with table_gone(tmp_path / "graph" / "graph.db", "nodes"):
            with pytest.raises(StoreError):
                await search_once(live, "graph")
            await search_once(live, "vectors")
