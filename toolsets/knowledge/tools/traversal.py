"""The tools that follow relationships: neighbours, prerequisites, the chain between two concepts."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from backends.ports.graph import Direction
from backends.ports.values import NodeId
from toolsets.arguments import INTEGRAL, Arguments
from toolsets.knowledge.errors import tool_error
from toolsets.knowledge.queries import names, neighbours
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.tools.fields import ConceptId, KindArgument, Success, UpTo50
from toolsets.replies import cut_sentence, fitting_rows, reply_of
from toolsets.spec import CallContext, Reply
from toolsets.tools import Tool

MAX_PREREQUISITES = 10_000
"""The most prerequisites that are considered: the nearest, at equal depth the strongest, then those with the smallest ids."""

_DIRECTIONS: dict[str, Direction] = {"incoming": "in", "outgoing": "out", "both": "both"}


class GetRelated(Arguments):
    """The concept whose neighbours are wanted, and which of them."""

    concept_id: ConceptId
    direction: Literal["incoming", "outgoing", "both"] = "both"
    relationship_type: KindArgument | None = None
    limit: UpTo50 = 20


class GetPrerequisites(Arguments):
    """The concept whose prerequisites are wanted, and how many steps to follow."""

    concept_id: ConceptId
    depth: Annotated[int, Field(ge=1, le=5), INTEGRAL] = 3


class GetChain(Arguments):
    """The ends of the chain, and its greatest length."""

    start_concept_id: ConceptId
    end_concept_id: ConceptId
    max_depth: Annotated[int, Field(ge=1, le=10), INTEGRAL] = 5


class RelatedRow(BaseModel):
    """A neighbour along one edge."""

    concept_id: str
    name: str
    relationship_type: str
    direction: Literal["incoming", "outgoing"]
    strength: float


class PrerequisiteRow(BaseModel):
    """A concept to learn first; `depth` is the number of steps from the requested concept."""

    concept_id: str
    name: str
    depth: int


class ChainStep(BaseModel):
    """A concept on the path, and the type of the edge to the next one."""

    concept_id: str
    name: str
    relationship_to_next: str | None


class RelatedReply(Success):
    """Neighbours, strongest first."""

    results: tuple[RelatedRow, ...]
    total: int
    message: str


class PrerequisitesReply(Success):
    """Prerequisites, nearest first."""

    prerequisites: tuple[PrerequisiteRow, ...]
    total: int
    message: str


class ChainReply(Success):
    """A shortest path."""

    path: tuple[ChainStep, ...]
    length: int
    message: str


async def get_related_concepts(knowledge: Knowledge, arguments: GetRelated, context: CallContext) -> Reply:
    """List the edges of a concept, strongest first, then by the neighbour's name."""
    await knowledge.known_concepts({"concept_id": arguments.concept_id})
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Reading the graph"):
        found = await neighbours(
            graph,
            NodeId(arguments.concept_id),
            _DIRECTIONS[arguments.direction],
            arguments.relationship_type,
            arguments.limit,
        )
    rows = tuple(
        RelatedRow(
            concept_id=neighbour.id,
            name=neighbour.name,
            relationship_type=neighbour.edge.type.upper(),
            direction="outgoing" if neighbour.outgoing else "incoming",
            strength=neighbour.edge.confidence,
        )
        for neighbour in found
    )
    return reply_of(RelatedReply(results=rows, total=len(rows), message=f"Found {len(rows)} related concepts"))


async def get_prerequisites(knowledge: Knowledge, arguments: GetPrerequisites, context: CallContext) -> Reply:
    """List the prerequisites, following `prerequisite` edges backwards; each concept has its smallest depth."""
    start = NodeId(arguments.concept_id)
    to_be_indexed = start not in await knowledge.known_concepts({"concept_id": start})
    steps, is_cut = ([], False) if to_be_indexed else await _prerequisites(knowledge, start, arguments.depth)
    rows = tuple(PrerequisiteRow(concept_id=id_, name=name, depth=depth) for depth, name, id_ in steps)
    shown = fitting_rows(rows)
    found = (
        f"more than {MAX_PREREQUISITES} prerequisites; {len(rows)} considered"
        if is_cut
        else f"{len(rows)} prerequisites"
    )
    message = f"Found {found}{cut_sentence(len(shown), len(rows))}"
    return reply_of(PrerequisitesReply(prerequisites=shown, total=len(shown), message=message))


async def _prerequisites(
    knowledge: Knowledge, start: NodeId, max_depth: int
) -> tuple[list[tuple[int, str, NodeId]], bool]:
    """Return depth, name and id of each prerequisite, sorted by these, and whether there are more of them."""
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Reading the graph"):
        walk = await graph.walk(
            start, max_depth=max_depth, direction="in", types=("prerequisite",), limit=MAX_PREREQUISITES
        )
        known = await names(graph, [step.node for step in walk.steps])
    found = sorted((step.depth, known[step.node], step.node) for step in walk.steps if step.node in known)
    return found, walk.truncated


async def get_concept_chain(knowledge: Knowledge, arguments: GetChain, context: CallContext) -> Reply:
    """Find a shortest path over edges of any type and direction, preferring edges in their own direction."""
    start, end = NodeId(arguments.start_concept_id), NodeId(arguments.end_concept_id)
    known = await knowledge.known_concepts({"start_concept_id": start, "end_concept_id": end})
    if start == end:
        name = (await knowledge.live(start)).name
        return _chain((ChainStep(concept_id=start, name=name, relationship_to_next=None),))
    graph = (await knowledge.graph()).graph
    with knowledge.reading("graph", "neo4j_error", "Reading the graph"):
        both = start in known and end in known
        path = await graph.shortest_path(start, end, max_hops=arguments.max_depth) if both else None
        named = await names(graph, path.nodes if path is not None else ())
    if path is None:
        raise tool_error(
            "path_not_found", f"No path of at most {arguments.max_depth} relationships between these concepts"
        )
    types = (*(edge.type.upper() for edge in path.edges), None)
    return _chain(
        tuple(
            ChainStep(concept_id=node, name=named.get(node, ""), relationship_to_next=edge_type)
            for node, edge_type in zip(path.nodes, types, strict=True)
        )
    )


def _chain(steps: tuple[ChainStep, ...]) -> Reply:
    length = len(steps) - 1
    return reply_of(ChainReply(path=steps, length=length, message=f"Found path of length {length}"))


TOOLS = (
    Tool(
        "get_related_concepts",
        "Related concepts",
        "List the concepts directly linked to one, strongest first, with type and direction of each edge.",
        GetRelated,
        RelatedReply,
        get_related_concepts,
    ),
    Tool(
        "get_prerequisites",
        "Prerequisites",
        "List what to learn before a concept, nearest first (depth 1 is required directly).",
        GetPrerequisites,
        PrerequisitesReply,
        get_prerequisites,
    ),
    Tool(
        "get_concept_chain",
        "Concept chain",
        "Find a shortest path between two concepts over relationships of any type and direction.",
        GetChain,
        ChainReply,
        get_concept_chain,
    ),
)
