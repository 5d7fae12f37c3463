"""Entities: filed once per name and type, read, found by name and alias, ranked by use."""

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.agent_graph.desk import UNKNOWN, Desk
from contracts.tools.agent_graph.replies import EntityType, Some

TYPES: tuple[EntityType, ...] = (
    "person",
    "organization",
    "project",
    "technology",
    "concept",
    "location",
    "document",
    "task",
)


@promise("agent_graph:create:reply", "agent_graph:create:defaults")
async def test_an_entity_is_filed_with_every_field(desk: Desk) -> None:
    """What is not sent has its documented default; a description that was not given is left out."""
    made = await desk.entity("React", aliases=["ReactJS", "React.js"], description="A library.", confidence=0.9)
    assert (made.name, made.type, made.channel_id) == ("React", "technology", desk.channel)
    assert (made.aliases, made.description, made.confidence) == (["ReactJS", "React.js"], "A library.", 0.9)
    assert (made.q_value, made.access_count, made.last_accessed) == (0.5, 0, made.created_at)
    assert made.updated_at == made.created_at
    plain = await desk.entity("Plain", "concept")
    assert (plain.aliases, plain.description, plain.confidence) == ([], None, 0.8)
    assert plain.id != made.id


@promise("agent_graph:create:types")
@pytest.mark.parametrize("kind", TYPES)
async def test_each_type_is_accepted(desk: Desk, kind: str) -> None:
    """The same name of another type is another entity."""
    made = await desk.entity("Mercury", kind)
    assert made.type == kind
    other = await desk.entity("Mercury", "task" if kind != "task" else "person")
    assert other.id != made.id


@promise("agent_graph:create:again")
async def test_the_same_name_and_type_is_the_same_entity(desk: Desk) -> None:
    """Whatever the case; aliases are added, each once, and what it is called already is none."""
    first = await desk.entity("React", aliases=["ReactJS"], confidence=0.9)
    again = await desk.entity("REACT", aliases=["reactjs", "React.js"], confidence=0.1)
    assert (again.id, again.name, again.confidence) == (first.id, "React", 0.9)
    assert again.aliases == ["ReactJS", "React.js"]
    assert (await desk.find("react")).total_found == 1


@promise("agent_graph:create:again")
async def test_aliases_have_a_bound(desk: Desk) -> None:
    """Of 256 kB in all; a call that would pass it changes nothing, and everything else goes on."""

    def some(call: int) -> list[Json]:
        return [f"{call} {number} ".ljust(500, "\u3042") for number in range(100)]

    entity = await desk.entity("Many", aliases=some(1))
    told = {"name": "Many", "type": "technology", "aliases": some(2)}
    refusal = await desk.refused("kg_create_entity", told)
    assert refusal.error == "Invalid arguments"
    assert "aliases" in refusal.message
    assert (await desk.read(entity.id)).aliases == entity.aliases
    more = await desk.entity("Many", aliases=[*some(1)[:99], "short"])
    assert more.aliases == [*entity.aliases, "short"]
    twin = await desk.make("Twin", aliases=some(3))
    refusal = await desk.refused("kg_merge_entities", {"targetEntityId": entity.id, "sourceEntityIds": [twin]})
    assert refusal.error == "Merge failed"
    assert "aliases" in refusal.message
    few = await desk.make("Few", aliases=["a few"])
    assert (await desk.merge(entity.id, few)).aliases_merged == ["Few", "a few"]


@promise("agent_graph:get:reply", "agent_graph:get:counts")
async def test_reading_an_entity_counts(desk: Desk) -> None:
    """The count and the time of the last read go up with each read, nothing else changes."""
    made = await desk.entity("Counted")
    once, twice = await desk.read(made.id), await desk.read(made.id)
    assert (once.access_count, twice.access_count) == (1, 2)
    assert made.last_accessed <= once.last_accessed <= twice.last_accessed
    assert twice.model_dump(exclude={"access_count", "last_accessed"}) == made.model_dump(
        exclude={"access_count", "last_accessed"}
    )


