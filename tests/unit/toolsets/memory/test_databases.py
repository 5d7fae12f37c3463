"""Databases over several processes: seen by all, caught up by the next, gone for all."""

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backends.ports.errors import NotFound, Unavailable, Undecodable
from backends.ports.events import BatchId, EventId, Expected, NewEvent, Write
from backends.ports.values import JsonObject, Micros, NodeId, RecordId
from tests.support.damage import blocked, table_gone
from tests.support.toolsets.knowledge import rows, separate_stores_in, stores_in
from tests.support.toolsets.memory import Instance, memory_in
from toolsets.clock import system_now
from toolsets.memory import closed_databases
from toolsets.memory.database import CREATED
from toolsets.memory.databases import Databases
from toolsets.memory.plugin import assemble
from toolsets.memory.projections import ENTITIES, projector_of
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import Keyspace, database_stream, entity_id
from toolsets.sourcing.generations import generation_namespace
from toolsets.sourcing.lineage import OtherLog
from toolsets.spec import Services

PATIENCE_S = 20.0


async def keyspace(instance: Instance, name: str) -> Keyspace:
    return Keyspace(await instance.key(name))


async def projected(instance: Instance, name: str, entity: str) -> bool:
    """Say whether graph and vectors have an entity, looking at the stores themselves."""
    namespace = generation_namespace(projector_of(await keyspace(instance, name)), 1)
    graph, vectors = await instance.stores.graph(namespace), await instance.stores.vectors(namespace)
    key = entity_id(entity)
    try:
        in_vectors = await vectors.revisions(ENTITIES, [RecordId(key)])
    except NotFound:
        return False
    return bool(in_vectors) and bool(await graph.node_revisions([NodeId(key)]))


async def test_events_left_unprojected_by_a_killed_process_are_projected_in_closed_databases(tmp_path: Path) -> None:
    """The primary database is caught up before serving, an unattached one in the background, and stays unattached."""
    async with memory_in(tmp_path, "other") as first:
        for name in ("memory", "other"):
            await first.store(name, "Alice", "likes tea")
    for file in (*tmp_path.glob("graph.db*"), *tmp_path.glob("vectors.db*")):
        file.unlink()
    async with memory_in(tmp_path, "other", background=True) as second:
        assert await projected(second, "memory", "Alice")
        assert await second.names("memory", "tea") == ["Alice"]
        async with asyncio.timeout(PATIENCE_S):
            log = await second.stores.events()
            while not await projected(second, "other", "Alice"):
                await log.wait(await log.head(), timeout_s=0.05)
        assert await second.attached() == {"memory": True, "other": False}
        assert second.running.health is not None
        assert (await second.running.health()).lag == 0


