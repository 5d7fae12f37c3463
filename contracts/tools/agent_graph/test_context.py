"""Contexts: for keywords and tasks, and for each of the five phases what that phase needs."""

import pytest

from contracts.promises import promise
from contracts.tools.agent_graph.desk import UNKNOWN, Desk
from contracts.tools.agent_graph.replies import PhaseContext

Ids = dict[str, str]


@promise("agent_graph:context:keywords", "agent_graph:context:edges")
async def test_keywords_are_found_in_names_aliases_and_descriptions(desk: Desk) -> None:
    """Whatever their case, with the edges among what is returned and no others."""
    ids = {
        "name": await desk.make("OAuth authentication", "concept"),
        "alias": await desk.make("Login", "concept", aliases=["Authentication dialog"]),
        "description": await desk.make("Vault", description="Keeps what AUTHENTICATION needs."),
    }
    edge = await desk.link(ids["name"], ids["alias"])
    useful = [await desk.make(f"useful {number}", "task") for number in range(11)]
    for entity in useful[:10]:
        await desk.read(entity)
    reached = await desk.link(ids["alias"], useful[0])
    await desk.link(ids["alias"], useful[10])
    context = (await desk.context(keywords=["authentic"])).context
    assert {entity.id for entity in context.entities} == set(ids.values())
    assert {entity.id for entity in context.high_utility_entities} == set(useful[:10])
    assert {found.id for found in context.relationships} == {edge.id, reached.id}


@promise("agent_graph:context:keywords", "agent_graph:phase:observation", "agent_graph:phase:planning")
async def test_what_a_keyword_names_in_full_comes_first(desk: Desk) -> None:
    """However many more useful entities have it as a part of their names; a name before an alias, and any case will do."""
    nicknamed = await desk.make("Titan", "document", aliases=["atlas"])
    project = await desk.make("Atlas", "project")
    for number in range(11):
        await desk.read(await desk.make(f"ATLAS-{number}", "task"))
    assert [entity.id for entity in (await desk.context(keywords=["Atlas"])).context.entities[:2]] == [
        project,
        nicknamed,
    ]
    for phase in ("observation", "planning"):
        part = await desk.phase(phase, taskContent="Go on with ATLAS")
        assert [entity.id for entity in part.entities[:2]] == [project, nicknamed]
    parts = (await desk.context(keywords=["tlas"])).context.entities
    assert (len(parts), {entity.type for entity in parts}) == (10, {"task"})


@promise("agent_graph:context:bare")
async def test_without_keywords_it_is_the_most_useful_part(desk: Desk) -> None:
    """And an empty channel has an empty context."""
    empty = (await desk.context()).context
    assert (empty.entities, empty.relationships, empty.high_utility_entities) == ([], [], [])
    a, b = await desk.make("a"), await desk.make("b")
    edge = await desk.link(a, b)
    context = (await desk.context()).context
    assert context.entities == []
    assert {entity.id for entity in context.high_utility_entities} == {a, b}
    assert [found.id for found in context.relationships] == [edge.id]


@promise("agent_graph:context:task")
async def test_a_task_adds_what_was_found_in_it(desk: Desk) -> None:
    """The entities whose source it is."""
    await desk.make("elsewhere")
    found = await desk.extract("Grace Hopper works on COBOL.", sourceId="task-7")
    assert found.result.entities
    context = (await desk.context(taskId="task-7")).context
    assert {entity.id for entity in context.entities} == {entity.id for entity in found.result.entities}
    assert (await desk.context(taskId="task-8")).context.entities == []


@promise("agent_graph:context:task")
async def test_what_came_from_no_task_is_in_none(desk: Desk) -> None:
    """Its source is the tool that made it, whose name is no task."""
    await desk.make("elsewhere")
    assert (await desk.extract("Grace Hopper works on COBOL.")).result.entities
    for tool in ("kg_create_entity", "kg_extract_from_text"):
        assert (await desk.context(taskId=tool)).context.entities == []


@promise("agent_graph:context:counts")
async def test_a_context_counts_as_a_read(desk: Desk) -> None:
    """Of each entity in it, once."""
    entity = await desk.make("counted in context")
    await desk.context(keywords=["counted", "context"])
    await desk.phase("reflection")
    assert (await desk.read(entity)).access_count == 3


