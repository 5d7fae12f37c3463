"""One batch of nodes and edges, written where its revisions are higher than the stored ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import orjson

from backends.engines.kuzu.driver import Cell, Session
from backends.engines.kuzu.kinds import Declared, Kinds
from backends.engines.kuzu.query_strategy import QueryStrategy, each
from backends.engines.kuzu.rows import integer, key_of, keys_of
from backends.kit.batches import Changes, changes_of, check_ends
from backends.kit.declarations import storable_fields
from backends.kit.records import props_text
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.values import Namespace

NODE_REVISIONS: Final = "MATCH (x:Node {key: @key}) RETURN x.id, x.rev"
EDGE_REVISIONS: Final = "MATCH (x:Edge {key: @key}) RETURN x.id, x.rev"
_STORED_NODES: Final = "MATCH (x:Node {key: @key}) RETURN x.id, x.rev, x.dead, x.kind"
_STORED_EDGES: Final = "MATCH (x:Edge {key: @key}) RETURN x.id, x.rev, x.dead, x.source, x.target"
_HIDE: Final = tuple(
    f"MATCH (a:Node {{key: $key}}){arrow}(b:Node) SET e.hidden = a.dead OR b.dead"
    for arrow in ("-[e:Link]->", "<-[e:Link]-")
)
_UNLINK: Final = "MATCH (a:Node {key: $source})-[e:Link]->(b:Node {key: $target}) WHERE e.id = $id DELETE e"
_LINK: Final = (
    "MATCH (a:Node {key: @near}) MATCH (b:Node {key: @far}) CREATE (a)-[:Link {id: @id, source: @source, type: @type,"
    " rev: @rev, confidence: @confidence, props: CAST(@props AS STRING), hidden: a.dead OR b.dead}]->(b)"
)
_RELINK: Final = (
    "MATCH (a:Node {key: $near})-[e:Link]->(b:Node {key: $far}) WHERE e.id = $id"
    " SET e.type = $type, e.rev = $rev, e.confidence = $confidence, e.props = CAST($props AS STRING)"
)
# Each column that is set costs time, in new and in changed rows, so unchanged columns are left out.
_NEW: Final = ("key", "ns", "id")
_NODE_PLACE: Final = ("kind",)
_EDGE_PLACE: Final = ("source", "target")
_NODE: Final = ("rev", "fields", "props")
_EDGE: Final = ("type", "rev", "confidence", "props")
_END: Final = ("rev", "props")

RowOut = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The state of a stored record."""

    rev: int
    dead: bool
    place: tuple[Cell, ...]
    """The kind of a node, or the ends of an edge."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch: nodes as rows by kind, the columns of each kind, and the other changes."""

    namespace: Namespace
    changes: Changes
    nodes: Mapping[str, Sequence[RowOut]]
    columns: Mapping[str, Sequence[str]]
    strategy: QueryStrategy

    def apply(self, session: Session) -> None:
        """Write the batch inside a transaction. Raises `NotFound` for an edge with an unknown end."""
        # Nodes first: an edge may need an end from the same batch, live or deleted.
        self._write_nodes(session)
        self._write_edges(session)

    def _write_nodes(self, session: Session) -> None:
        known, newer = self._newer(session, _STORED_NODES, self.changes.node_revisions)
        for kind, rows in self.nodes.items():
            changed = [row for row in rows if row["id"] in newer]
            self._put(session, "Node", _NODE_PLACE, (*_NODE, *self.columns[kind]), changed, known)
        ends = [self._end(key, rev) for key, rev in self.changes.deleted_nodes.items() if key in newer]
        self._put(session, "Node", (), _END, ends, known)
        turned = [key for key in newer & known.keys() if known[key].dead != (key in self.changes.deleted_nodes)]
        for key in turned:
            for hide in _HIDE:
                session.run(hide, {"key": key_of(self.namespace, key)})

    def _check_ends(self, session: Session, edges: Collection[StoredRecord]) -> None:
        # Nodes are never removed, only marked, so the ends of stored edges exist.
        ends = self.changes.ends - self.changes.node_revisions.keys() - {end for edge in edges for end in edge.place}
        rows = each(session, NODE_REVISIONS, keys_of(self.namespace, ends), looped=self.strategy.keys_looped)
        check_ends(ends - {str(identifier) for identifier, _ in rows})

    def _write_edges(self, session: Session) -> None:
        known, newer = self._newer(session, _STORED_EDGES, self.changes.edge_revisions)
        self._check_ends(session, known.values())
        edges = {key: edge for key, edge in self.changes.edges.items() if key in newer}
        self._put(
            session, "Edge", _EDGE_PLACE, _EDGE, [_edge_row(self.namespace, edge) for edge in edges.values()], known
        )
        ends = [self._end(key, rev) for key, rev in self.changes.deleted_edges.items() if key in newer]
        self._put(session, "Edge", (), _END, ends, known)
        self._link(session, edges, {key: known[key].place for key in newer & known.keys() if not known[key].dead})

    def _link(self, session: Session, edges: Mapping[str, Edge], linked: Mapping[str, tuple[Cell, ...]]) -> None:
        """Create the links of edges. `linked` holds the former ends of changed and ended edges that have a link."""
        links = dict(edges)
        for key, place in linked.items():
            edge = edges.get(key)
            if self.strategy.links_changed and edge is not None and place == (edge.source, edge.target):
                session.run(_RELINK, _link_row(self.namespace, links.pop(key)))
            else:
                source, target = (key_of(self.namespace, str(end)) for end in place)
                session.run(_UNLINK, {"source": source, "target": target, "id": key})
        rows = [{**_link_row(self.namespace, edge), "source": edge.source} for edge in links.values()]
        each(session, _LINK, rows, looped=self.strategy.links_looped)

    def _newer(
        self, session: Session, query: str, wanted: Mapping[str, int]
    ) -> tuple[dict[str, StoredRecord], set[str]]:
        """Return the stored records, and the ids whose new revision is higher than the stored one."""
        rows = each(session, query, keys_of(self.namespace, wanted), looped=self.strategy.keys_looped)
        known = {
            str(identifier): StoredRecord(integer(rev), bool(dead), tuple(place))
            for identifier, rev, dead, *place in rows
        }
        return known, {key for key, rev in wanted.items() if key not in known or known[key].rev < rev}

    def _put(
        self,
        session: Session,
        table: str,
        place: Sequence[str],
        columns: Sequence[str],
        rows: Sequence[RowOut],
        known: Mapping[str, StoredRecord],
    ) -> None:
        """Write rows: all columns of new ones; of changed ones the place columns only if those change."""
        new: list[RowOut] = []
        moved: list[RowOut] = []
        same: list[RowOut] = []
        for row in rows:
            stored = known.get(str(row["id"]))
            if stored is None:
                new.append(row)
            elif stored.dead is not row["dead"] or stored.place != tuple(row[name] for name in place):
                moved.append(row)
            else:
                same.append(row)
        looped = self.strategy.keys_looped
        _each(session, _creating, table, (*_NEW, *place, "dead", *columns), new, looped=0)
        _each(session, _replacing, table, ("key", *place, "dead", *columns), moved, looped=looped)
        _each(session, _replacing, table, ("key", *columns), same, looped=looped)

    def _end(self, identifier: str, rev: int) -> RowOut:
        key = key_of(self.namespace, identifier)
        return {"key": key, "ns": self.namespace, "id": identifier, "rev": rev, "dead": True, "props": None}


