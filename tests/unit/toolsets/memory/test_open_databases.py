"""What is attached is let go when it is gone, with all that was kept about it; what goes away is nobody's failure."""

import asyncio
import gc
import random
import sqlite3
import weakref
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from backends.engines.sqlite import event_tables
from backends.ports.values import JsonObject
from tests.support.damage import table_gone
from tests.support.toolsets.knowledge import rows, stores_in
from tests.support.toolsets.memory import memory_in
from toolsets.clock import system_now
from toolsets.memory import closed_databases, open_databases
from toolsets.memory.database import Database
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import DATABASES
from toolsets.sourcing import leadership
from toolsets.sourcing.generations import store_identity
from toolsets.spec import Services

PATIENCE_S = 60.0
IDLE = 30
COUNTED_S = 2.0
READS_PER_S = 20
"""Of one process, however many databases there are: five polls of the log for all who wait, the list, the primary one."""


async def test_the_relay_of_a_database_that_another_process_purges_ends_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its stores seem to have followed a log that has lost its end."""
    monkeypatch.setattr(open_databases, "CHECK_S", PATIENCE_S)
    async with stores_in(tmp_path) as stores, memory_in(tmp_path) as command:
        memory = Memory(Services(stores, system_now, random.Random(), MemorySettings()))
        await command.command("create", "notes")
        await command.store("notes", "Alice", "swordfish")
        async with memory.database("notes") as opened:
            relay = opened.sourced.relay
        following = asyncio.ensure_future(memory.open_databases.run())
        try:
            log = await stores.events()
            async with asyncio.timeout(PATIENCE_S):
                while not relay.is_running:
                    await asyncio.sleep(0)
                await command.command("delete", "notes", "--purge", "--yes")
                while relay.is_running:
                    await log.wait(await log.head(), timeout_s=0.05)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    assert "put back" not in caplog.text
    assert caplog.messages == []


async def test_a_database_that_another_process_deleted_is_closed(tmp_path: Path) -> None:
    """With what was counted in it, of which nobody would ask any more."""
    async with stores_in(tmp_path) as stores, memory_in(tmp_path) as command:
        memory = Memory(Services(stores, system_now, random.Random(), MemorySettings()))
        await command.command("create", "notes")
        async with memory.database("notes") as opened:
            notes, counts = opened.database, weakref.ref(opened.counts)
        del opened
        following = asyncio.ensure_future(memory.open_databases.run())
        try:
            assert memory.open_databases.is_open(notes)
            assert counts() is not None
            await command.command("delete", "notes", "--yes")
            async with asyncio.timeout(PATIENCE_S):
                log = await stores.events()
                while memory.open_databases.is_open(notes):
                    await log.wait(await log.head(), timeout_s=0.05)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        # The first collection takes the database's stores, the second what was kept for them, which refers to itself.
        gc.collect()
        gc.collect()
        assert counts() is None


async def test_an_idle_database_is_closed_until_the_next_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its relay's lease is given back; the primary one stays, and what is still to be projected is not left alone."""
    monkeypatch.setattr(leadership, "LEASE_S", 600.0)  # so that none runs out by itself
    monkeypatch.setattr(open_databases, "CHECK_S", 0.1)
    monkeypatch.setattr(closed_databases, "RETRY_S", 0.5)
    async with memory_in(tmp_path, "notes", "behind", background=True) as server:
        for name in ("notes", "behind"):
            await server.store(name, "Alice", "likes tea")
        log = await server.stores.events()

        async def is_led(name: str) -> bool:
            identity = await store_identity(server.stores, "graph", random.Random(1))
            lease = f"memory/{await server.key(name)}/relay/graph/{identity}"
            return await log.acquire_lease(lease, "another", ttl_s=0.05) is None

        async def let_go(name: str) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while await is_led(name):
                    await log.wait(await log.head(), timeout_s=0.1)

        with table_gone(tmp_path / "vectors.db", "records"):
            await server.store("behind", "Bob")
            monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
            await let_go("notes")
            assert await is_led("memory")
            assert not (await server.attached())["notes"]
            assert await is_led("behind")
        await let_go("behind")
        assert not await is_led("notes"), "nobody takes it again"
        assert not (await server.attached())["behind"]
        assert (await server.attached())["memory"]
        monkeypatch.setattr(open_databases, "UNUSED_S", 60.0)
        assert await server.names("notes", "tea") == ["Alice"]
        found = await server.ask("semantic_search", database="behind", query="Bob", threshold=0.0)
        assert [row["name"] for row in rows(found, "entities")] == ["Bob", "Alice"]
        assert await server.attached() == {"behind": True, "memory": True, "notes": True}


async def test_nothing_is_lost_while_databases_are_closed_and_used_concurrently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
    monkeypatch.setattr(open_databases, "CHECK_S", 0.001)
    async with memory_in(tmp_path, "notes", background=True) as server:
        for number in range(30):
            assert (await server.store("notes", f"Entity {number}"))["status"] == "created"
        assert len(await server.names("notes", "entity")) == 30
        assert server.running.health is not None
        assert (await server.running.health()).lag == 0


@pytest.mark.parametrize("flags", [("--yes",), ("--yes", "--purge")])
async def test_what_goes_away_while_all_are_counted_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    async with memory_in(tmp_path, "notes") as server, memory_in(tmp_path) as command:
        await command.command("create", "others")
        await server.store("others", "Alice")
        await server.ask("get_graph_summary")
        listed = Memory.live

        async def deleted_behind_it(memory: Memory) -> Mapping[str, Database]:
            live = await listed(memory)
            monkeypatch.setattr(Memory, "live", listed)
            assert (await command.command("delete", "others", *flags))[0] == 0
            return live

        monkeypatch.setattr(Memory, "live", deleted_behind_it)
        nothing = {"entities": 0, "relationships": 0}
        assert await server.ask("get_graph_summary") == {
            "scope": "all_databases",
            "databases": {"memory": nothing, "notes": nothing},
            "total_databases": 2,
        }


async def test_unused_databases_are_closed_within_seconds_and_cost_nothing_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open one asks the log every second; reads are counted, since the processor's time depends on the machine."""
    assert open_databases.UNUSED_S <= 2.0
    interval = open_databases.CHECK_S
    monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
    monkeypatch.setattr(open_databases, "CHECK_S", 0.01)
    reads: Counter[str] = Counter()
    plain = event_tables.head

    def head(connection: sqlite3.Connection, prefix: str) -> int:
        reads[prefix] += 1
        return plain(connection, prefix)

    async with memory_in(tmp_path, *(f"archive_{number}" for number in range(IDLE)), background=True) as server:
        assert len(cast("JsonObject", (await server.ask("get_graph_summary"))["databases"])) == IDLE + 1
        log = await server.stores.events()
        async with asyncio.timeout(PATIENCE_S):
            while sum((await server.attached()).values()) > 1:
                await log.wait(await log.head(), timeout_s=0.05)
        assert (await server.attached())["memory"]
        monkeypatch.setattr(open_databases, "CHECK_S", interval)
        await asyncio.sleep(0.1)
        monkeypatch.setattr(event_tables, "head", head)
        await asyncio.sleep(COUNTED_S)
    own = [prefix for prefix in reads if prefix.startswith("memory/") and prefix != DATABASES]
    assert len(own) <= 1, "the primary one's alone"
    assert reads.total() <= COUNTED_S * READS_PER_S, reads
