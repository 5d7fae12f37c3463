"""The tool that follows relationships."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from backends.ports.graph import Edge, Graph, Step
from backends.ports.values import NodeId
from toolsets.making import Tool
from toolsets.memory.runtime import Memory
from toolsets.memory.streams import entity_id
from toolsets.memory.tools.fields import Body, DatabaseName, Depth, EntityRow, Limit, Name, shown
from toolsets.parsing import Arguments
from toolsets.reply import answer
from toolsets.spec import CallContext, Reply

WHOLE_LOOK = 10_000


class GetRelated(Arguments):
    """From where, and how far."""

    database: DatabaseName
    entity_name: Name
    max_depth: Depth = 2
    limit: Limit = 20


class RelatedRow(EntityRow):
    """An entity within reach, with types and confidences along the way to it."""

    distance: int
    relationship_path: tuple[str, ...]
    confidence_path: tuple[float, ...]


class RelatedReply(Body):
    """Entities within reach, the nearest first."""

    entity_name: str
    database: str
    entities: tuple[RelatedRow, ...]
    count: int
    max_depth: int


@dataclass(frozen=True, slots=True)
class _Reached:
    """A node and the edges on the way to it."""

    node: NodeId
    edges: tuple[Edge, ...]
    confidence: float

    @property
    def place(self) -> tuple[int, float]:
        """Where it stands among the others, names aside."""
        return len(self.edges), -self.confidence


async def get_related_entities(memory: Memory, arguments: GetRelated, context: CallContext) -> Reply:
    """Walk edges of any direction; each entity once, at its shortest distance."""
    desk = await memory.database(arguments.database)
    await desk.entity(arguments.entity_name)
    graph = (await desk.graph()).graph
    with desk.reading("graph", "Reading the graph"):
        start = NodeId(entity_id(arguments.entity_name))
        reached = await _nearest(graph, start, arguments.max_depth, arguments.limit)
        nodes = await graph.get_nodes([each.node for each in reached])
    known = (each for each in reached if each.node in nodes)
    first = nsmallest(arguments.limit, known, key=lambda each: (each.place, str(nodes[each.node].fields["name"])))
    rows = tuple(
        RelatedRow.model_validate(
            {
                **shown(nodes[each.node]),
                "distance": len(each.edges),
                "relationship_path": tuple(str(edge.props["type"]) for edge in each.edges),
                "confidence_path": tuple(edge.confidence for edge in each.edges),
            }
        )
        for each in first
    )
    return answer(
        RelatedReply(
            entity_name=arguments.entity_name,
            database=arguments.database,
            entities=rows,
            count=len(rows),
            max_depth=arguments.max_depth,
        )
    )


async def _nearest(graph: Graph, start: NodeId, max_depth: int, limit: int) -> list[_Reached]:
    """Return at least what can be among the first `limit`: names decide ties, so a tie is read to its end.

    Among more than 10,000 entities equally near and equally sure, those with the smallest ids stand for all.
    """
    walk = await graph.walk(start, max_depth=max_depth, limit=limit + 1)
    reached = _ways(walk.steps)
    if walk.truncated and reached[limit - 1].place == reached[-1].place:
        # Those in question are all as far away as the last one that fits.
        walk = await graph.walk(start, max_depth=len(reached[limit - 1].edges), limit=WHOLE_LOOK)
        reached = _ways(walk.steps)
    if len(reached) <= limit:
        return reached
    last = reached[limit - 1].place
    return [each for each in reached if each.place <= last]


def _ways(steps: Sequence[Step]) -> list[_Reached]:
    """Return the nodes with their ways, in the order of the walk; a step's predecessor always comes before it."""
    ways: dict[NodeId, _Reached] = {}
    for step in steps:
        before = ways.get(step.previous)
        edges, confidence = (before.edges, before.confidence) if before is not None else ((), 1.0)
        ways[step.node] = _Reached(step.node, (*edges, step.edge), confidence * step.edge.confidence)
    return list(ways.values())


TOOLS = (
    Tool(
        "get_related_entities",
        "Related entities",
        "List the entities linked to one over up to max_depth relationships of any direction, nearest first, with the "
        "types and confidences along the way.",
        GetRelated,
        RelatedReply,
        get_related_entities,
    ),
)
