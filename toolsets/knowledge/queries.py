"""The graph queries of the reading tools: filters, listings, neighbours, names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Le, Not, Or
from backends.ports.graph import Direction, Edge, Graph, Node, Order
from backends.ports.values import NodeId, Value
from toolsets.knowledge.hierarchy import NO_AREA, NO_TOPIC
from toolsets.knowledge.projections import CONCEPT
from toolsets.knowledge.relationship import EdgeType
from toolsets.sourcing.reads import most_confident_edges

_NAMES_OF_MISSING = {"area": NO_AREA, "topic": NO_TOPIC, "subtopic": NO_TOPIC}


def at_level(level: str, value: str | None) -> tuple[Filter, ...]:
    """Return the filter for an area, topic or subtopic; the name that stands for a missing level matches that, too."""
    if value is None:
        return ()
    if value == _NAMES_OF_MISSING[level]:
        return (Or((Eq(level, value), Not(Exists(level)))),)
    return (Eq(level, value),)


def certainty_within(least: float | None, most: float | None = None) -> tuple[Filter, ...]:
    """Return the filter for a certainty; both bounds are inclusive."""
    low = () if least is None else (Ge("certainty", least),)
    return low if most is None else (*low, Le("certainty", most))


def name_contains(fragment: str | None) -> tuple[Filter, ...]:
    """Return the filter for a part of a name, ignoring case."""
    return () if fragment is None else (Contains("name", fragment),)


def all_of(terms: Sequence[Filter]) -> Filter | None:
    """Return the conjunction of the filters, None if there are none."""
    return And(tuple(terms)) if terms else None


def text_of(node: Node, field: str) -> str | None:
    """Return a text field of a node, None where it is missing."""
    value: Value | None = node.fields.get(field)
    return value if isinstance(value, str) else None


def number_of(node: Node, field: str) -> float:
    """Return a number that every concept has."""
    value = node.fields[field]
    return value if isinstance(value, int | float) else 0.0


async def first_by(
    graph: Graph,
    where: Filter | None,
    field: Literal["created_at", "certainty"],
    limit: int,
    *,
    descending: bool = False,
) -> Sequence[Node]:
    """Return the first `limit` concepts ordered by a number, then by name, then by id."""
    order = (Order(field, descending=descending), Order("name"))
    return (await graph.find(CONCEPT, where, order=order, limit=limit)).items


async def names(graph: Graph, ids: Collection[NodeId]) -> Mapping[NodeId, str]:
    """Return the names of the live concepts among `ids`."""
    nodes = await graph.get_nodes(ids)
    return {id_: text_of(node, "name") or "" for id_, node in nodes.items()}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A concept at the other end of an edge."""

    id: NodeId
    name: str
    edge: Edge
    outgoing: bool


async def neighbours(
    graph: Graph, centre: NodeId, direction: Direction, edge_type: EdgeType | None, limit: int
) -> list[Neighbour]:
    """Return the strongest edges of a concept; ties are ordered by the neighbour's name, then by id and type."""
    types = None if edge_type is None else (edge_type,)
    edges = await most_confident_edges(graph, centre, direction=direction, types=types, limit=limit)
    others = {edge.target if edge.source == centre else edge.source for edge in edges}
    known = await names(graph, others)
    found = [
        Neighbour(other, known[other], edge, edge.source == centre)
        for edge in edges
        if (other := edge.target if edge.source == centre else edge.source) in known
    ]
    found.sort(key=lambda n: (-n.edge.confidence, n.name, n.id, n.edge.type, not n.outgoing))
    return found[:limit]
