"""Nodes and edges for the tests of the graph."""

from backends.ports.graph import Edge, Graph, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, Fields, FieldSpec, JsonObject, NodeId, Revision, Value

KIND = "thing"
THING = KindSpec(
    KIND,
    (
        FieldSpec("name", "str", sort=True, text=True),
        FieldSpec("body", "str", text=True),
        FieldSpec("colour", "str"),
        FieldSpec("rank", "int", sort=True),
        FieldSpec("score", "float", sort=True),
        FieldSpec("flag", "bool", sort=True),
        FieldSpec("tags", "strs"),
        FieldSpec("names", "strs", text=True),
    ),
)


def node(
    name: str,
    fields: Fields | None = None,
    /,
    *,
    rev: int = 1,
    kind: str = KIND,
    props: JsonObject | None = None,
    **more: Value,
) -> Node:
    """Return a node with id `name`; its fields may be given as a mapping or by name."""
    return Node(NodeId(name), kind, {**(fields or {}), **more}, Revision(rev), props or {})


def edge(source: str, target: str, *, kind: str = "knows", rev: int = 1, confidence: float = 1.0) -> Edge:
    """Return an edge whose id is made of its ends and its type."""
    return Edge(edge_id(source, target, kind), NodeId(source), NodeId(target), kind, Revision(rev), confidence)


def edge_id(source: str, target: str, kind: str = "knows") -> EdgeId:
    """Return the id that `edge` gives."""
    return EdgeId(f"{source}>{kind}>{target}")


def ids(*names: str) -> list[NodeId]:
    """Return names as node ids."""
    return [NodeId(name) for name in names]


async def fill(graph: Graph, *records: Node | Edge) -> None:
    """Declare the kind and store the records in one batch."""
    await graph.ensure([THING])
    nodes = tuple(record for record in records if isinstance(record, Node))
    edges = tuple(record for record in records if isinstance(record, Edge))
    await graph.apply(GraphBatch(nodes, edges))


async def remove_node(graph: Graph, name: str, rev: int) -> None:
    """Delete a node at a revision."""
    await graph.apply(GraphBatch(deleted_nodes={NodeId(name): Revision(rev)}))


async def remove_edge(graph: Graph, name: EdgeId, rev: int) -> None:
    """Delete an edge at a revision."""
    await graph.apply(GraphBatch(deleted_edges={name: Revision(rev)}))


async def names_found(graph: Graph) -> list[str]:
    """Return the ids of all live nodes of the kind."""
    return [str(found.id) for found in (await graph.find(KIND, limit=1_000)).items]