def prepare(namespace: Namespace, batch: GraphBatch, kinds: Kinds, strategy: QueryStrategy) -> Batch:
    """Return a batch ready to be written. Raises `InvalidInput` for fields and props."""
    changes = changes_of(batch)
    nodes: dict[str, list[RowOut]] = {}
    columns: dict[str, Sequence[str]] = {}
    for node in changes.nodes.values():
        declared = kinds.declared(namespace, node.kind)
        columns[node.kind] = declared.columns
        nodes.setdefault(node.kind, []).append(_node_row(namespace, node, declared))
    return Batch(namespace, changes, nodes, columns, strategy)


def _node_row(namespace: Namespace, node: Node, declared: Declared) -> RowOut:
    kept = storable_fields(node.fields, declared.specs, owner=f"kind {node.kind!r}")
    return {
        "key": key_of(namespace, node.id),
        "ns": namespace,
        "id": node.id,
        "kind": node.kind,
        "rev": int(node.rev),
        "dead": False,
        "fields": orjson.dumps(kept).decode(),
        "props": props_text(node.props),
        **declared.cells(kept),
    }


def _edge_row(namespace: Namespace, edge: Edge) -> RowOut:
    return {
        "key": key_of(namespace, edge.id),
        "ns": namespace,
        "id": edge.id,
        "source": edge.source,
        "target": edge.target,
        "type": edge.type,
        "rev": int(edge.rev),
        "dead": False,
        "confidence": float(edge.confidence),
        "props": props_text(edge.props),
    }


def _link_row(namespace: Namespace, edge: Edge) -> RowOut:
    return {
        "near": key_of(namespace, edge.source),
        "far": key_of(namespace, edge.target),
        "id": edge.id,
        "type": edge.type,
        "rev": int(edge.rev),
        "confidence": float(edge.confidence),
        "props": props_text(edge.props),
    }


def _each(
    session: Session,
    made: Callable[[str, tuple[str, ...]], str],
    table: str,
    columns: tuple[str, ...],
    rows: Sequence[RowOut],
    *,
    looped: int,
) -> None:
    """Run the statement built from a table and columns for each row, with these columns of the row."""
    each(session, made(table, columns), [{name: row[name] for name in columns} for row in rows], looped=looped)


@lru_cache(maxsize=64)
def _creating(table: str, columns: tuple[str, ...]) -> str:
    return f"CREATE (:{table} {{{', '.join(f'{name}: {_value(name)}' for name in columns)}}})"


@lru_cache(maxsize=64)
def _replacing(table: str, columns: tuple[str, ...]) -> str:
    changed = ", ".join(f"x.{name} = {_value(name)}" for name in columns if name != "key")
    return f"MATCH (x:{table} {{key: @key}}) SET {changed}"


def _value(name: str) -> str:
    """Return the expression for a column's value. A value that may be null in every row needs an explicit type."""
    if name == "props":
        return "CAST(@props AS STRING)"
    if name == "lists":
        return "CAST(@lists AS STRING[])"
    if name[1:].isdigit():
        return f"CAST(@{name} AS {'DOUBLE' if name[0] == 'n' else 'STRING'})"
    return f"@{name}"
