"""Entities: created once, added to, never overwritten."""

from datetime import UTC, datetime, timedelta

import anyio

from contracts.promises import promise
from contracts.tools.memory.desk import Desk
from contracts.tools.memory.replies import Observed, Stored


@promise("memory:create:reply")
async def test_creating_answers_with_what_is_stored(desk: Desk) -> None:
    """Observations may be left out; one that is sent twice is kept once."""
    bare = await desk.store(desk.name("bare"))
    assert (bare.status, bare.observations_count, bare.embedded, bare.message) == ("created", 0, True, None)
    told = await desk.store(desk.name("told"), ["one", "two", "one"], kind="person")
    assert (told.status, told.type, told.observations_count) == ("created", "person", 2)


@promise("memory:create:exists")
async def test_a_repeated_create_answers_exists_and_overwrites_nothing(desk: Desk) -> None:
    """The reply describes what is stored, not what was sent."""
    name = desk.name("once")
    await desk.store(name, ["first"], kind="person")
    for _ in range(2):
        again = await desk.store(name, ["second", "third"], kind="robot")
        assert (again.status, again.message) == ("exists", "Entity already exists")
        assert (again.name, again.type, again.observations_count, again.embedded) == (name, "person", 1, True)
    [found] = await desk.search(name)
    assert (found.type, found.observations) == ("person", ["first"])


@promise("memory:create:date")
async def test_an_entity_has_the_date_of_its_creation(desk: Desk) -> None:
    """As a day in UTC."""
    name = desk.name("dated")
    await desk.store(name)
    [found] = await desk.search(name)
    today = datetime.now(UTC).date()
    assert found.created_date in {str(today), str(today - timedelta(days=1))}


@promise("memory:observe:reply")
async def test_adding_answers_with_what_was_new(desk: Desk) -> None:
    """In the order in which it came, with the number of all there are."""
    name = desk.name("grows")
    await desk.store(name, ["one"])
    grown = await desk.observe(name, ["two", "one", "three", "two"])
    assert (grown.status, grown.added_observations, grown.total_observations) == ("updated", ["two", "three"], 3)
    assert grown.reembedded
    [found] = await desk.search(name)
    assert found.observations == ["one", "two", "three"]


@promise("memory:observe:no-change")
async def test_adding_what_is_known_changes_nothing(desk: Desk) -> None:
    """Observations are the same only if they are so to the last code point."""
    name = desk.name("still")
    await desk.store(name, ["One"])
    for texts in (["One"], []):
        same = await desk.observe(name, texts)
        assert (same.status, same.added_observations, same.total_observations) == ("no_change", [], 1)
        assert not same.reembedded
    assert (await desk.observe(name, ["one", "One "])).added_observations == ["one", "One "]


@promise("memory:observe:found")
async def test_an_added_observation_is_found_by_words_and_by_meaning(desk: Desk) -> None:
    """As soon as the reply is there."""
    name = desk.name("botanist")
    await desk.store(name, [f"Met in spring, {desk.mark}"])
    await desk.observe(name, [f"Grows tomatoes and pumpkins on a balcony {desk.mark}x"])
    assert [row.name for row in await desk.search(f"balcony {desk.mark}X".upper())] == [name]
    hits = await desk.similar(f"{name} growing vegetables in a garden", limit=50, threshold=0.2)
    assert name in [row.name for row in hits]


@promise("memory:observe:concurrent")
async def test_observations_of_two_clients_at_once_are_both_kept(desk: Desk) -> None:
    """Thirty-two additions to one entity: each is there, once."""
    name = desk.name("busy")
    await desk.store(name)
    replies: list[Observed] = []

    async def add(number: int) -> None:
        replies.append(await desk.observe(name, [f"{desk.mark} {number}", f"{desk.mark} {number} again"]))

    async with anyio.create_task_group() as group:
        for number in range(32):
            group.start_soon(add, number)
    assert {reply.status for reply in replies} == {"updated"}
    assert sorted(reply.total_observations for reply in replies) == [2 * count for count in range(1, 33)]
    [found] = await desk.search(name)
    assert sorted(found.observations) == sorted(text for reply in replies for text in reply.added_observations)
    assert len(found.observations) == 64


@promise("memory:create:concurrent")
async def test_of_many_that_create_one_name_at_once_one_does(desk: Desk) -> None:
    """The others learn what is stored."""
    name = desk.name("contested")
    replies: list[Stored] = []

    async def create(number: int) -> None:
        replies.append(await desk.store(name, [f"by {number}"], kind=f"kind {number}"))

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(create, number)
    assert sorted(reply.status for reply in replies) == ["created", *["exists"] * 15]
    [winner] = [reply for reply in replies if reply.status == "created"]
    assert {reply.type for reply in replies} == {winner.type}
