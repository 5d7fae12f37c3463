"""Contexts: for keywords and tasks, and for each of the five phases what that phase needs."""

import pytest

from contracts.promises import promise
from contracts.tools.agent_graph.client import UNKNOWN, AgentGraphClient
from contracts.tools.agent_graph.replies import PhaseContext

Ids = dict[str, str]


@promise("agent_graph:context:keywords", "agent_graph:context:edges")
async def test_keywords_are_found_in_names_aliases_and_descriptions(client: AgentGraphClient) -> None:
    """Case is ignored, and the edges are those among the returned entities."""
    ids = {
        "name": await client.make("OAuth authentication", "concept"),
        "alias": await client.make("Login", "concept", aliases=["Authentication dialog"]),
        "description": await client.make("Vault", description="Keeps what AUTHENTICATION needs."),
    }
    edge = await client.link(ids["name"], ids["alias"])
    useful = [await client.make(f"useful {number}", "task") for number in range(11)]
    for entity in useful[:10]:
        await client.read(entity)
    reached = await client.link(ids["alias"], useful[0])
    await client.link(ids["alias"], useful[10])
    context = (await client.context(keywords=["authentic"])).context
    assert {entity.id for entity in context.entities} == set(ids.values())
    assert {entity.id for entity in context.high_utility_entities} == set(useful[:10])
    assert {found.id for found in context.relationships} == {edge.id, reached.id}


@promise("agent_graph:context:keywords", "agent_graph:phase:observation", "agent_graph:phase:planning")
async def test_what_a_keyword_names_in_full_comes_first(client: AgentGraphClient) -> None:
    """This holds however many more useful entities contain it; an alias ranks like a name, ignoring case."""
    nicknamed = await client.make("Titan", "document", aliases=["atlas"])
    project = await client.make("Atlas", "project")
    for number in range(11):
        await client.read(await client.make(f"ATLAS-{number}", "task"))
    assert [entity.id for entity in (await client.context(keywords=["Atlas"])).context.entities[:2]] == [
        project,
        nicknamed,
    ]
    for phase in ("observation", "planning"):
        part = await client.phase(phase, taskContent="Go on with ATLAS")
        assert [entity.id for entity in part.entities[:2]] == [project, nicknamed]
    parts = (await client.context(keywords=["tlas"])).context.entities
    assert (len(parts), {entity.type for entity in parts}) == (10, {"task"})


@promise("agent_graph:context:bare")
async def test_without_keywords_it_is_the_most_useful_part(client: AgentGraphClient) -> None:
    """The context of an empty channel is empty."""
    empty = (await client.context()).context
    assert (empty.entities, empty.relationships, empty.high_utility_entities) == ([], [], [])
    a, b = await client.make("a"), await client.make("b")
    edge = await client.link(a, b)
    context = (await client.context()).context
    assert context.entities == []
    assert {entity.id for entity in context.high_utility_entities} == {a, b}
    assert [found.id for found in context.relationships] == [edge.id]


@promise("agent_graph:context:task")
async def test_a_task_adds_what_was_found_in_it(client: AgentGraphClient) -> None:
    """They are the entities that have the task as a source."""
    await client.make("elsewhere")
    found = await client.extract("Grace Hopper works on COBOL.", sourceId="task-7")
    assert found.result.entities
    context = (await client.context(taskId="task-7")).context
    assert {entity.id for entity in context.entities} == {entity.id for entity in found.result.entities}
    assert (await client.context(taskId="task-8")).context.entities == []


@promise("agent_graph:context:task")
async def test_what_came_from_no_task_is_in_none(client: AgentGraphClient) -> None:
    """The source is the name of the tool, which is not a task."""
    await client.make("elsewhere")
    assert (await client.extract("Grace Hopper works on COBOL.")).result.entities
    for tool in ("kg_create_entity", "kg_extract_from_text"):
        assert (await client.context(taskId=tool)).context.entities == []


@promise("agent_graph:context:cut")
async def test_a_context_that_was_cut_says_so(client: AgentGraphClient) -> None:
    """The message says how many were found and how many are shown."""
    for number in range(12):
        await client.make(f"widget {number}", "concept")
    cut = await client.context(keywords=["widget"])
    assert cut.message == "Found 10 entities and 0 relationships (12 found, the 10 most useful shown)"
    whole = await client.context(keywords=["widget 1"])
    assert whole.message == "Found 3 entities and 0 relationships"
    observed = await client.phase("observation", taskContent="every widget")
    assert "12 entities match the task (12 found, the 10 most useful shown)" in observed.summary


@promise("agent_graph:context:counts")
async def test_the_most_useful_do_not_grow_by_being_listed(client: AgentGraphClient) -> None:
    """A listing by rank is not a read, or the first entities would stay first."""
    entity = await client.make("listed")
    await client.context()
    await client.context(keywords=["nothing of the kind"])
    for phase in ("observation", "reasoning", "planning", "action"):
        await client.phase(phase, taskContent="anything else")
    assert (await client.read(entity)).access_count == 1


