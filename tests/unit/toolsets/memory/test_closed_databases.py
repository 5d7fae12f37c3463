"""A database is closed only when no call uses it, and what is pending in a closed one is projected all the same."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from backends.engines.sqlite.events import SqliteEventLog
from backends.ports.events import Appended, BatchId, Write
from tests.support.damage import table_gone
from tests.support.toolsets.memory import Instance, memory_in
from toolsets.memory import closed_databases, open_databases
from toolsets.sourcing.generations import store_identity

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def _closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
    monkeypatch.setattr(open_databases, "CHECK_S", 0.01)
    monkeypatch.setattr(closed_databases, "RETRY_S", 0.1)
    monkeypatch.setattr(closed_databases, "OTHERS_S", 0.2)


async def until_closed(server: Instance, *names: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while {*names} & {name for name, is_attached in (await server.attached()).items() if is_attached}:
            await asyncio.sleep(0.02)


async def until_projected(server: Instance) -> None:
    assert server.running.health is not None
    async with asyncio.timeout(PATIENCE_S):
        while not (found := await server.running.health()).ok or found.lag != 0:
            await asyncio.sleep(0.05)


async def is_led(server: Instance, name: str) -> bool:
    """Return whether the server holds the lease of a database's graph, as it does while the database is open."""
    identity = await store_identity(server.stores, "graph", random.Random(1))
    lease = f"memory/{await server.key(name)}/relay/graph/{identity}"
    return await (await server.stores.events()).acquire_lease(lease, "another", ttl_s=0.01) is None


async def test_a_database_stays_open_while_a_call_uses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the log takes to answer; it is closed after the call has ended."""
    appending, answer = asyncio.Event(), asyncio.Event()
    append = SqliteEventLog.append

    async def slow(self: SqliteEventLog, writes: Sequence[Write], *, batch: BatchId) -> Appended:
        if any("Alice" in str(event.data) for write in writes for event in write.events):
            appending.set()
            await answer.wait()
        return await append(self, writes, batch=batch)

    monkeypatch.setattr(SqliteEventLog, "append", slow)
    async with memory_in(tmp_path, "notes", "others", background=True) as server:
        monkeypatch.setattr(open_databases, "UNUSED_S", 60.0)
        await server.store("notes", "Bob")
        writing = asyncio.ensure_future(server.store("notes", "Alice", "likes tea"))
        await appending.wait()
        monkeypatch.setattr(open_databases, "UNUSED_S", 0.0)
        await server.store("others", "Bob")
        await until_closed(server, "others")
        assert (await server.attached())["notes"]
        answer.set()
        assert (await writing)["embedded"]
        await until_closed(server, "notes")


async def test_what_another_process_leaves_pending_in_a_closed_database_is_projected(tmp_path: Path) -> None:
    """A command ends after its call, with nobody to try again."""
    async with memory_in(tmp_path, "notes", background=True) as server:
        await server.store("notes", "Alice", "likes tea")
        await until_closed(server, "notes")
        await until_projected(server)
        async with memory_in(tmp_path, "notes") as command:
            await command.names("notes", "tea")
            with table_gone(tmp_path / "vectors.db", "records"):
                assert not (await command.store("notes", "Bob", "likes tea"))["embedded"]
        await until_projected(server)
        await until_closed(server, "notes")
        async with memory_in(tmp_path, "notes") as command:
            assert command.running.health is not None
            assert (await command.running.health()).lag == 0


async def test_few_unused_databases_stay_open_for_pending_projections_and_all_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_databases, "MAX_WAITING", 1)
    names = ("archive", "notes", "others")
    async with memory_in(tmp_path, *names, background=True) as server:
        for name in names:
            await server.store(name, "Alice", "likes tea")
        with table_gone(tmp_path / "vectors.db", "records"):
            for name in names:
                assert not (await server.store(name, "Bob"))["embedded"]
            async with asyncio.timeout(PATIENCE_S):
                while sum([await is_led(server, name) for name in names]) > 1:
                    await asyncio.sleep(0.05)
        await until_projected(server)
        await until_closed(server, *names)
