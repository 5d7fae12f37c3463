"""Duplicates are found by name, and merging makes one entity of several, all or nothing."""

import pytest

from backends.ports.values import Json
from contracts.connections import Connections
from contracts.promises import promise
from contracts.tools.agent_graph.client import UNKNOWN, AgentGraphClient
from contracts.tools.agent_graph.replies import Duplicates, Some


async def pairs(client: AgentGraphClient, threshold: float = 0.8) -> list[tuple[str, str]]:
    """Return the names in each pair, in the order of the reply; the default threshold is not sent."""
    more: dict[str, Json] = {} if threshold == 0.8 else {"threshold": threshold}
    reply = await client.connection.ask(Duplicates, "kg_find_duplicates", channelId=client.channel, **more)
    assert reply.count == len(reply.duplicates)
    similarities = [pair.similarity for pair in reply.duplicates]
    assert similarities == sorted(similarities, reverse=True)
    assert all(similarity >= threshold for similarity in similarities)
    return [(pair.entity1.name, pair.entity2.name) for pair in reply.duplicates]


@promise("agent_graph:duplicates:found", "agent_graph:duplicates:older-first")
async def test_three_ways_to_write_a_name_are_found(client: AgentGraphClient) -> None:
    """The older entity comes first in its pair."""
    for name in ("React", "ReactJS", "React.js"):
        await client.make(name)
    assert set(await pairs(client)) == {("React", "ReactJS"), ("React", "React.js"), ("ReactJS", "React.js")}


@promise("agent_graph:duplicates:not-found")
@pytest.mark.parametrize(
    ("one", "other"),
    [("Java", "JavaScript"), ("Docker", "Docker Compose"), ("AUTH-142", "AUTH-143"), ("Paris", "Berlin")],
)
async def test_names_that_only_look_alike_are_no_duplicates(client: AgentGraphClient, one: str, other: str) -> None:
    """They contain a name within a longer word, one more word, or another number."""
    await client.make(one)
    await client.make(other)
    assert await pairs(client) == []


@promise("agent_graph:duplicates:threshold")
@pytest.mark.parametrize(
    ("one", "other", "threshold"), [("Authentication Service", "Auth Service", 0.7), ("Alice", "Alicia", 0.5)]
)
async def test_a_lower_threshold_finds_more(client: AgentGraphClient, one: str, other: str, threshold: float) -> None:
    """Similarity is continuous, so that every threshold has an effect."""
    await client.make(one)
    await client.make(other)
    assert await pairs(client) == []
    assert await pairs(client, threshold) == [(one, other)]
    assert await pairs(client, 0.779) == []


@promise("agent_graph:duplicates:apart")
async def test_duplicates_are_of_one_type_and_one_channel(client: AgentGraphClient) -> None:
    """An alias counts as a name."""
    await client.make("Mercury", "technology")
    await client.make("Mercury", "location")
    await AgentGraphClient(client.connection, f"{client.channel} other").make("mercury.js", "technology")
    assert await pairs(client) == []
    await client.make("Quicksilver", "technology", aliases=["MERCURY"])
    assert await pairs(client) == [("Mercury", "Quicksilver")]


@promise("agent_graph:merge:reply", "agent_graph:merge:sources-gone")
async def test_the_documented_merge_gives_the_documented_aliases(client: AgentGraphClient) -> None:
    """Names and ids of the sources lead to the target, and the sources no longer exist."""
    react, js, dot = await client.make("React"), await client.make("ReactJS"), await client.make("React.js")
    merged = await client.merge(react, js, dot)
    assert (merged.merged_entity.id, merged.merged_entity.name) == (react, "React")
    assert merged.merged_entity.aliases == ["ReactJS", "React.js"]
    assert merged.aliases_merged == ["ReactJS", "React.js"]
    for gone in (js, dot):
        assert (await client.read(gone)).id == react
    assert await client.found("react") == ["React"]
    assert await pairs(client) == []