@promise("agent_graph:get:unknown", "agent_graph:errors:not-found")
@pytest.mark.parametrize("entity_id", [UNKNOWN, "ent_abc123", "person-123", "x/y", "a b", "ent_" + "z" * 32])
async def test_an_unknown_entity_is_not_found(desk: Desk, entity_id: str) -> None:
    """Whatever the id looks like."""
    refusal = await desk.refused("kg_get_entity", {"entityId": entity_id})
    assert refusal.error == "Entity not found"
    assert refusal.model_dump()["entity"] is None


@promise("agent_graph:find:parts", "agent_graph:find:order", "agent_graph:find:total")
async def test_a_part_of_a_name_or_alias_is_found(desk: Desk) -> None:
    """Whatever its case: what is so called first, then by name; the total counts beyond the limit."""
    await desk.make("John Smith", "person")
    await desk.make("Elton John", "person")
    await desk.make("Jack", "person", aliases=["Johnny"])
    await desk.make("john", "concept")
    await desk.make("Mary", "person")
    assert await desk.found("John") == ["john", "Elton John", "Jack", "John Smith"]
    assert await desk.found("OHN s") == ["John Smith"]
    limited = await desk.find("john", limit=2)
    assert ([entity.name for entity in limited.entities], limited.total_found) == (["john", "Elton John"], 4)
    nothing = await desk.find("nobody")
    assert (nothing.entities, nothing.total_found) == ([], 0)


@promise("agent_graph:find:exact")
async def test_an_exact_search_wants_the_whole_name_or_alias(desk: Desk) -> None:
    """Letter case aside; a short name is one too."""
    await desk.make("John Smith", "person", aliases=["JS"])
    await desk.make("John", "person", aliases=["Smith"])
    await desk.make("JSON", "technology")
    assert await desk.found("john smith", exact=True) == ["John Smith"]
    assert await desk.found("js", exact=True) == ["John Smith"]
    assert await desk.found("SMITH", exact=True) == ["John"]
    assert await desk.found("Joh", exact=True) == []


@promise("agent_graph:useful:order", "agent_graph:useful:limit")
async def test_the_most_useful_come_first(desk: Desk) -> None:
    """Equal utilities go by the number of reads, then by the last read, then by name."""
    ids = {name: await desk.make(name) for name in ("a unread", "b read once", "c read twice", "d read last")}
    for name in ("b read once", "c read twice", "c read twice", "d read last"):
        await desk.read(ids[name])

    async def useful(**more: Json) -> list[str]:
        reply = await desk.door.ask(Some, "kg_get_high_utility_entities", channelId=desk.channel, **more)
        assert reply.count == len(reply.entities)
        return [entity.name for entity in reply.entities]

    assert await useful() == ["c read twice", "d read last", "b read once", "a unread"]
    assert await useful(limit=1) == ["c read twice"]
    for number in range(12):
        await desk.make(f"more {number}")
    assert len(await useful()) == 10
    assert len(await useful(limit=50)) == 16


@promise("agent_graph:channels:apart")
async def test_channels_are_apart(desk: Desk) -> None:
    """A name found in one is not found in the other, and may be filed in both."""
    other = Desk(desk.door, f"{desk.channel} other")
    mine, theirs = await desk.make("Shared name"), await other.make("Shared name")
    assert mine != theirs
    assert [entity.id for entity in (await desk.find("shared")).entities] == [mine]
    assert [entity.id for entity in (await other.find("shared")).entities] == [theirs]
    context = (await desk.context(keywords=["shared"])).context
    assert {entity.id for entity in (*context.entities, *context.high_utility_entities)} == {mine}
    refusal = await desk.refused("kg_create_relationship", {"fromEntityId": mine, "toEntityId": theirs, "type": "USES"})
    assert refusal.error == "Entity not found"
