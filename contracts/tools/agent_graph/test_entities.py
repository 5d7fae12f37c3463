"""Entities: filed once per name and type, read, found by name and alias, ranked by use."""

import pytest

from backends.ports.values import Json
from contracts.promises import promise
from contracts.tools.agent_graph.client import UNKNOWN, AgentGraphClient
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
async def test_an_entity_is_filed_with_every_field(client: AgentGraphClient) -> None:
    """Missing arguments have their documented defaults; a missing description is left out."""
    made = await client.entity("React", aliases=["ReactJS", "React.js"], description="A library.", confidence=0.9)
    assert (made.name, made.type, made.channel_id) == ("React", "technology", client.channel)
    assert (made.aliases, made.description, made.confidence) == (["ReactJS", "React.js"], "A library.", 0.9)
    assert (made.q_value, made.access_count, made.last_accessed) == (0.5, 0, made.created_at)
    assert made.updated_at == made.created_at
    plain = await client.entity("Plain", "concept")
    assert (plain.aliases, plain.description, plain.confidence) == ([], None, 0.8)
    assert plain.id != made.id


@promise("agent_graph:create:types")
@pytest.mark.parametrize("kind", TYPES)
async def test_each_type_is_accepted(client: AgentGraphClient, kind: str) -> None:
    """The same name with another type is another entity."""
    made = await client.entity("Mercury", kind)
    assert made.type == kind
    other = await client.entity("Mercury", "task" if kind != "task" else "person")
    assert other.id != made.id


@promise("agent_graph:create:again")
async def test_the_same_name_and_type_is_the_same_entity(client: AgentGraphClient) -> None:
    """Case is ignored; each new alias is added once, and known names are not added."""
    first = await client.entity("React", aliases=["ReactJS"], confidence=0.9)
    again = await client.entity("REACT", aliases=["reactjs", "React.js"], confidence=0.1)
    assert (again.id, again.name, again.confidence) == (first.id, "React", 0.9)
    assert again.aliases == ["ReactJS", "React.js"]
    assert (await client.find("react")).total_found == 1


@promise("agent_graph:create:trimmed")
async def test_names_are_trimmed(client: AgentGraphClient) -> None:
    """Blanks around a name or alias are ignored, also in a search."""
    first = await client.entity(" React ", aliases=["ReactJS\n"])
    assert (first.name, first.aliases) == ("React", ["ReactJS"])
    assert (await client.entity("\tReact")).id == first.id
    assert await client.found("React ", exact=True) == ["React"]


@promise("agent_graph:create:again")
async def test_aliases_have_a_bound(client: AgentGraphClient) -> None:
    """Aliases take at most 256 kB in all; a call beyond that changes nothing, and other calls work."""

    def some(call: int) -> list[Json]:
        return [f"{call} {number} ".ljust(500, "\u3042") for number in range(100)]

    entity = await client.entity("Many", aliases=some(1))
    told = {"name": "Many", "type": "technology", "aliases": some(2)}
    refusal = await client.refused("kg_create_entity", told)
    assert refusal.error == "Invalid arguments"
    assert "aliases" in refusal.message
    assert (await client.read(entity.id)).aliases == entity.aliases
    more = await client.entity("Many", aliases=[*some(1)[:99], "short"])
    assert more.aliases == [*entity.aliases, "short"]
    twin = await client.make("Twin", aliases=some(3))
    refusal = await client.refused("kg_merge_entities", {"targetEntityId": entity.id, "sourceEntityIds": [twin]})
    assert refusal.error == "Merge failed"
    assert "aliases" in refusal.message
    few = await client.make("Few", aliases=["a few"])
    assert (await client.merge(entity.id, few)).aliases_merged == ["Few", "a few"]


@promise("agent_graph:get:reply", "agent_graph:get:counts")
async def test_reading_an_entity_counts(client: AgentGraphClient) -> None:
    """Each read increases the count and sets the time of the last read; nothing else changes."""
    made = await client.entity("Counted")
    once, twice = await client.read(made.id), await client.read(made.id)
    assert (once.access_count, twice.access_count) == (1, 2)
    assert made.last_accessed <= once.last_accessed <= twice.last_accessed
    assert twice.model_dump(exclude={"access_count", "last_accessed"}) == made.model_dump(
        exclude={"access_count", "last_accessed"}
    )