@promise("agent_graph:merge:ids")
async def test_the_documented_loop_over_duplicates_runs_through(client: AgentGraphClient) -> None:
    """A pair with an entity that was merged before is merged with its target."""
    for name in ("React", "ReactJS", "React.js", "react", "Reactjs"):
        await client.make(name, "technology")
    reply = await client.connection.ask(Duplicates, "kg_find_duplicates", channelId=client.channel)
    assert reply.count >= 3
    for pair in reply.duplicates:
        merged = await client.merge(pair.entity1.id, pair.entity2.id)
        assert merged.merged_entity.name == "React"
    assert await pairs(client) == []
    assert await client.found("react") == ["React"]


@promise("agent_graph:merge:ids")
async def test_the_ids_of_the_merged_lead_to_the_target(client: AgentGraphClient) -> None:
    """This holds in reads, neighbours, paths, phases and later merges, over any number of merges."""
    target, middle, source, end = [await client.make(name) for name in ("target", "middle", "source", "end")]
    await client.link(source, end, "USES")
    await client.merge(middle, source)
    await client.merge(target, middle)
    for former in (middle, source):
        assert (await client.read(former)).id == target
        assert [entity.id for entity in (await client.neighbors(former)).entities] == [end]
        assert await client.path(former, end) == [target, end]
        assert await client.path(former, target) == [target]
        part = await client.phase("planning", entityIds=[former, target])
        assert [entity.id for entity in part.entities] == [target, end]
        again = await client.merge(target, former)
        assert (again.merged_entity.id, again.relationships_transferred, again.aliases_merged) == (target, 0, [])
    into_former = await client.merge(source, end)
    assert (into_former.merged_entity.id, into_former.aliases_merged) == (target, ["end"])


@promise("agent_graph:merge:edges")
async def test_edges_are_moved_and_loops_and_duplicates_dropped(client: AgentGraphClient) -> None:
    """The count is of edges that are new at the target."""
    target, one, two, site, team = [await client.make(name) for name in ("target", "one", "two", "site", "team")]
    await client.link(site, target, "USES", confidence=0.3)
    await client.link(site, one, "USES", confidence=0.9)
    await client.link(two, team, "OWNS", label="owns it")
    await client.link(team, one, "USES", confidence=0.4)
    await client.link(team, two, "USES", confidence=0.6)
    await client.link(one, two)
    await client.link(two, target)
    merged = await client.merge(target, one, two)
    assert merged.relationships_transferred == 2
    reply = await client.neighbors(target)
    edges = {
        (edge.from_entity_id, edge.type, edge.to_entity_id): (edge.confidence, edge.label)
        for edge in reply.relationships
    }
    assert edges == {
        (site, "USES", target): (0.9, None),
        (target, "OWNS", team): (0.8, "owns it"),
        (team, "USES", target): (0.6, None),
    }
    assert await client.path(site, team) == [site, target, team]
    assert (await client.neighbors(site)).relationship_count == 1


@promise("agent_graph:merge:edges")
async def test_an_edge_keeps_the_properties_of_its_duplicates(client: AgentGraphClient) -> None:
    """The highest confidence, its own label or the first one there is, all sources, and the earliest time."""
    target, source, third, end = [await client.make(name) for name in ("target", "source", "third", "end")]
    older = await client.link(source, end, "OWNS", confidence=0.9, label="the label")
    await client.link(third, end, "OWNS", confidence=0.2, label="another label")
    edge = await client.link(target, end, "OWNS", confidence=0.3)
    merged = await client.merge(target, source, third)
    assert merged.relationships_transferred == 0
    [kept] = (await client.neighbors(target)).relationships
    assert (kept.id, kept.confidence, kept.label) == (edge.id, 0.9, "the label")
    assert kept.created_at == older.created_at


