"""One batch of nodes and edges: checked first, then written where its revisions are the higher ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import orjson

from backends.batches import Changes, check_batch
from backends.declarations import kept_fields
from backends.jsontext import props_text
from backends.kuzu.driver import Cell, Session
from backends.kuzu.habits import Habits, each
from backends.kuzu.kinds import Declared, Kinds
from backends.kuzu.rows import integer, key_of, keys_of
from backends.ports.errors import NotFound
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.values import Namespace

NODE_REVISIONS: Final = "MATCH (x:Node {key: @key}) RETURN x.id, x.rev, x.dead"
EDGE_REVISIONS: Final = "MATCH (x:Edge {key: @key}) RETURN x.id, x.rev, x.dead"
_HIDE: Final = tuple(
    f"MATCH (a:Node {{key: $key}}){arrow}(b:Node) SET e.hidden = a.dead OR b.dead"
    for arrow in ("-[e:Link]->", "<-[e:Link]-")
)
_LINKED: Final = "MATCH (x:Edge {key: @key}) WHERE NOT x.dead RETURN x.id, x.source, x.target"
_UNLINK: Final = "MATCH (a:Node {key: $source})-[e:Link]->(b:Node {key: $target}) WHERE e.id = $id DELETE e"
_LINK: Final = (
    "MATCH (a:Node {key: @near}) MATCH (b:Node {key: @far}) CREATE (a)-[:Link {id: @id, source: @source, type: @type,"
    " rev: @rev, confidence: @confidence, props: CAST(@props AS STRING), hidden: a.dead OR b.dead}]->(b)"
)
_NODE: Final = ("key", "ns", "id", "kind", "rev", "dead", "fields", "props")
_EDGE: Final = ("key", "ns", "id", "source", "target", "type", "rev", "dead", "confidence", "props")
_END: Final = ("key", "ns", "id", "rev", "dead", "props")

RowOut = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of a stored record."""

    rev: int
    dead: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """A checked batch: its nodes as rows by kind, the columns of each kind, and what else it changes."""

    namespace: Namespace
    changes: Changes
    nodes: Mapping[str, Sequence[RowOut]]
    columns: Mapping[str, Sequence[str]]
    habits: Habits

    def apply(self, session: Session) -> None:
        """Write inside a transaction. Raises `NotFound` for an edge whose end is unknown."""
        # Nodes first: the ends that edges need may come with the same batch, dead or alive.
        self._write_nodes(session)
        self._check_ends(session)
        self._write_edges(session)

    def _write_nodes(self, session: Session) -> None:
        known, newer = self._newer(session, NODE_REVISIONS, self.changes.node_revisions)
        for kind, rows in self.nodes.items():
            self._put(session, "Node", (*_NODE, *self.columns[kind]), [it for it in rows if it["id"] in newer], known)
        ends = [self._end(key, rev) for key, rev in self.changes.ended_nodes.items() if key in newer]
        self._put(session, "Node", _END, ends, known)
        turned = [key for key in newer & known.keys() if known[key].dead != (key in self.changes.ended_nodes)]
        for key in turned:
            for hide in _HIDE:
                session.run(hide, {"key": key_of(self.namespace, key)})

    def _check_ends(self, session: Session) -> None:
        ends = self.changes.ends - self.changes.node_revisions.keys()
        if missing := sorted(ends - self._stored(session, NODE_REVISIONS, ends).keys()):
            raise NotFound(f"edges need nodes that are not there: {', '.join(missing[:5])}", missing=tuple(missing))

    def _write_edges(self, session: Session) -> None:
        known, newer = self._newer(session, EDGE_REVISIONS, self.changes.edge_revisions)
        self._unlink(session, newer & known.keys())
        edges = [edge for key, edge in self.changes.edges.items() if key in newer]
        self._put(session, "Edge", _EDGE, [_edge_row(self.namespace, edge) for edge in edges], known)
        ends = [self._end(key, rev) for key, rev in self.changes.ended_edges.items() if key in newer]
        self._put(session, "Edge", _END, ends, known)
        links = [_link_row(self.namespace, edge) for edge in edges]
        each(session, _LINK, links, looped=self.habits.links_looped)

    def _unlink(self, session: Session, keys: Collection[str]) -> None:
        """Take the links of live edges away; those of their new state are made afterwards."""
        rows = each(session, _LINKED, keys_of(self.namespace, keys), looped=self.habits.keys_looped)
        for identifier, source, target in rows:
            ends = {"source": key_of(self.namespace, str(source)), "target": key_of(self.namespace, str(target))}
            session.run(_UNLINK, {**ends, "id": identifier})

    def _newer(self, session: Session, query: str, wanted: Mapping[str, int]) -> tuple[dict[str, Stored], set[str]]:
        """Return what is stored, and the ids whose wanted revision is above the stored one."""
        known = self._stored(session, query, wanted)
        return known, {key for key, rev in wanted.items() if key not in known or known[key].rev < rev}

    def _stored(self, session: Session, query: str, ids: Collection[str]) -> dict[str, Stored]:
        rows = each(session, query, keys_of(self.namespace, ids), looped=self.habits.keys_looped)
        return {str(identifier): Stored(integer(rev), dead=bool(dead)) for identifier, rev, dead in rows}

    def _put(
        self, session: Session, table: str, columns: Sequence[str], rows: Sequence[RowOut], known: Collection[str]
    ) -> None:
        looped = self.habits.keys_looped
        each(session, _replacing(table, tuple(columns)), [row for row in rows if row["id"] in known], looped=looped)
        each(session, _creating(table, tuple(columns)), [row for row in rows if row["id"] not in known], looped=0)

    def _end(self, identifier: str, rev: int) -> RowOut:
        key = key_of(self.namespace, identifier)
        return {"key": key, "ns": self.namespace, "id": identifier, "rev": rev, "dead": True, "props": None}


