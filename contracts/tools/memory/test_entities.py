"""Entities: created once, added to, never overwritten."""

from datetime import UTC, datetime, timedelta

import anyio

from contracts.promises import promise
from contracts.tools.memory.client import MemoryClient
from contracts.tools.memory.replies import EntityReply, Observed


@promise("memory:create:reply")
async def test_creating_answers_with_what_is_stored(client: MemoryClient) -> None:
    """Observations are optional; a repeated one is stored once."""
    bare = await client.store(client.name("bare"))
    assert (bare.status, bare.observations_count, bare.embedded, bare.message) == ("created", 0, True, None)
    told = await client.store(client.name("told"), ["one", "two", "one"], kind="person")
    assert (told.status, told.type, told.observations_count) == ("created", "person", 2)


@promise("memory:create:exists")
async def test_a_repeated_create_answers_exists_and_overwrites_nothing(client: MemoryClient) -> None:
    """The reply describes what is stored, not what was sent."""
    name = client.name("once")
    await client.store(name, ["first"], kind="person")
    for _ in range(2):
        again = await client.store(name, ["second", "third"], kind="robot")
        assert (again.status, again.message) == ("exists", "Entity already exists")
        assert (again.name, again.type, again.observations_count, again.embedded) == (name, "person", 1, True)
    [found] = await client.search(name)
    assert (found.type, found.observations) == ("person", ["first"])


@promise("memory:create:date")
async def test_an_entity_has_the_date_of_its_creation(client: MemoryClient) -> None:
    """The date is a day in UTC."""
    name = client.name("dated")
    await client.store(name)
    [found] = await client.search(name)
    today = datetime.now(UTC).date()
    assert found.created_date in {str(today), str(today - timedelta(days=1))}


@promise("memory:observe:reply")
async def test_adding_answers_with_what_was_new(client: MemoryClient) -> None:
    """New observations are in the order of the call, with the total number."""
    name = client.name("grows")
    await client.store(name, ["one"])
    grown = await client.observe(name, ["two", "one", "three", "two"])
    assert (grown.status, grown.added_observations, grown.total_observations) == ("updated", ["two", "three"], 3)
    assert grown.reembedded
    [found] = await client.search(name)
    assert found.observations == ["one", "two", "three"]


@promise("memory:observe:no-change")
async def test_adding_what_is_known_changes_nothing(client: MemoryClient) -> None:
    """Observations are equal only if all their code points are."""
    name = client.name("still")
    await client.store(name, ["One"])
    for texts in (["One"], []):
        same = await client.observe(name, texts)
        assert (same.status, same.added_observations, same.total_observations) == ("no_change", [], 1)
        assert not same.reembedded
    assert (await client.observe(name, ["one", "One "])).added_observations == ["one", "One "]


@promise("memory:observe:found")
async def test_an_added_observation_is_found_by_words_and_by_meaning(client: MemoryClient) -> None:
    """It is found as soon as the reply arrives."""
    name = client.name("botanist")
    await client.store(name, [f"Met in spring, {client.mark}"])
    await client.observe(name, [f"Grows tomatoes and pumpkins on a balcony {client.mark}x"])
    assert [row.name for row in await client.search(f"balcony {client.mark}X".upper())] == [name]
    hits = await client.similar(f"{name} growing vegetables in a garden", limit=50, threshold=0.2)
    assert name in [row.name for row in hits]


@promise("memory:observe:concurrent")
async def test_observations_of_two_clients_at_once_are_both_kept(client: MemoryClient) -> None:
    """After thirty-two additions to one entity, each observation is there once."""
    name = client.name("busy")
    await client.store(name)
    replies: list[Observed] = []

    async def add(number: int) -> None:
        replies.append(await client.observe(name, [f"{client.mark} {number}", f"{client.mark} {number} again"]))

    async with anyio.create_task_group() as group:
        for number in range(32):
            group.start_soon(add, number)
    assert {reply.status for reply in replies} == {"updated"}
    assert sorted(reply.total_observations for reply in replies) == [2 * count for count in range(1, 33)]
    [found] = await client.search(name)
    assert sorted(found.observations) == sorted(text for reply in replies for text in reply.added_observations)
    assert len(found.observations) == 64


@promise("memory:create:concurrent")
async def test_one_of_many_concurrent_creates_of_a_name_creates_it(client: MemoryClient) -> None:
    """The other callers get the stored entity."""
    name = client.name("contested")
    replies: list[EntityReply] = []

    async def create(number: int) -> None:
        replies.append(await client.store(name, [f"by {number}"], kind=f"kind {number}"))

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(create, number)
    assert sorted(reply.status for reply in replies) == ["created", *["exists"] * 15]
    [winner] = [reply for reply in replies if reply.status == "created"]
    assert {reply.type for reply in replies} == {winner.type}