@promise("agent_graph:merge:chain")
async def test_what_was_merged_can_be_merged_again_from_either_side(client: AgentGraphClient) -> None:
    """An edge follows both of its ends through all merges."""
    a, b, c, d = [await client.make(name) for name in ("a", "b", "c", "d")]
    edge = await client.link(a, b, "BLOCKS")
    await client.merge(c, a)
    await client.merge(d, b)
    [moved] = (await client.neighbors(c)).relationships
    assert (moved.from_entity_id, moved.to_entity_id, moved.created_at) == (c, d, edge.created_at)
    merged = await client.merge(c, d)
    assert merged.relationships_transferred == 0
    assert (await client.neighbors(c)).relationships == []
    assert set(merged.merged_entity.aliases) == {"a", "b", "d"}


@promise("agent_graph:merge:combined")
async def test_read_counts_add_up_and_determine_utility(client: AgentGraphClient) -> None:
    """The highest confidence is kept; a description is taken where the target has none."""
    target = await client.make("target", confidence=0.4)
    source = await client.make("source", confidence=0.7, description="What it is.")
    for _ in range(2):
        await client.read(target)
    for _ in range(2):
        await client.read(source)
    last = (await client.read(source)).last_accessed
    merged = (await client.merge(target, source)).merged_entity
    assert (merged.confidence, merged.description, merged.q_value) == (0.7, "What it is.", 0.5)
    assert (merged.access_count, merged.last_accessed) == (5, last)


@promise("agent_graph:merge:combined")
async def test_a_merge_weighs_reads_that_were_counted_just_before(
    connections: Connections, client: AgentGraphClient
) -> None:
    """Utility is the mean weighted by reads plus one, whether the reads are recorded already or not."""
    connection = await connections.open("agent_graph", {"ENTREPOT_TOOLSETS__AGENT_GRAPH__EXTENSIONS": "true"})
    extended = AgentGraphClient(connection, client.channel)
    target, source = await extended.make("target"), await extended.make("source")
    await connection.ask(Some, "kg_record_outcome", entityIds=[source], reward=1)
    for _ in range(9):
        await extended.read(source)
    merged = (await extended.merge(target, source)).merged_entity
    assert merged.access_count == 9
    assert merged.q_value == round((0.5 + 10 * 0.55) / 11, 4)


@promise("agent_graph:merge:names")
async def test_the_names_of_the_merged_lead_to_the_target(client: AgentGraphClient) -> None:
    """Creating or extracting such a name makes no new entity."""
    target, source = await client.make("Kubernetes"), await client.make("K8s")
    await client.merge(target, source)
    assert await client.make("k8s") == target
    other = await client.make("Mercury", "location")
    await client.merge(target, other)
    assert await client.make("Mercury", "location") != target
    # The target never had the name of another type: it stays with the entity that has it in the target's own type.
    namesake = await client.make("Mercury")
    await client.merge(await client.make("Container platform"), target)
    assert await client.make("Mercury") == namesake


@promise("agent_graph:merge:refused", "agent_graph:errors:merge-failed")
async def test_a_merge_that_fails_changes_nothing(client: AgentGraphClient) -> None:
    """The causes are a target among the sources, an unknown id among known ones, and another channel."""
    target, source = await client.make("target"), await client.make("source")
    edge = await client.link(source, await client.make("end"))
    abroad = await AgentGraphClient(client.connection, f"{client.channel} other").make("abroad")
    for sources in ([source, target], [source, UNKNOWN], [source, abroad], ["no id at all"]):
        refusal = await client.refused("kg_merge_entities", {"targetEntityId": target, "sourceEntityIds": sources})
        assert refusal.error == "Merge failed"
        assert refusal.model_dump()["result"] == {
            "success": False,
            "mergedEntity": None,
            "relationshipsTransferred": 0,
            "aliasesMerged": [],
            "error": "Merge failed",
        }
    refusal = await client.refused("kg_merge_entities", {"targetEntityId": UNKNOWN, "sourceEntityIds": [source]})
    assert (refusal.error, "Entity not found" in refusal.message) == ("Merge failed", True)
    assert [found.id for found in (await client.neighbors(source)).relationships] == [edge.id]
    assert (await client.read(target)).aliases == []
