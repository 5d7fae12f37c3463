"""Extraction: what a text says is stored, reused and tied to its source."""

from contracts.promises import promise
from contracts.tools.agent_graph.client import AgentGraphClient
from contracts.tools.agent_graph.replies import ExtractionReply, MemoryReply, Remembered

TEAM = "Sarah Chen from Google is leading the TensorFlow migration project. The team uses Python and Docker."
MEMORY = "Discussed API design with Bob. He suggested using GraphQL."


def said(reply: ExtractionReply) -> set[tuple[str, str, str]]:
    """Return the edges of a reply as names and type."""
    names = {entity.id: entity.name for entity in reply.result.entities}
    return {(names[edge.from_entity_id], edge.type, names[edge.to_entity_id]) for edge in reply.result.relationships}


async def remembered(client: AgentGraphClient, memory: str, content: str) -> Remembered:
    """Store what a memory says."""
    arguments = client.with_channel("kg_extract_from_memory", {"memoryId": memory, "memoryContent": content})
    reply = await client.connection.ask(MemoryReply, "kg_extract_from_memory", **arguments)
    assert reply.entities_extracted == reply.result.entities_extracted == len(reply.result.entities)
    assert reply.relationships_extracted == reply.result.relationships_extracted == len(reply.result.relationships)
    assert reply.execution_time_ms == reply.result.execution_time_ms
    return reply.result


@promise("agent_graph:extract:sample")
async def test_the_documented_text_yields_what_is_documented(client: AgentGraphClient) -> None:
    """It yields six entities in order, and four edges."""
    reply = await client.extract(TEAM)
    assert [(entity.name, entity.type) for entity in reply.result.entities] == [
        ("Sarah Chen", "person"),
        ("Google", "organization"),
        ("TensorFlow migration", "project"),
        ("TensorFlow", "technology"),
        ("Python", "technology"),
        ("Docker", "technology"),
    ]
    assert said(reply) == {
        ("Sarah Chen", "MEMBER_OF", "Google"),
        ("Sarah Chen", "WORKS_ON", "TensorFlow migration"),
        ("TensorFlow migration", "USES", "Python"),
        ("TensorFlow migration", "USES", "Docker"),
    }
    assert {entity.channel_id for entity in reply.result.entities} == {client.channel}


@promise("agent_graph:extract:stored", "agent_graph:extract:again")
async def test_what_was_extracted_is_stored_and_not_doubled(client: AgentGraphClient) -> None:
    """The same text again returns the same entities and edges, and changes none of them."""
    first = await client.extract(TEAM, sourceId="page-1")
    assert {entity.source for entity in first.result.entities} == {"page-1"}
    assert {edge.source for edge in first.result.relationships} == {"page-1"}
    sarah = first.result.entities[0]
    assert (await client.neighbors(sarah.id)).entity_count == 2
    again = await client.extract(TEAM, sourceId="page-1")
    assert again.result.entities == first.result.entities
    assert again.result.relationships == first.result.relationships


@promise("agent_graph:extract:reuse")
async def test_an_entity_of_the_channel_is_reused_by_name_and_alias(client: AgentGraphClient) -> None:
    """The type must be equal; entities of other channels are not reused."""
    docker = await client.make("Docker Engine", "technology", aliases=["docker"])
    python = await client.make("PYTHON", "technology")
    place = await client.make("Google", "location")
    other = AgentGraphClient(client.connection, f"{client.channel} other")
    theirs = await other.make("Sarah Chen", "person")
    ids = {entity.id for entity in (await client.extract(TEAM)).result.entities}
    assert {docker, python} <= ids
    assert not {place, theirs} & ids


@promise("agent_graph:extract:memory", "agent_graph:extract:idempotent")
async def test_a_memory_is_tied_to_what_it_says(client: AgentGraphClient) -> None:
    """Repeating the call changes nothing; existing entities get the memory as a source, too."""
    known = await client.make("GraphQL", "technology")
    first = await remembered(client, "mem_123", MEMORY)
    assert first.linked_to_memory is True
    assert {("Bob", "person"), ("GraphQL", "technology")} <= {(entity.name, entity.type) for entity in first.entities}
    assert known in {entity.id for entity in first.entities}
    context = (await client.context(taskId="mem_123")).context
    assert {entity.id for entity in context.entities} == {entity.id for entity in first.entities}
    again = await remembered(client, "mem_123", MEMORY)
    assert [entity.updated_at for entity in again.entities] == [entity.updated_at for entity in first.entities]
    assert again.relationships == first.relationships


@promise("agent_graph:extract:reuse")
async def test_a_guessed_type_yields_to_what_has_the_name(client: AgentGraphClient) -> None:
    """One thing is one entity; a text that states the type refers to another thing of that name."""
    project = await client.make("Zubber", "project")
    reply = await client.extract("We depend on Zubber.")
    assert [(entity.id, entity.type) for entity in reply.result.entities] == [(project, "project")]
    again = await client.extract("Zubber is a library.")
    assert [(entity.name, entity.type) for entity in again.result.entities] == [("Zubber", "technology")]
    third = await client.extract("We depend on Zubber.")
    assert [entity.id for entity in third.result.entities] == [again.result.entities[0].id]


@promise("agent_graph:extract:reuse")
async def test_a_stated_type_replaces_a_guessed_one(client: AgentGraphClient) -> None:
    """The type changes permanently; the type of an entity created by hand is certain at any confidence."""
    first = await client.extract("Alice Brown created Zubber.")
    guessed = {entity.name: entity.id for entity in first.result.entities}["Zubber"]
    reply = await client.extract("The Zubber project uses Redis.")
    assert (guessed, "project") in {(entity.id, entity.type) for entity in reply.result.entities}
    assert (await client.read(guessed)).type == "project"
    assert await client.make("Zubber", "project") == guessed
    later = await client.extract("Zubber is a library.")
    assert guessed not in {entity.id for entity in later.result.entities}
    assert said(reply) == {("Zubber", "USES", "Redis")}
    made = await client.make("Zub Nine", "technology", confidence=0.5)
    reply = await client.extract("The Zub Nine project uses Redis.")
    assert ("Zub Nine", "project") in {(entity.name, entity.type) for entity in reply.result.entities}
    assert made not in {entity.id for entity in reply.result.entities}


@promise("agent_graph:extract:nothing")
async def test_a_text_that_says_nothing_stores_nothing(client: AgentGraphClient) -> None:
    """The call succeeds, and nothing is linked to the memory."""
    reply = await client.extract("and so on, as usual.")
    assert (reply.result.entities, reply.result.relationships) == ([], [])
    assert (await remembered(client, "mem_0", "and so on, as usual.")).linked_to_memory is False


@promise("agent_graph:extract:long")
async def test_a_long_text_is_read_whole(client: AgentGraphClient) -> None:
    """The text has 200 kB, with a statement in every hundredth sentence from the first to the last."""
    filler = "It rained again, and nothing more was said about it that day. " * 99
    text = "".join(f"Sarah Chen maintains Zub{number:02}Base. {filler}" for number in range(32)) + TEAM
    assert 190_000 < len(text) <= 200_000
    reply = await client.extract(text)
    names = {entity.id: entity.name for entity in reply.result.entities}
    stated = {(names[edge.from_entity_id], edge.type, names[edge.to_entity_id]) for edge in reply.result.relationships}
    assert {("Sarah Chen", "WORKS_ON", f"Zub{number:02}Base") for number in range(32)} <= stated
    assert ("Sarah Chen", "MEMBER_OF", "Google") in stated
