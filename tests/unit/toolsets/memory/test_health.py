"""The health of many databases: a check takes no longer with their number, and finds what is wrong with any of them."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backends.ports.events import BatchId, EventId, Expected, NewEvent, Write
from tests.support.damage import table_gone
from tests.support.toolsets.memory import Instance, memory_in
from toolsets.clock import system_now
from toolsets.memory import closed_databases, health, open_databases
from toolsets.memory.database import Database
from toolsets.memory.open_databases import OpenDatabases
from toolsets.memory.streams import Keyspace
from toolsets.sourcing.health import SourcedHealth
from toolsets.spec import ToolsetHealth

PATIENCE_S = 60.0
MOST = 3
NAMES = tuple(f"notes_{number}" for number in range(8))


@pytest.fixture(autouse=True)
def _closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MAX_QUERIED", MOST)
    monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
    monkeypatch.setattr(open_databases, "CHECK_S", 0.01)
    monkeypatch.setattr(closed_databases, "RETRY_S", 0.1)


@pytest.fixture
def queried(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the databases that are queried."""
    counts: Counter[str] = Counter()
    plain = OpenDatabases.health

    async def counting(self: OpenDatabases, database: Database) -> SourcedHealth:
        counts[database.name] += 1
        return await plain(self, database)

    monkeypatch.setattr(OpenDatabases, "health", counting)
    return counts


@asynccontextmanager
async def server_in(directory: Path) -> AsyncGenerator[Instance]:
    """Run a server with several databases of one entity, all of them but the primary one closed."""
    async with memory_in(directory, *NAMES, background=True) as server:
        for name in NAMES:
            await server.store(name, "Alice", "likes tea")
        async with asyncio.timeout(PATIENCE_S):
            while sum((await server.attached()).values()) > 1 or (await check(server)).notes:
                await asyncio.sleep(0.02)
        yield server


async def check(server: Instance) -> ToolsetHealth:
    assert server.running.health is not None
    return await server.running.health()


async def until_settled(server: Instance) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await check(server)).lag != 0:
            await asyncio.sleep(0.02)


async def test_a_check_queries_few_databases_and_the_next_checks_query_the_others(
    tmp_path: Path, queried: Counter[str]
) -> None:
    async with server_in(tmp_path) as server:
        queried.clear()
        for number in range(1, len(NAMES)):
            assert await check(server) == ToolsetHealth(ok=True, lag=0)
            assert queried.total() == number * MOST
        assert queried.keys() == {"memory", *NAMES}


async def test_a_command_queries_all_databases(tmp_path: Path, queried: Counter[str]) -> None:
    """It checks only once."""
    async with memory_in(tmp_path, *NAMES) as command:
        assert await check(command) == ToolsetHealth(ok=True, lag=0)
        assert queried == {"memory": 1, **dict.fromkeys(NAMES, 1)}


async def test_what_is_wrong_with_one_of_many_databases_is_found_at_once_and_said_every_time(tmp_path: Path) -> None:
    async with server_in(tmp_path) as server:
        stream = Keyspace(await server.key(NAMES[-1])).entity("Bob")
        event = NewEvent(EventId("newer"), "memory.of_a_newer_version", {}, system_now())
        log = await server.stores.events()
        await log.append((Write(stream, (event,), Expected.NEW),), batch=BatchId("newer"))
        async with asyncio.timeout(PATIENCE_S):
            while not (await check(server)).problems:
                await asyncio.sleep(0.02)
        for _ in range(len(NAMES)):
            found = await check(server)
            [problem] = found.problems
            assert problem.startswith(f"database {NAMES[-1]}: ")
            assert problem.endswith("tried again")
            assert found.lag


async def test_a_store_that_is_down_is_said_once_for_all_databases(tmp_path: Path, queried: Counter[str]) -> None:
    async with server_in(tmp_path) as server:
        queried.clear()
        with table_gone(tmp_path / "vectors.db", "meta"):
            found = await check(server)
            [problem] = found.problems
            assert problem.startswith(f"database memory and {len(NAMES)} more: ")
            assert "no such table: meta" in problem
            assert (found.ok, found.lag, queried.total()) == (False, None, 1)
        await until_settled(server)


async def test_a_database_that_does_not_answer_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "BUDGET_S", 1.0)
    async with server_in(tmp_path) as server:
        plain = OpenDatabases.health

        async def hanging(self: OpenDatabases, database: Database) -> SourcedHealth:
            if database.name == NAMES[0]:
                await asyncio.Event().wait()
            return await plain(self, database)

        monkeypatch.setattr(OpenDatabases, "health", hanging)
        async with asyncio.timeout(PATIENCE_S):
            while (found := await check(server)).ok:
                await asyncio.sleep(0.02)
        assert found.problems == (f"database {NAMES[0]}: it did not answer within 3 s",)
        assert found.lag is None


async def test_what_a_check_finds_pending_in_a_closed_database_is_projected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no problem meanwhile: a server runs, though nobody leads that database's stores."""
    monkeypatch.setattr(closed_databases, "OTHERS_S", 10 * PATIENCE_S)
    async with server_in(tmp_path) as server:
        async with memory_in(tmp_path, *NAMES) as command:
            await command.names(NAMES[0], "tea")
            with table_gone(tmp_path / "vectors.db", "records"):
                assert not (await command.store(NAMES[0], "Bob"))["embedded"]
        found = await check(server)
        assert (found.ok, found.lag) == (True, 1)
        await until_settled(server)