@promise("agent_graph:phase:planning")
async def test_planning_counts_by_direction(client: AgentGraphClient) -> None:
    """It counts what an entity depends on and what blocks it, not the opposite directions."""
    shop, ledger, outage, till, site = [
        await client.make(name) for name in ("Shop", "Ledger", "Outage", "Till", "Site")
    ]
    await client.link(shop, ledger, "DEPENDS_ON")
    await client.link(till, shop, "DEPENDS_ON")
    await client.link(site, shop, "DEPENDS_ON")
    await client.link(outage, shop, "BLOCKS")
    await client.link(shop, till, "BLOCKS")
    part = await client.phase("planning", entityIds=[shop])
    assert part.summary == "1 dependency, 1 blocker, 0 resources in use"
    assert len(part.relationships) == 5


@promise("agent_graph:context:counts")
async def test_a_context_counts_as_a_read(client: AgentGraphClient) -> None:
    """Each entity in the context is read once."""
    entity = await client.make("counted in context")
    await client.context(keywords=["counted", "context"])
    await client.phase("reflection")
    assert (await client.read(entity)).access_count == 3


async def a_graph(client: AgentGraphClient) -> Ids:
    """Store one graph in which each phase finds something else."""
    kinds = {
        "Shop": "project",
        "Checkout": "task",
        "Ledger": "project",
        "Outage": "task",
        "Python": "technology",
        "Handbook": "document",
        "Ada": "person",
        "Grace": "person",
        "Lisbon": "location",
        "Pattern": "concept",
    }
    ids = {name: await client.make(name, kind) for name, kind in kinds.items()}
    for source, kind, target in (
        ("Shop", "DEPENDS_ON", "Ledger"),
        ("Outage", "BLOCKS", "Shop"),
        ("Shop", "USES", "Python"),
        ("Shop", "REFERENCES", "Pattern"),
        ("Ada", "WORKS_ON", "Shop"),
        ("Ada", "RELATED_TO", "Grace"),
        ("Checkout", "RELATED_TO", "Grace"),
    ):
        await client.link(ids[source], ids[target], kind)
    for number in range(10):
        often = await client.make(f"often read {number}", "organization")
        for _ in range(6):
            await client.read(often)
    for name in ("Lisbon", "Ada"):
        await client.read(ids[name])
    return ids


def named(part: PhaseContext) -> set[str]:
    """Return the names in a part of the graph, except those that were only read often."""
    return {entity.name for entity in part.entities if not entity.name.startswith("often read")}


@promise(
    "agent_graph:phase:observation",
    "agent_graph:phase:reasoning",
    "agent_graph:phase:planning",
    "agent_graph:phase:action",
    "agent_graph:phase:reflection",
)
async def test_each_phase_has_its_own_view_of_one_graph(client: AgentGraphClient) -> None:
    """Each phase returns its documented part of the graph."""
    ids = await a_graph(client)
    observed = await client.phase("observation", taskContent="Rework the checkout of our shop")
    assert named(observed) == {"Checkout", "Shop", "Lisbon", "Ada"}
    assert {edge.type for edge in observed.relationships} == {"WORKS_ON"}

    reasoned = await client.phase("reasoning", entityIds=[ids["Shop"], ids["Checkout"]])
    joining = {ids["Shop"], ids["Ada"], ids["Grace"], ids["Checkout"]}
    assert joining <= {entity.id for entity in reasoned.entities}
    assert named(reasoned) == {"Shop", "Checkout", "Ada", "Grace", "Ledger", "Outage", "Python", "Pattern"}
    assert len(reasoned.relationships) == 7

    planned = await client.phase("planning", entityIds=[ids["Shop"]])
    assert named(planned) == {"Shop", "Ledger", "Outage", "Python"}
    assert len(planned.entities) == 14
    assert {edge.type for edge in planned.relationships} == {"DEPENDS_ON", "BLOCKS", "USES"}

    acting = await client.phase("action", entityIds=[ids["Shop"]])
    assert named(acting) == {"Shop", "Python", "Handbook", "Pattern"}
    assert {edge.type for edge in acting.relationships} == {"USES", "REFERENCES"}

    changed = await client.entity("Checkout", "task", aliases=["Till"])
    reflected = await client.phase("reflection")
    assert reflected.entities[0].id == changed.id
    times = [entity.updated_at for entity in reflected.entities]
    assert times == sorted(times, reverse=True)
    assert "helped" in reflected.summary

    views = [observed, reasoned, planned, acting, reflected]
    assert len({frozenset(entity.id for entity in view.entities) for view in views}) == len(views)


@promise("agent_graph:phase:without-entities")
@pytest.mark.parametrize("phase", ["observation", "reasoning", "planning", "action", "reflection"])
async def test_a_phase_needs_no_entities(client: AgentGraphClient, phase: str) -> None:
    """A task is optional as well; an empty channel gives an empty part."""
    assert (await client.phase(phase)).entities == []
    tool = await client.make("tool")
    await client.read(tool)
    assert [entity.id for entity in (await client.phase(phase)).entities] == [tool]


@promise("agent_graph:phase:unknown")
async def test_an_unknown_phase_is_refused_naming_the_five(client: AgentGraphClient) -> None:
    """An unknown entity is not found."""
    for phase in ("dreaming", "Observation", ""):
        refusal = await client.refused("kg_get_phase_context", {"phase": phase})
        for known in ("observation", "reasoning", "planning", "action", "reflection"):
            assert known in refusal.message
    refusal = await client.refused("kg_get_phase_context", {"phase": "action", "entityIds": [UNKNOWN]})
    assert refusal.error == "Entity not found"
