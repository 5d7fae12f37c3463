"""Purges: what was decided to be removed is removed in the end, whoever is stopped at it and whatever follows."""

import asyncio
import random
from pathlib import Path

import pytest

from backends.ports.errors import NotFound
from backends.ports.values import NodeId, RecordId
from tests.support.damage import blocked, table_gone
from tests.support.toolsets.memory import Instance, memory_in
from toolsets.clock import system_now
from toolsets.memory import purge
from toolsets.memory.databases import Databases
from toolsets.memory.projections import ENTITIES, projector_of
from toolsets.memory.settings import MemorySettings
from toolsets.memory.streams import Keyspace, entity_id
from toolsets.reports import no_progress
from toolsets.sourcing.generations import generation_namespace, store_meta
from toolsets.spec import Services

PATIENCE_S = 20.0
ALICE = entity_id("Alice")


async def decided_only(instance: Instance, name: str) -> Keyspace:
    """Do what the command does first, without what it does next; return what is to be removed."""
    services = Services(instance.stores, system_now, random.Random(), MemorySettings())
    return (await Databases(services, ("memory",)).delete(name, purge=True)).keyspace


async def left(instance: Instance, keyspace: Keyspace) -> int:
    """Count the events that are left."""
    return await (await instance.stores.events()).count(keyspace.prefix)


async def removed(instance: Instance, keyspace: Keyspace) -> None:
    """Return when no event is left."""
    log = await instance.stores.events()
    async with asyncio.timeout(PATIENCE_S):
        while await left(instance, keyspace):
            await log.wait(await log.head(), timeout_s=0.05)


async def purged_by_half_and_made_again(instance: Instance) -> Keyspace:
    await instance.command("create", "notes")
    await instance.store("notes", "Alice", "swordfish")
    former = await decided_only(instance, "notes")
    assert await instance.command("create", "notes") == (0, "notes is created.")
    await instance.store("notes", "Bob")
    assert await left(instance, former) > 0
    return former


