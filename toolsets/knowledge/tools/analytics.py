"""The analytics tools: the hierarchy with counts, and concepts by certainty."""

from pydantic import BaseModel

from backends.ports.graph import Graph
from toolsets.arguments import Arguments
from toolsets.concurrency import run_cpu
from toolsets.knowledge.errors import tool_error
from toolsets.knowledge.hierarchy import Branch, branches
from toolsets.knowledge.projections import CONCEPT
from toolsets.knowledge.queries import all_of, certainty_within, first_by
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.streams import CONCEPTS
from toolsets.knowledge.tools.fields import Score, Success, UpTo50
from toolsets.knowledge.tools.search import RowsReply, row_of
from toolsets.replies import cut_sentence, fitting_rows, plain_number, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import NoArguments, Tool

LEVELS = ("area", "topic", "subtopic")


class ByCertainty(Arguments):
    """A range of certainty, both bounds included."""

    min_certainty: Score = 0.0
    max_certainty: Score = 100.0
    limit: UpTo50 = 20


class Subtopic(BaseModel):
    """A subtopic and its concepts."""

    name: str
    concept_count: int


class Topic(BaseModel):
    """A topic, its concepts and its parts."""

    name: str
    concept_count: int
    subtopics: tuple[Subtopic, ...]


class Area(BaseModel):
    """An area, its concepts and its parts."""

    name: str
    concept_count: int
    topics: tuple[Topic, ...]


class HierarchyReply(Success):
    """All concepts by placement."""

    areas: tuple[Area, ...]
    total_concepts: int
    message: str


async def list_hierarchy(knowledge: Knowledge, arguments: NoArguments, context: CallContext) -> Reply:
    """Count concepts by area, topic and subtopic; the counts of the parts always add up."""
    await knowledge.graph()
    with knowledge.reading("graph", "neo4j_error", "Counting concepts"):
        return await knowledge.sourced.cached_count(knowledge.hierarchy, CONCEPTS, _counted)


async def _counted(graph: Graph) -> Reply:
    groups = await graph.count_nodes(CONCEPT, by=LEVELS)
    return await run_cpu(lambda: hierarchy_reply(branches(groups)), size=len(groups))


def hierarchy_reply(tree: tuple[Branch, ...]) -> Reply:
    """Return the reply for a hierarchy; a large one is cut at each level, with a note in its message."""
    areas = fitting_rows([Area(name=area.name, concept_count=area.count, topics=_topics(area)) for area in tree])
    total = sum(area.count for area in tree)
    parts = sum(1 + len(area.parts) + sum(len(topic.parts) for topic in area.parts) for area in tree)
    shown = sum(1 + len(area.topics) + sum(len(topic.subtopics) for topic in area.topics) for area in areas)
    message = f"Hierarchy contains {len(tree)} areas with {total} concepts{cut_sentence(shown, parts)}"
    return reply_of(HierarchyReply(areas=areas, total_concepts=total, message=message))


def _topics(area: Branch) -> tuple[Topic, ...]:
    return fitting_rows(
        [
            Topic(
                name=topic.name,
                concept_count=topic.count,
                subtopics=fitting_rows([Subtopic(name=leaf.name, concept_count=leaf.count) for leaf in topic.parts]),
            )
            for topic in area.parts
        ]
    )


async def get_concepts_by_certainty(knowledge: Knowledge, arguments: ByCertainty, context: CallContext) -> Reply:
    """List concepts within a range of certainty, the least certain first."""
    low, high = arguments.min_certainty, arguments.max_certainty
    if low > high:
        raise tool_error(
            "validation_error",
            "min_certainty must not be above max_certainty",
            field="min_certainty",
            invalid_value=low,
        )
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Searching the graph"):
        nodes = await first_by(graph, all_of(certainty_within(low, high)), "certainty", arguments.limit)
    rows = tuple(row_of(node) for node in nodes)
    message = f"Found {len(rows)} concepts with certainty between {plain_number(low)} and {plain_number(high)}"
    return reply_of(RowsReply(results=rows, total=len(rows), message=message))


TOOLS = (
    Tool(
        "list_hierarchy",
        "Knowledge hierarchy",
        "Show all areas, topics and subtopics with concept counts. Use it to find your way or to choose a placement.",
        NoArguments,
        HierarchyReply,
        list_hierarchy,
    ),
    Tool(
        "get_concepts_by_certainty",
        "Concepts by certainty",
        "List concepts whose certainty lies within a range, lowest first: what needs review.",
        ByCertainty,
        RowsReply,
        get_concepts_by_certainty,
    ),
)
