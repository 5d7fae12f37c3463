"""Duplicates are found by name, and merging makes one entity of several, all or nothing."""

import pytest

from backends.ports.values import Json
from contracts.doors import Doors
from contracts.promises import promise
from contracts.tools.agent_graph.desk import UNKNOWN, Desk
from contracts.tools.agent_graph.replies import Duplicates, Some


async def pairs(desk: Desk, threshold: float = 0.8) -> list[tuple[str, str]]:
    """Return the names in each pair, in the order of the reply; the default threshold is not sent."""
    more: dict[str, Json] = {} if threshold == 0.8 else {"threshold": threshold}
    reply = await desk.door.ask(Duplicates, "kg_find_duplicates", channelId=desk.channel, **more)
    assert reply.count == len(reply.duplicates)
    similarities = [pair.similarity for pair in reply.duplicates]
    assert similarities == sorted(similarities, reverse=True)
    assert all(similarity >= threshold for similarity in similarities)
    return [(pair.entity1.name, pair.entity2.name) for pair in reply.duplicates]


@promise("agent_graph:duplicates:found", "agent_graph:duplicates:older-first")
async def test_three_ways_to_write_a_name_are_found(desk: Desk) -> None:
    """The older entity comes first in its pair."""
    for name in ("React", "ReactJS", "React.js"):
        await desk.make(name)
    assert set(await pairs(desk)) == {("React", "ReactJS"), ("React", "React.js"), ("ReactJS", "React.js")}


@promise("agent_graph:duplicates:not-found")
@pytest.mark.parametrize(
    ("one", "other"),
    [("Java", "JavaScript"), ("Docker", "Docker Compose"), ("AUTH-142", "AUTH-143"), ("Paris", "Berlin")],
)
async def test_names_that_only_look_alike_are_none(desk: Desk, one: str, other: str) -> None:
    """A name within a longer word, one word more, another number."""
    await desk.make(one)
    await desk.make(other)
    assert await pairs(desk) == []


@promise("agent_graph:duplicates:apart")
async def test_duplicates_are_of_one_type_and_one_channel(desk: Desk) -> None:
    """An alias counts as a name."""
    await desk.make("Mercury", "technology")
    await desk.make("Mercury", "location")
    await Desk(desk.door, f"{desk.channel} other").make("mercury.js", "technology")
    assert await pairs(desk) == []
    await desk.make("Quicksilver", "technology", aliases=["MERCURY"])
    assert await pairs(desk) == [("Mercury", "Quicksilver")]


@promise("agent_graph:merge:reply", "agent_graph:merge:sources-gone")
async def test_the_documented_merge_gives_the_documented_aliases(desk: Desk) -> None:
    """The sources' names are the target's now, and the sources are gone."""
    react, js, dot = await desk.make("React"), await desk.make("ReactJS"), await desk.make("React.js")
    merged = await desk.merge(react, js, dot)
    assert (merged.merged_entity.id, merged.merged_entity.name) == (react, "React")
    assert merged.merged_entity.aliases == ["ReactJS", "React.js"]
    assert merged.aliases_merged == ["ReactJS", "React.js"]
    for gone in (js, dot):
        assert (await desk.refused("kg_get_entity", {"entityId": gone})).error == "Entity not found"
    assert await desk.found("react") == ["React"]
    assert await pairs(desk) == []


@promise("agent_graph:merge:edges")
async def test_edges_are_moved_and_loops_and_doubles_dropped(desk: Desk) -> None:
    """What is counted is what now begins or ends at the target."""
    target, one, two, site, team = [await desk.make(name) for name in ("target", "one", "two", "site", "team")]
    await desk.link(site, target, "USES", confidence=0.3)
    await desk.link(site, one, "USES", confidence=0.9)
    await desk.link(two, team, "OWNS", label="owns it")
    await desk.link(team, one, "USES", confidence=0.4)
    await desk.link(team, two, "USES", confidence=0.6)
    await desk.link(one, two)
    await desk.link(two, target)
    merged = await desk.merge(target, one, two)
    assert merged.relationships_transferred == 2
    reply = await desk.neighbors(target)
    edges = {
        (edge.from_entity_id, edge.type, edge.to_entity_id): (edge.confidence, edge.label)
        for edge in reply.relationships
    }
    assert edges == {
        (site, "USES", target): (0.9, None),
        (target, "OWNS", team): (0.8, "owns it"),
        (team, "USES", target): (0.6, None),
    }
    assert await desk.path(site, team) == [site, target, team]
    assert (await desk.neighbors(site)).relationship_count == 1