async def test_a_purge_that_was_cut_short_is_finished_by_the_next_server(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.command("create", "notes")
        await instance.store("notes", "Alice")
        former = await decided_only(instance, "notes")
        assert await left(instance, former) == 1
    async with memory_in(tmp_path, background=True) as instance:
        await removed(instance, former)


async def test_it_is_finished_though_the_name_is_in_use_again(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        former = [await purged_by_half_and_made_again(instance) for _ in range(2)]
    async with memory_in(tmp_path, background=True) as instance:
        for keyspace in former:
            await removed(instance, keyspace)
            graph = await instance.stores.graph(generation_namespace(projector_of(keyspace), 1))
            assert await graph.node_revisions([NodeId(ALICE)]) == {}
        assert await instance.names("notes", "b") == ["Bob"]


async def test_a_later_purge_of_the_name_removes_what_an_earlier_one_left(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        former = await purged_by_half_and_made_again(instance)
        assert await instance.command("delete", "notes", "--yes", "--purge") == (
            0,
            "notes is deleted and its events are removed.",
        )
        assert await left(instance, former) == 0


async def test_a_running_server_finishes_what_another_process_was_stopped_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "PURGE_POLL_S", 0.1)
    async with memory_in(tmp_path, background=True) as server, memory_in(tmp_path) as command:
        for _ in range(2):
            await removed(server, await purged_by_half_and_made_again(command))
        assert await server.names("notes", "b") == ["Bob"]


async def holds(instance: Instance, keyspace: Keyspace, entity: str) -> tuple[bool, bool]:
    """Say whether the graph and the vectors of an instance hold an entity of a keyspace, looking at the stores themselves."""
    namespace = generation_namespace(projector_of(keyspace), 1)
    key = entity_id(entity)
    nodes = await (await instance.stores.graph(namespace)).node_revisions([NodeId(key)])
    try:
        records = await (await instance.stores.vectors(namespace)).revisions(ENTITIES, [RecordId(key)])
    except NotFound:
        return bool(nodes), False
    return bool(nodes), bool(records)


async def forgotten(instance: Instance, keyspace: Keyspace, entity: str) -> None:
    await become(instance, keyspace, entity, (False, False))


async def become(instance: Instance, keyspace: Keyspace, entity: str, held: tuple[bool, bool]) -> None:
    """Wait until the graph and the vectors hold an entity, or no longer do: another server's writes are followed."""
    async with asyncio.timeout(PATIENCE_S):
        while await holds(instance, keyspace, entity) != held:
            await asyncio.sleep(0.05)


async def test_every_server_forgets_what_another_one_with_stores_of_its_own_purged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "PURGE_POLL_S", 0.1)
    async with (
        memory_in(tmp_path, own=tmp_path / "blue") as blue,
        memory_in(tmp_path, background=True, own=tmp_path / "green") as green,
    ):
        await blue.command("create", "notes")
        await blue.store("notes", "Alice", "swordfish")
        keyspace = Keyspace(await blue.key("notes"))
        assert await green.names("notes", "sword") == ["Alice"]
        await become(green, keyspace, "Alice", (True, True))
        assert (await blue.command("delete", "notes", "--yes", "--purge"))[0] == 0
        assert await holds(blue, keyspace, "Alice") == (False, False)
        await forgotten(green, keyspace, "Alice")


async def test_a_server_that_was_down_forgets_at_its_next_start_what_was_purged_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the log has nothing left of it, and only once."""
    monkeypatch.setattr(purge, "PURGE_POLL_S", 0.1)
    keyspaces: list[Keyspace] = []
    async with memory_in(tmp_path, own=tmp_path / "blue") as blue:
        for name in ("one", "two", "kept"):
            await blue.command("create", name)
            await blue.store(name, "Alice", "swordfish")
            keyspaces.append(Keyspace(await blue.key(name)))
        async with memory_in(tmp_path, own=tmp_path / "green") as green:
            for name in ("one", "two", "kept"):
                assert await green.names(name, "sword") == ["Alice"]
        for name in ("one", "two"):
            assert (await blue.command("delete", name, "--yes", "--purge"))[0] == 0
    async with memory_in(tmp_path, background=True, own=tmp_path / "green") as green:
        for keyspace in keyspaces[:2]:
            assert await left(green, keyspace) == 0
            await forgotten(green, keyspace, "Alice")
        assert await green.names("kept", "sword") == ["Alice"]
        note = await (await store_meta(green.stores, "graph")).get_meta(purge.FORGOTTEN)
        assert note is not None
        assert int(note) > 0
        assert green.running.rebuild is not None
        await green.running.rebuild.rebuild(no_progress)
        assert await (await store_meta(green.stores, "graph")).get_meta(purge.FORGOTTEN) == "0"


async def test_a_store_that_is_down_forgets_when_it_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "PURGE_POLL_S", 0.1)
    async with memory_in(tmp_path, own=tmp_path / "blue") as blue:
        await blue.command("create", "notes")
        await blue.store("notes", "Alice", "swordfish")
        keyspace = Keyspace(await blue.key("notes"))
        async with memory_in(tmp_path, own=tmp_path / "green") as green:
            assert await green.names("notes", "sword") == ["Alice"]
        assert (await blue.command("delete", "notes", "--yes", "--purge"))[0] == 0
    with blocked(tmp_path / "green" / "vectors"):
        async with memory_in(tmp_path, background=True, own=tmp_path / "green") as green:
            graph = await green.stores.graph(generation_namespace(projector_of(keyspace), 1))
            async with asyncio.timeout(PATIENCE_S):
                while await graph.node_revisions([NodeId(ALICE)]):
                    await asyncio.sleep(0.05)
    async with memory_in(tmp_path, background=True, own=tmp_path / "green") as green:
        assert (await holds(green, keyspace, "Alice"))[0] is False
        await forgotten(green, keyspace, "Alice")


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
async def test_a_purge_that_cannot_work_changes_nothing(tmp_path: Path, file: str) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.command("create", "notes")
        await instance.store("notes", "Alice", "swordfish")
        with table_gone(tmp_path / file, "meta"):
            code, said = await instance.command("delete", "notes", "--yes", "--purge")
            assert (code, said.startswith("Nothing was deleted: ")) == (1, True), said
        assert await instance.names("notes", "sword") == ["Alice"]
        assert await instance.command("create", "notes") == (0, "notes already exists and is unchanged.")


async def test_a_purge_that_fails_on_its_way_says_so_and_is_finished_by_the_same_command(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.command("create", "notes")
        await instance.store("notes", "Alice")
        keyspace = Keyspace(await instance.key("notes"))
        with table_gone(tmp_path / "graph.db", "nodes"):
            code, said = await instance.command("delete", "notes", "--yes", "--purge")
        assert (code, said.startswith("notes is deleted, but not all of its events are removed: ")) == (1, True), said
        assert await left(instance, keyspace) == 1
        assert (await instance.command("delete", "notes", "--yes", "--purge"))[0] == 0
        assert await left(instance, keyspace) == 0


async def test_a_purge_removes_every_generation(tmp_path: Path) -> None:
    """Also the one that a rebuild replaced, which serves processes that are slow to follow."""

    async def silent(done: float, total: float | None = None, message: str | None = None) -> None: ...

    async with memory_in(tmp_path) as instance:
        await instance.command("create", "notes")
        await instance.store("notes", "Alice", "swordfish")
        assert instance.running.rebuild is not None
        await instance.running.rebuild.rebuild(silent)
        projector = projector_of(Keyspace(await instance.key("notes")))
        namespaces = [generation_namespace(projector, generation) for generation in (1, 2)]
        for namespace in namespaces:
            assert await (await instance.stores.graph(namespace)).node_revisions([NodeId(ALICE)])
        assert (await instance.command("delete", "notes", "--yes", "--purge"))[0] == 0
        for namespace in namespaces:
            assert await (await instance.stores.graph(namespace)).node_revisions([NodeId(ALICE)]) == {}
            with pytest.raises(NotFound):
                await (await instance.stores.vectors(namespace)).revisions(ENTITIES, [RecordId(ALICE)])
