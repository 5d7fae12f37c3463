"""What fails, and how it is told: nothing is reported as done that is not, and nothing is done twice."""

import random
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import cast

import pytest

from backends.opening import StoreHouse
from backends.ports.adapter import Stores
from backends.ports.errors import Conflict, StoreError, Timeout
from backends.ports.events import Appended, BatchId, EventLog, StreamName, Write
from backends.ports.values import Json
from tests.unit.knowledge.running import Instance, store_tables, stores_in
from toolsets.clock import system_now
from toolsets.knowledge.plugin import assemble
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.knowledge.settings import KnowledgeSettings
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories
from toolsets.sourcing.commit import ATTEMPTS, Committer
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.relay import Relay
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.writing import Bell
from toolsets.spec import CallContext, Services

STREAM = StreamName("test/thing/1")
CONTEXT = CallContext("test")


class LosesAnswers:
    """A real log whose first answers to `append` get lost on the way back."""

    def __init__(self, log: EventLog, lost: int) -> None:
        self._log = log
        self._lost = lost
        self.read_streams = log.read_streams

    async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        appended = await self._log.append(writes, batch=batch)
        if self._lost:
            self._lost -= 1
            raise Timeout("the answer was lost")
        return appended


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncGenerator[Stores]:
    async with stores_in(tmp_path) as opened:
        yield opened


def add_one(histories: Histories) -> Decision[int]:
    count = len(histories[STREAM])
    return Decision(count, (Change(STREAM, (Fact("test.added", {"n": count}),)),))


async def test_a_lost_answer_is_asked_for_again_and_the_fact_recorded_once(stores: Stores) -> None:
    log = await stores.events()
    forgetful = cast("EventLog", LosesAnswers(log, 1))
    committed = await Committer(system_now, random.Random(1)).commit(forgetful, add_one, CONTEXT)
    assert [event.data for event in committed.changed[STREAM]] == [{"n": 0}]
    assert len(await log.read_stream(STREAM)) == 1


async def test_a_log_that_stays_silent_is_reported(stores: Stores) -> None:
    forgetful = cast("EventLog", LosesAnswers(await stores.events(), 2))
    with pytest.raises(Timeout):
        await Committer(system_now, random.Random(1)).commit(forgetful, add_one, CONTEXT)


async def test_a_race_is_decided_again_on_what_the_winner_left(stores: Stores) -> None:
    log = await stores.events()
    committer = Committer(system_now, random.Random(1))
    rivals = 3

    class Raced(LosesAnswers):
        async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
            nonlocal rivals
            if rivals:
                rivals -= 1
                await committer.commit(log, add_one, CONTEXT)
            return await log.append(writes, batch=batch)

    committed = await committer.commit(cast("EventLog", Raced(log, 0)), add_one, CONTEXT)
    assert committed.value == 3
    assert [event.data["n"] for event in await log.read_stream(STREAM)] == [0, 1, 2, 3]


async def test_a_race_lost_too_often_is_a_conflict(stores: Stores) -> None:
    log = await stores.events()
    committer = Committer(system_now, random.Random(1))

    class AlwaysRaced(LosesAnswers):
        async def append(self, writes: Sequence[Write], *, batch: BatchId) -> Appended:
            await committer.commit(log, add_one, CONTEXT)
            return await log.append(writes, batch=batch)

    with pytest.raises(Conflict):
        await committer.commit(cast("EventLog", AlwaysRaced(log, 0)), add_one, CONTEXT)
    assert len(await log.read_stream(STREAM)) == ATTEMPTS


async def call(stores: Stores, tool: str, **arguments: Json) -> dict[str, Json]:
    services = Services(stores, system_now, random.Random(), KnowledgeSettings())
    async with assemble(services) as running:
        return dict(await Instance(running, stores).ask(tool, **arguments))


async def test_a_store_that_cannot_be_opened_makes_its_services_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    house = StoreHouse(store_tables(directory=str(tmp_path / "file")), tmp_path)
    stores = house.stores(graph="db", vectors="db", events="db", embedder="model")
    for tool, arguments, service in (
        ("create_concept", {"name": "x", "explanation": "x"}, "repository"),
        ("search_concepts_exact", {}, "neo4j_service"),
        ("search_concepts_semantic", {"query": "x"}, "chromadb_service"),
        ("get_server_stats", {}, "event_store"),
    ):
        reply = await call(stores, tool, **arguments)
        assert reply["error"] == "service_unavailable", tool
        assert service in str(reply["message"])
    assert (await call(stores, "get_server_stats"))["status"] == "error"
    availability = await call(stores, "get_tool_availability")
    assert availability["available"] == ["get_server_stats", "get_tool_availability", "ping"]
    assert availability["success"] is True
    assert (await call(stores, "ping"))["status"] == "ok"
    await house.close()


async def test_a_store_that_fails_during_a_search_is_named_by_its_code(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores:
        services = Services(stores, system_now, random.Random(), KnowledgeSettings())
        async with assemble(services) as running:
            instance = Instance(running, stores)
            await instance.create("A")
            for store, tool, arguments, code in (
                ("graph", "get_recent_concepts", {}, "neo4j_error"),
                ("vectors", "search_concepts_semantic", {"query": "x"}, "chromadb_error"),
            ):
                for file in tmp_path.glob(f"{store}.db*"):
                    file.unlink()
                assert (await instance.ask(tool, **arguments))["error"] == code
                assert (await instance.ask(tool, **arguments))["success"], (
                    "it works again, empty, until the relay fills it"
                )


async def test_without_a_model_nothing_is_recorded(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores:
        await call(stores, "create_concept", name="A", explanation="A.")
    house = StoreHouse({"db": {"kind": "sqlite"}}, tmp_path)
    without = house.stores(graph="db", vectors="db", events="db")
    log = await without.events()
    before = await log.head()
    assert (await call(without, "create_concept", name="B", explanation="B."))["error"] == "service_unavailable"
    assert (await call(without, "search_concepts_exact"))["total"] == 1
    assert await log.head() == before
    await house.close()


async def test_a_damaged_store_is_waited_for_and_no_stream_is_blamed(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores:
        services = Services(stores, system_now, random.Random(), KnowledgeSettings())
        async with assemble(services) as running:
            instance = Instance(running, stores)
            await instance.create("whole")
            with sqlite3.connect(tmp_path / "graph.db") as database:
                database.execute("DROP TABLE nodes")
            database.close()
            reply = await instance.ask("create_concept", name="later", explanation="x")
            assert reply["message"] == "Created; indexing is pending"
            relay = Relay(Sites(stores, KnowledgeProjector(), random.Random(2)), system_now, InFlight(), Bell())
            with pytest.raises(StoreError):
                await relay.catch_up()
            pending, _, failed = await instance.outbox()
            assert pending >= 1
            assert failed == 0