async def a_graph(desk: Desk) -> Ids:
    """File one graph in which each phase finds something else."""
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
    ids = {name: await desk.make(name, kind) for name, kind in kinds.items()}
    for source, kind, target in (
        ("Shop", "DEPENDS_ON", "Ledger"),
        ("Outage", "BLOCKS", "Shop"),
        ("Shop", "USES", "Python"),
        ("Shop", "REFERENCES", "Pattern"),
        ("Ada", "WORKS_ON", "Shop"),
        ("Ada", "RELATED_TO", "Grace"),
        ("Checkout", "RELATED_TO", "Grace"),
    ):
        await desk.link(ids[source], ids[target], kind)
    for number in range(10):
        often = await desk.make(f"often read {number}", "organization")
        for _ in range(6):
            await desk.read(often)
    for name in ("Lisbon", "Ada"):
        await desk.read(ids[name])
    return ids


def named(part: PhaseContext) -> set[str]:
    """Return the names in a part of the graph, but for those that were only read often."""
    return {entity.name for entity in part.entities if not entity.name.startswith("often read")}


@promise(
    "agent_graph:phase:observation",
    "agent_graph:phase:reasoning",
    "agent_graph:phase:planning",
    "agent_graph:phase:action",
    "agent_graph:phase:reflection",
)
async def test_each_phase_has_its_own_view_of_one_graph(desk: Desk) -> None:
    """What is matched and read lately, what joins, what is needed, what is at hand, what changed last."""
    ids = await a_graph(desk)
    observed = await desk.phase("observation", taskContent="Rework the checkout of our shop")
    assert named(observed) == {"Checkout", "Shop", "Lisbon", "Ada"}
    assert {edge.type for edge in observed.relationships} == {"WORKS_ON"}

    reasoned = await desk.phase("reasoning", entityIds=[ids["Shop"], ids["Checkout"]])
    joining = {ids["Shop"], ids["Ada"], ids["Grace"], ids["Checkout"]}
    assert joining <= {entity.id for entity in reasoned.entities}
    assert named(reasoned) == {"Shop", "Checkout", "Ada", "Grace", "Ledger", "Outage", "Python", "Pattern"}
    assert len(reasoned.relationships) == 7

    planned = await desk.phase("planning", entityIds=[ids["Shop"]])
    assert named(planned) == {"Shop", "Ledger", "Outage", "Python"}
    assert len(planned.entities) == 14
    assert {edge.type for edge in planned.relationships} == {"DEPENDS_ON", "BLOCKS", "USES"}

    acting = await desk.phase("action", entityIds=[ids["Shop"]])
    assert named(acting) == {"Shop", "Python", "Handbook", "Pattern"}
    assert {edge.type for edge in acting.relationships} == {"USES", "REFERENCES"}

    changed = await desk.entity("Checkout", "task", aliases=["Till"])
    reflected = await desk.phase("reflection")
    assert reflected.entities[0].id == changed.id
    times = [entity.updated_at for entity in reflected.entities]
    assert times == sorted(times, reverse=True)
    assert "helped" in reflected.summary

    views = [observed, reasoned, planned, acting, reflected]
    assert len({frozenset(entity.id for entity in view.entities) for view in views}) == len(views)


@promise("agent_graph:phase:without-entities")
@pytest.mark.parametrize("phase", ["observation", "reasoning", "planning", "action", "reflection"])
async def test_a_phase_needs_no_entities(desk: Desk, phase: str) -> None:
    """Nor a task; an empty channel gives an empty part."""
    assert (await desk.phase(phase)).entities == []
    tool = await desk.make("tool")
    await desk.read(tool)
    assert [entity.id for entity in (await desk.phase(phase)).entities] == [tool]


@promise("agent_graph:phase:unknown")
async def test_a_phase_that_is_none_is_refused_naming_the_five(desk: Desk) -> None:
    """And an entity that is none is not found."""
    for phase in ("dreaming", "Observation", ""):
        refusal = await desk.refused("kg_get_phase_context", {"phase": phase})
        for known in ("observation", "reasoning", "planning", "action", "reflection"):
            assert known in refusal.message
    refusal = await desk.refused("kg_get_phase_context", {"phase": "action", "entityIds": [UNKNOWN]})
    assert refusal.error == "Entity not found"