@promise("agent_graph:get:unknown", "agent_graph:errors:not-found")
@pytest.mark.parametrize("entity_id", [UNKNOWN, "ent_abc123", "person-123", "x/y", "a b", "ent_" + "z" * 32])
async def test_an_unknown_entity_is_not_found(client: AgentGraphClient, entity_id: str) -> None:
    """This holds for ids of any form."""
    refusal = await client.refused("kg_get_entity", {"entityId": entity_id})
    assert refusal.error == "Entity not found"
    assert refusal.model_dump()["entity"] is None


@promise("agent_graph:find:parts", "agent_graph:find:order", "agent_graph:find:total")
async def test_a_part_of_a_name_or_alias_is_found(client: AgentGraphClient) -> None:
    """Case is ignored; whole names and aliases come first, then others by name; the total is not limited."""
    await client.make("John Smith", "person")
    await client.make("Elton John", "person")
    await client.make("Jack", "person", aliases=["Johnny"])
    await client.make("john", "concept")
    await client.make("Mary", "person")
    await client.make("Bill", "person", aliases=["JOHN"])
    assert await client.found("John") == ["Bill", "john", "Elton John", "Jack", "John Smith"]
    assert await client.found("OHN s") == ["John Smith"]
    limited = await client.find("john", limit=2)
    assert ([entity.name for entity in limited.entities], limited.total_found) == (["Bill", "john"], 5)
    nothing = await client.find("nobody")
    assert (nothing.entities, nothing.total_found) == ([], 0)


@promise("agent_graph:find:exact")
async def test_an_exact_search_wants_the_whole_name_or_alias(client: AgentGraphClient) -> None:
    """Case is ignored, and a short name is found, too."""
    await client.make("John Smith", "person", aliases=["JS"])
    await client.make("John", "person", aliases=["Smith"])
    await client.make("JSON", "technology")
    assert await client.found("john smith", exact=True) == ["John Smith"]
    assert await client.found("js", exact=True) == ["John Smith"]
    assert await client.found("SMITH", exact=True) == ["John"]
    assert await client.found("Joh", exact=True) == []


@promise("agent_graph:useful:order", "agent_graph:useful:limit")
async def test_the_most_useful_come_first(client: AgentGraphClient) -> None:
    """Equal utilities go by the number of reads, then by the last read, then by name."""
    ids = {name: await client.make(name) for name in ("a unread", "b read once", "c read twice", "d read last")}
    for name in ("b read once", "c read twice", "c read twice", "d read last"):
        await client.read(ids[name])

    async def useful(**more: Json) -> list[str]:
        reply = await client.connection.ask(Some, "kg_get_high_utility_entities", channelId=client.channel, **more)
        assert reply.count == len(reply.entities)
        return [entity.name for entity in reply.entities]

    assert await useful() == ["c read twice", "d read last", "b read once", "a unread"]
    assert await useful(limit=1) == ["c read twice"]
    for number in range(12):
        await client.make(f"more {number}")
    assert len(await useful()) == 10
    assert len(await useful(limit=50)) == 16


@promise("agent_graph:channels:apart")
async def test_channels_share_nothing(client: AgentGraphClient) -> None:
    """A name of one channel is not found in another, and can be stored in both."""
    other = AgentGraphClient(client.connection, f"{client.channel} other")
    mine, theirs = await client.make("Shared name"), await other.make("Shared name")
    assert mine != theirs
    assert [entity.id for entity in (await client.find("shared")).entities] == [mine]
    assert [entity.id for entity in (await other.find("shared")).entities] == [theirs]
    context = (await client.context(keywords=["shared"])).context
    assert {entity.id for entity in (*context.entities, *context.high_utility_entities)} == {mine}
    refusal = await client.refused(
        "kg_create_relationship", {"fromEntityId": mine, "toEntityId": theirs, "type": "USES"}
    )
    assert refusal.error == "Entity not found"