@promise("agent_graph:merge:edges")
async def test_an_edge_keeps_what_its_doubles_knew(desk: Desk) -> None:
    """The highest confidence, its own label or the first one there is, all sources, and the earliest time."""
    target, source, third, end = [await desk.make(name) for name in ("target", "source", "third", "end")]
    older = await desk.link(source, end, "OWNS", confidence=0.9, label="the label")
    await desk.link(third, end, "OWNS", confidence=0.2, label="another label")
    edge = await desk.link(target, end, "OWNS", confidence=0.3)
    merged = await desk.merge(target, source, third)
    assert merged.relationships_transferred == 0
    [kept] = (await desk.neighbors(target)).relationships
    assert (kept.id, kept.confidence, kept.label) == (edge.id, 0.9, "the label")
    assert kept.created_at == older.created_at


@promise("agent_graph:merge:chain")
async def test_what_was_merged_can_be_merged_again_from_either_side(desk: Desk) -> None:
    """An edge follows both of its ends through all merges."""
    a, b, c, d = [await desk.make(name) for name in ("a", "b", "c", "d")]
    edge = await desk.link(a, b, "BLOCKS")
    await desk.merge(c, a)
    await desk.merge(d, b)
    [moved] = (await desk.neighbors(c)).relationships
    assert (moved.from_entity_id, moved.to_entity_id, moved.created_at) == (c, d, edge.created_at)
    merged = await desk.merge(c, d)
    assert merged.relationships_transferred == 0
    assert (await desk.neighbors(c)).relationships == []
    assert set(merged.merged_entity.aliases) == {"a", "b", "d"}


@promise("agent_graph:merge:combined")
async def test_counts_add_up_and_utility_goes_by_them(desk: Desk) -> None:
    """The highest confidence stays, and a description where the target has none."""
    target = await desk.make("target", confidence=0.4)
    source = await desk.make("source", confidence=0.7, description="What it is.")
    for _ in range(2):
        await desk.read(target)
    for _ in range(2):
        await desk.read(source)
    last = (await desk.read(source)).last_accessed
    merged = (await desk.merge(target, source)).merged_entity
    assert (merged.confidence, merged.description, merged.q_value) == (0.7, "What it is.", 0.5)
    assert (merged.access_count, merged.last_accessed) == (5, last)


@promise("agent_graph:merge:combined")
async def test_a_merge_weighs_reads_that_were_counted_just_before(doors: Doors, desk: Desk) -> None:
    """Utility is the mean, each weighted by its reads plus one, whether the server has recorded them already or not."""
    door = await doors.open("agent_graph", {"ENTREPOT_TOOLSETS__AGENT_GRAPH__EXTENSIONS": "true"})
    extended = Desk(door, desk.channel)
    target, source = await extended.make("target"), await extended.make("source")
    await door.ask(Some, "kg_record_outcome", entityIds=[source], reward=1)
    for _ in range(9):
        await extended.read(source)
    merged = (await extended.merge(target, source)).merged_entity
    assert merged.access_count == 9
    assert merged.q_value == pytest.approx((0.5 + 10 * 0.55) / 11)


@promise("agent_graph:merge:names")
async def test_the_names_of_the_merged_lead_to_the_target(desk: Desk) -> None:
    """Filing one again, or extracting it, makes no new entity."""
    target, source = await desk.make("Kubernetes"), await desk.make("K8s")
    await desk.merge(target, source)
    assert await desk.make("k8s") == target
    other = await desk.make("Mercury", "location")
    await desk.merge(target, other)
    assert await desk.make("Mercury", "location") != target
    # The name of another type was never the target's: it stays with who has it in the target's own type.
    namesake = await desk.make("Mercury")
    await desk.merge(await desk.make("Container platform"), target)
    assert await desk.make("Mercury") == namesake


@promise("agent_graph:merge:refused", "agent_graph:errors:merge-failed")
async def test_a_merge_that_fails_changes_nothing(desk: Desk) -> None:
    """The target among the sources, an unknown id among good ones, another channel."""
    target, source = await desk.make("target"), await desk.make("source")
    edge = await desk.link(source, await desk.make("end"))
    abroad = await Desk(desk.door, f"{desk.channel} other").make("abroad")
    for sources in ([source, target], [source, UNKNOWN], [source, abroad], ["no id at all"]):
        refusal = await desk.refused("kg_merge_entities", {"targetEntityId": target, "sourceEntityIds": sources})
        assert refusal.error == "Merge failed"
        assert refusal.model_dump()["result"] == {
            "success": False,
            "mergedEntity": None,
            "relationshipsTransferred": 0,
            "aliasesMerged": [],
            "error": "Merge failed",
        }
    refusal = await desk.refused("kg_merge_entities", {"targetEntityId": UNKNOWN, "sourceEntityIds": [source]})
    assert (refusal.error, "Entity not found" in refusal.message) == ("Merge failed", True)
    assert [found.id for found in (await desk.neighbors(source)).relationships] == [edge.id]
    assert (await desk.read(target)).aliases == []