def prepare(namespace: Namespace, batch: GraphBatch, kinds: Kinds, habits: Habits) -> Batch:
    """Return the batch ready to be written. Raises `InvalidInput` for a broken rule."""
    changes = check_batch(batch)
    nodes: dict[str, list[RowOut]] = {}
    columns: dict[str, Sequence[str]] = {}
    for node in changes.nodes.values():
        declared = kinds.declared(namespace, node.kind)
        columns[node.kind] = declared.columns
        nodes.setdefault(node.kind, []).append(_node_row(namespace, node, declared))
    return Batch(namespace, changes, nodes, columns, habits)


def _node_row(namespace: Namespace, node: Node, declared: Declared) -> RowOut:
    kept = kept_fields(node.fields, declared.specs, owner=f"kind {node.kind!r}")
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
        "source": edge.source,
        "type": edge.type,
        "rev": int(edge.rev),
        "confidence": float(edge.confidence),
        "props": props_text(edge.props),
    }


@lru_cache(maxsize=64)
def _creating(table: str, columns: tuple[str, ...]) -> str:
    return f"CREATE (:{table} {{{', '.join(f'{name}: {_value(name)}' for name in columns)}}})"


@lru_cache(maxsize=64)
def _replacing(table: str, columns: tuple[str, ...]) -> str:
    changed = ", ".join(f"x.{name} = {_value(name)}" for name in columns if name != "key")
    return f"MATCH (x:{table} {{key: @key}}) SET {changed}"


def _value(name: str) -> str:
    """Return the value of a column; one that may be missing everywhere has no type of its own."""
    if name == "props":
        return "CAST(@props AS STRING)"
    if name == "lists":
        return "CAST(@lists AS STRING[])"
    if name[1:].isdigit():
        return f"CAST(@{name} AS {'DOUBLE' if name[0] == 'n' else 'STRING'})"
    return f"@{name}"
