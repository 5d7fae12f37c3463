"""The tool that follows relationships."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest

from backends.ports.graph import MAX_EXPANSION, Edge, Graph, Node, Step
from backends.ports.values import NodeId
from toolsets.arguments import Arguments
from toolsets.memory.runtime import Memory
from toolsets.memory.streams import entity_id
from toolsets.memory.tools.fields import (
    DatabaseName,
    Depth,
    EntityRow,
    Limit,
    ListReply,
    Name,
    cut_message,
    shown_fields,
)
from toolsets.replies import FittingRows, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool


class GetRelated(Arguments):
    """The start of a walk and its depth."""

    database: DatabaseName = None
    entity_name: Name
    max_depth: Depth = 2
    limit: Limit = 20


class RelatedRow(EntityRow):
    """A reachable entity with the types and confidences along its path."""

    distance: int
    relationship_path: tuple[str, ...]
    confidence_path: tuple[float, ...]


class RelatedReply(ListReply):
    """Reachable entities, nearest first."""

    entity_name: str
    database: str
    entities: tuple[RelatedRow, ...]
    count: int
    max_depth: int


async def get_related_entities(memory: Memory, arguments: GetRelated, context: CallContext) -> Reply:
    """Walk edges in both directions; each entity appears once, at its shortest distance."""
    async with memory.database(arguments.database) as opened:
        await opened.entity(arguments.entity_name)
        graph = (await opened.graph()).graph
        with opened.reading("graph", "Reading the graph"):
            start = NodeId(entity_id(arguments.entity_name))
            steps = await _walked(graph, start, arguments.max_depth, arguments.limit)
            first = nsmallest(arguments.limit, steps, key=lambda step: (*_order(step), _name(step)))
            reply_rows = await _rows(graph, steps, first)
        return reply_of(
            RelatedReply(
                entity_name=arguments.entity_name,
                database=opened.database.name,
                entities=reply_rows.rows,
                count=len(reply_rows.rows),
                max_depth=arguments.max_depth,
                message=cut_message(len(reply_rows.rows), len(first)) if reply_rows.is_full else None,
            )
        )


async def _walked(graph: Graph, start: NodeId, max_depth: int, limit: int) -> Sequence[Step]:
    """Return the first `limit` steps with all ties, which are ordered by name later.

    Of more than 10,000 entities at equal distance and confidence, only those with the smallest ids are considered.
    """
    walk = await graph.walk(start, max_depth=max_depth, limit=limit + 1)
    if walk.truncated and _order(walk.steps[limit - 1]) == _order(walk.steps[-1]):
        # The tied nodes all have the distance of the last one within the limit.
        walk = await graph.walk(start, max_depth=walk.steps[limit - 1].depth, limit=MAX_EXPANSION)
    return walk.steps


async def _rows(graph: Graph, steps: Sequence[Step], first: Sequence[Step]) -> FittingRows[RelatedRow]:
    """Return the rows of the steps `first` that fit into a reply; `steps` contains every step on their paths."""
    by_node = {step.node: step for step in steps}
    reply_rows = FittingRows[RelatedRow]()
    place = 0
    while place < len(first) and not reply_rows.is_full:
        page = first[place : place + reply_rows.next_page(len(first) - place)]
        nodes = await graph.get_nodes([step.node for step in page])
        reply_rows.add(_row(nodes[step.node], step, _path(step, by_node)) for step in page if step.node in nodes)
        place += len(page)
    return reply_rows


def _row(node: Node, step: Step, path: Sequence[Edge]) -> RelatedRow:
    return RelatedRow.model_validate(
        {
            **shown_fields(node),
            "distance": step.depth,
            "relationship_path": tuple(str(edge.props["type"]) for edge in path),
            "confidence_path": tuple(edge.confidence for edge in path),
        }
    )


def _name(step: Step) -> str:
    """Return the name of the entity that a step reached."""
    return str(step.edge.props["source" if step.edge.source == step.node else "target"])


def _order(step: Step) -> tuple[int, float]:
    """Return the sort key of a step, without the name."""
    return step.depth, -step.confidence


def _path(step: Step, by_node: Mapping[NodeId, Step]) -> Sequence[Edge]:
    """Return the edges from the start of a walk to a step; the walk contains every step on the path."""
    edges = [step.edge]
    while (before := by_node.get(step.previous)) is not None:
        step = before
        edges.append(step.edge)
    return edges[::-1]


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
