"""One batch of nodes and edges, written where its revisions are higher than the stored ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backends.engines.neo4j.connection import Connection, Statements
from backends.engines.neo4j.graph.kinds import LOCK, Specs, kind_key
from backends.engines.neo4j.graph.rows import BY_ID
from backends.engines.neo4j.properties import Properties, field_properties
from backends.kit.batches import Changes, check_ends
from backends.kit.declarations import dump_specs
from backends.kit.records import props_text
from backends.ports.graph import Edge, Node

# One writer at a time per namespace: what a transaction reads stays true until its commit.
_WRITE_NODES: Final = (
    f"{LOCK} WITH s CALL () {{ UNWIND $v.kinds AS k OPTIONAL MATCH (m:EntrepotNote {{ns: $v.ns, key: k.key}})"
    " WITH k, m WHERE m IS NULL OR m.value <> k.value RETURN count(*) AS stale }"
    " CALL (stale) { WITH stale WHERE stale = 0 UNWIND $v.nodes AS r MERGE (n:EntrepotNode {ns: $v.ns, id: r.id})"
    " WITH n, r WHERE coalesce(n.rev, 0) < r.rev SET n = r.set }"
    " RETURN stale"
)
_MISSING: Final = (
    f"{LOCK} WITH s UNWIND $v.ends AS end OPTIONAL MATCH (n:EntrepotNode {{ns: $v.ns, id: end}}) {BY_ID}"
    " WITH end, n WHERE n IS NULL RETURN end"
)
_STORED: Final = (
    " OPTIONAL MATCH ()-[old:ENTREPOT_EDGE {ns: $v.ns, id: r.id}]->() USING INDEX SEEK old:ENTREPOT_EDGE(ns, id)"
    " OPTIONAL MATCH (gone:EntrepotGoneEdge {ns: $v.ns, id: r.id}) USING INDEX SEEK gone:EntrepotGoneEdge(ns, id)"
    " WITH r, old, gone WHERE coalesce(old.rev, gone.rev, 0) < r.rev"
)
_WRITE_EDGES: Final = (
    f"UNWIND $v.edges AS r{_STORED}"
    " MATCH (a:EntrepotNode {ns: $v.ns, id: r.source}) USING INDEX SEEK a:EntrepotNode(ns, id)"
    " MATCH (b:EntrepotNode {ns: $v.ns, id: r.target}) USING INDEX SEEK b:EntrepotNode(ns, id)"
    " DELETE old, gone CREATE (a)-[e:ENTREPOT_EDGE]->(b) SET e = r.set"
)
_END_EDGES: Final = (
    f"{LOCK} WITH s UNWIND $v.ended AS r{_STORED}"
    " DELETE old MERGE (g:EntrepotGoneEdge {ns: $v.ns, id: r.id}) SET g.rev = r.rev"
)


class StaleDeclaration(Exception):
    """Another process has changed a kind's declaration since it was read."""


@dataclass(frozen=True, slots=True)
class GraphRows:
    """A batch in the form that the statements take."""

    nodes: list[Properties]
    kinds: list[Properties]
    ends: list[str]
    edges: list[Properties]
    ended: list[Properties]


def rows(ns: str, changes: Changes, specs: Mapping[str, Specs]) -> GraphRows:
    """Return a batch ready to be written. Raises `InvalidInput` for fields that do not fit their kind."""
    nodes: list[Properties] = [_node_row(ns, node, specs[node.kind]) for node in changes.nodes.values()]
    nodes.extend(_end_row(ns, key, rev) for key, rev in changes.deleted_nodes.items())
    return GraphRows(
        nodes,
        [{"key": kind_key(kind), "value": dump_specs(declared)} for kind, declared in specs.items()],
        sorted(changes.ends),
        [_edge_row(ns, edge) for edge in changes.edges.values()],
        [{"id": key, "rev": rev} for key, rev in changes.deleted_edges.items()],
    )


async def write(connection: Connection, ns: str, batch: GraphRows) -> None:
    """Apply a batch in one transaction. Raises `NotFound` and `StaleDeclaration`."""
    nodes = {"ns": ns, "nodes": batch.nodes, "kinds": batch.kinds}
    if not (batch.ends or batch.ended):
        if batch.nodes:
            _check(await connection.run(_WRITE_NODES, nodes, int))
        return

    async def apply(statements: Statements) -> None:
        # Nodes first: an edge may need an end from the same batch, live or deleted.
        if batch.nodes:
            _check(await statements.run(_WRITE_NODES, nodes, int))
        if batch.ends:
            check_ends(await statements.run(_MISSING, {"ns": ns, "ends": batch.ends}, str))
        if batch.edges:
            await statements.run(_WRITE_EDGES, {"ns": ns, "edges": batch.edges}, str)
        if batch.ended:
            await statements.run(_END_EDGES, {"ns": ns, "ended": batch.ended}, str)

    await connection.transaction(apply)


def _node_row(ns: str, node: Node, specs: Specs) -> Properties:
    stored = field_properties(node.fields, specs, owner=f"kind {node.kind!r}")
    stored |= {"ns": ns, "id": node.id, "kind": node.kind, "rev": node.rev, "props": props_text(node.props)}
    return {"id": node.id, "rev": node.rev, "set": stored}


def _end_row(ns: str, key: str, rev: int) -> Properties:
    return {"id": key, "rev": rev, "set": {"ns": ns, "id": key, "rev": rev}}


def _edge_row(ns: str, edge: Edge) -> Properties:
    stored = {"ns": ns, "id": edge.id, "type": edge.type, "rev": edge.rev}
    stored |= {"confidence": float(edge.confidence), "props": props_text(edge.props)}
    return {"id": edge.id, "rev": edge.rev, "source": edge.source, "target": edge.target, "set": stored}


def _check(stale: list[int]) -> None:
    if any(stale):
        raise StaleDeclaration