async def test_what_another_process_may_still_be_at_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed a moment ago holds the lease until it runs out, and nothing is done meanwhile."""
    monkeypatch.setattr(closed_databases, "RETRY_S", 0.1)
    async with memory_in(tmp_path, "other") as first:
        await first.store("other", "Alice", "likes tea")
        prefix = (await keyspace(first, "other")).prefix
    for file in (*tmp_path.glob("graph.db*"), *tmp_path.glob("vectors.db*")):
        file.unlink()
    async with stores_in(tmp_path) as stores:
        held = await (await stores.events()).acquire_lease(f"{prefix}relay", "the killed one", ttl_s=1.0)
        assert held is not None
    async with memory_in(tmp_path, "other", background=True) as second:
        log = await second.stores.events()
        async with asyncio.timeout(PATIENCE_S):
            while not await projected(second, "other", "Alice"):
                await log.wait(await log.head(), timeout_s=0.05)


async def test_databases_are_searched_by_a_process_that_starts_while_the_log_is_down(tmp_path: Path) -> None:
    """The graph has noted which there are; writes are refused, and the log is used again once it is back."""
    own = tmp_path / "own"
    async with memory_in(tmp_path / "log", "other", own=own) as instance:
        for name in ("memory", "other"):
            await instance.store(name, "Alice", "likes tea")
        await instance.command("create", "late")
        await instance.store("late", "Bob", "likes tea")
        await instance.names("late", "tea")
    with blocked(tmp_path / "log"):
        async with memory_in(tmp_path / "log", "other", background=True, own=own) as instance:
            assert await instance.names("memory", "tea") == ["Alice"]
            assert await instance.names("other", "tea") == ["Alice"]
            assert await instance.names("late", "tea") == ["Bob"]
            found = await instance.ask("semantic_search", database="other", query="likes tea", threshold=0.0)
            assert [row["name"] for row in rows(found, "entities")] == ["Alice"]
            refused = await instance.store("memory", "Carol")
            assert (refused["status"], "unavailable" in str(refused["message"])) == ("error", True)
            unknown = str((await instance.ask("search_entities", database="none", query="x"))["message"])
            assert unknown.startswith("Reading the list of databases failed (unavailable)")
    async with memory_in(tmp_path / "log", "other", own=own) as instance:
        assert (await instance.store("memory", "Carol"))["status"] == "created"


@pytest.mark.parametrize("purge", [(), ("--purge",)])
async def test_what_commands_changed_is_known_to_a_process_that_starts_while_the_log_is_down(
    tmp_path: Path, purge: tuple[str, ...]
) -> None:
    """Without a server between, which would record the list in the graph."""
    own = tmp_path / "own"
    async with memory_in(tmp_path / "log", own=own) as server:
        await server.command("create", "secret")
        await server.store("secret", "Passphrase", "swordfish")
    async with unstarted_memory_in(tmp_path / "log", own) as command:
        assert (await command.command("delete", "secret", "--yes", *purge))[0] == 0
        assert (await command.command("create", "fresh"))[0] == 0
    with blocked(tmp_path / "log"):
        async with memory_in(tmp_path / "log", own=own) as server:
            found = await server.ask("search_entities", database="secret", query="Passphrase")
            assert str(found["message"]).startswith("Reading the list of databases failed (unavailable)")
            assert list(await server.attached()) == ["memory", "fresh"]


async def test_another_primary_database_is_not_served_before_the_log_can_be_read(tmp_path: Path) -> None:
    """The list in the graph was recorded with other settings, so it lacks the database that must exist."""
    own = tmp_path / "own"
    async with memory_in(tmp_path / "log", own=own) as instance:
        await instance.store("memory", "Alice", "likes tea")
    settings = MemorySettings(primary="other")
    with blocked(tmp_path / "log"):
        async with unstarted_memory_in(tmp_path / "log", own, settings) as instance:
            assert instance.running.open is not None
            with pytest.raises(Unavailable):
                await instance.running.open()
            found = await instance.ask("search_entities", database="memory", query="tea")
            assert str(found["message"]).startswith("Reading the list of databases failed (unavailable)")
    async with unstarted_memory_in(tmp_path / "log", own, settings) as instance:
        assert instance.running.open is not None
        await instance.running.open()
        assert await instance.names("memory", "tea") == ["Alice"]
        assert list(await instance.attached()) == ["other", "memory"]


@asynccontextmanager
async def unstarted_memory_in(log: Path, own: Path, settings: MemorySettings | None = None) -> AsyncGenerator[Instance]:
    """Assemble the toolset as a command does, which prepares nothing."""
    async with separate_stores_in(log, own) as stores:
        services = Services(stores, system_now, random.Random(), settings or MemorySettings())
        async with assemble(services) as running:
            yield Instance(running, stores)


async def test_databases_that_are_known_are_searched_while_the_log_is_down(tmp_path: Path) -> None:
    """The graph and the vectors answer; only a name that was never seen cannot be told from one that is not there."""
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "Alice", "likes tea")
        with table_gone(tmp_path / "events.db", "prefixes"):
            assert await instance.names("memory", "tea") == ["Alice"]
            assert await instance.attached() == {"memory": True}
            refused = await instance.store("memory", "Bob")
            assert (refused["status"], "failed" in str(refused["message"])) == ("error", True)
        assert (await instance.store("memory", "Bob"))["status"] == "created"


async def test_a_log_that_was_put_back_gets_no_databases(tmp_path: Path) -> None:
    """An older copy lacks a database that the graph knows; writing to it would destroy the evidence."""
    log, own = tmp_path / "log", tmp_path / "own"
    async with memory_in(log, own=own) as first:
        assert (await first.command("create", "early"))[0] == 0
    copied = (log / "events.db").read_bytes()
    async with memory_in(log, own=own) as second:
        assert (await second.command("create", "late"))[0] == 0
    (log / "events.db").write_bytes(copied)
    async with unstarted_memory_in(log, own) as instance:
        for words in (("create", "new"), ("delete", "early", "--yes")):
            with pytest.raises(OtherLog, match="older copy of it was restored"):
                await instance.command(*words)
        written = await (await instance.stores.events()).read_all("memory/databases/")
        assert [event.data.get("name") for event in written] == ["memory", "early"]


async def test_attaching_catches_up_before_the_first_answer(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "other") as first:
        await first.store("other", "Alice", "likes tea")
    for file in tmp_path.glob("graph.db*"):
        file.unlink()
    async with memory_in(tmp_path, "other") as second:
        assert await second.attached() == {"memory": True, "other": False}
        assert await second.names("other", "tea") == ["Alice"]
        assert await second.attached() == {"memory": True, "other": True}


async def test_each_process_sees_what_another_made_or_deleted(tmp_path: Path) -> None:
    async with memory_in(tmp_path, background=True) as server, memory_in(tmp_path) as command:
        assert (await command.command("create", "notes"))[0] == 0
        assert (await server.store("notes", "Alice"))["status"] == "created"
        assert await command.names("notes", "alice") == ["Alice"]
        assert (await command.command("delete", "notes", "--yes"))[0] == 0
        refused = {
            "status": "error",
            "message": "Database 'notes' not found",
            "details": {"databases": ["memory"]},
        }
        for instance in (server, command):
            assert await instance.store("notes", "Bob") == refused
            assert "notes" not in await instance.attached()
        assert (await command.command("create", "notes"))[0] == 0
        assert await server.names("notes", "alice") == ["Alice"]


async def test_calls_at_the_same_time_all_see_what_another_process_made_before(tmp_path: Path) -> None:
    async with stores_in(tmp_path) as stores, stores_in(tmp_path) as others:
        one, other = (
            Databases(Services(each, system_now, random.Random(seed), MemorySettings()), ("memory",))
            for seed, each in enumerate((stores, others))
        )
        for number in range(40):
            await other.create(f"made {number}")
            seen = await asyncio.gather(*(late(one, hops) for hops in range(12)))
            assert all(f"made {number}" in known for known in seen)


async def late(databases: Databases, hops: int) -> Mapping[str, object]:
    """Return the live databases as of some turns of the event loop later."""
    for _ in range(hops):
        await asyncio.sleep(0)
    return await databases.live()


async def test_an_unknown_database_is_answered_with_those_that_exist(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "archive") as instance:
        assert await instance.store("nowhere", "Alice") == {
            "status": "error",
            "message": "Database 'nowhere' not found",
            "details": {"databases": ["memory", "archive"]},
        }


async def test_a_page_of_long_entities_stops_at_eight_megabytes(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        for number in range(36):
            await instance.store("memory", f"long {number:02}", "\u3042" * 80_000)
        found = await instance.ask("search_entities", query="long", limit=100)
        assert found["count"] == len(rows(found, "entities")) == 16
        assert found["message"] == "36 entities found; 16 of 36 shown, because a reply stops at about 8 MB"
        few = await instance.ask("search_entities", query="long", limit=5)
        assert (few["count"], "message" in few) == (5, False)


async def test_asking_how_it_is_creates_no_database(tmp_path: Path) -> None:
    """What was configured since is created by the first call, and not by whoever only looks."""
    async with stores_in(tmp_path) as stores:
        services = Services(stores, system_now, random.Random(), MemorySettings(databases=("other",)))
        async with assemble(services) as running:
            assert running.health is not None
            log = await stores.events()
            assert (await running.health()).ok
            assert await log.head() == 0
            databases = Databases(services, MemorySettings(databases=("other",)).wanted)
            assert [*await databases.existing()] == []
            assert [*await databases.live()] == ["memory", "other"]
            assert [*await databases.existing()] == ["memory", "other"]
            assert (await running.health()).ok


UNREADABLE: dict[str, tuple[str, JsonObject]] = {
    "a type of a newer version": ("memory.database_renamed", {"name": "swordfish"}),
    "data of another form": (CREATED, {"name": 7, "keys": "swordfish"}),
}


@asynccontextmanager
async def unready_memory_in(directory: Path, *databases: str) -> AsyncGenerator[Instance]:
    """Run the toolset, which reports at its start that the list of databases cannot be read."""
    async with stores_in(directory) as stores:
        services = Services(stores, system_now, random.Random(), MemorySettings(databases=databases))
        async with assemble(services) as running:
            assert running.open is not None
            with pytest.raises(Undecodable):
                await running.open()
            yield Instance(running, stores)


async def append_unreadable(instance: Instance, kind: str) -> None:
    """Append an event to the stream of a database that does not exist."""
    name, data = UNREADABLE[kind]
    event = NewEvent(EventId("newer"), name, data, Micros(1))
    await (await instance.stores.events()).append(
        (Write(database_stream("archive"), (event,), Expected.NEW),), batch=BatchId("newer")
    )


@pytest.mark.parametrize("kind", UNREADABLE)
async def test_an_unreadable_event_of_the_list_makes_every_call_fail_with_the_cause(tmp_path: Path, kind: str) -> None:
    """No database is taken for missing and created again."""
    async with memory_in(tmp_path) as first:
        await first.store("memory", "Alice", "likes tea")
        await append_unreadable(first, kind)
        for _ in range(2):
            await refused(first)
    async with unready_memory_in(tmp_path, "wanted") as second:
        head = await (await second.stores.events()).head()
        for _ in range(2):
            await refused(second)
        assert second.running.health is not None
        health = await second.running.health()
        assert not health.ok
        [problem] = health.problems
        assert problem.startswith(f"the list of databases cannot be read: {UNREADABLE[kind][0]}")
        assert database_stream("archive") in problem
        assert "swordfish" not in problem
        assert await (await second.stores.events()).head() == head


async def refused(instance: Instance) -> None:
    """Check that tools for one database and for all of them reply with the cause."""
    replies = [
        await instance.store("memory", "Bob"),
        await instance.ask("search_entities", query="tea"),
        await instance.ask("get_graph_summary"),
    ]
    for reply in replies:
        assert reply["status"] == "error"
        assert "one of its events is damaged or unknown to this version" in str(reply["message"])
