"""What a graph holds, and how a batch changes it."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import orjson

from backends.ports.errors import Conflict, InvalidInput, NotFound
from backends.ports.fields import check_field_specs, check_fields
from backends.ports.graph import Direction, Edge, GraphBatch, KindSpec, Node
from backends.ports.ids import check_id, check_name
from backends.ports.values import MAX_INTEGER, EdgeId, Fields, FieldSpec, Json, JsonObject, NodeId, Revision

IdT = TypeVar("IdT", NodeId, EdgeId)
RecordT = TypeVar("RecordT", Node, Edge)


@dataclass
class Kept(Generic[RecordT]):
    """A record, or None for one that was deleted, and the revision it has or ended at."""

    rev: Revision
    record: RecordT | None


@dataclass
class State:
    """One namespace."""

    kinds: dict[str, dict[str, FieldSpec]] = field(default_factory=dict[str, dict[str, FieldSpec]])
    nodes: dict[NodeId, Kept[Node]] = field(default_factory=dict[NodeId, Kept[Node]])
    edges: dict[EdgeId, Kept[Edge]] = field(default_factory=dict[EdgeId, Kept[Edge]])
    notes: dict[str, str] = field(default_factory=dict[str, str])

    def declare(self, kind: KindSpec) -> None:
        """Declare a kind, or add fields to it. Raises `Conflict` for a changed type."""
        name = check_name(kind.name, what="a kind")
        fields = dict(self.kinds.get(name, {}))
        for spec in check_field_specs(kind.fields, owner=f"kind {name!r}").values():
            known = fields.get(spec.name, spec)
            if known.type != spec.type:
                raise Conflict(f"field {spec.name!r} of {name!r} is {known.type}", key=spec.name)
            fields[spec.name] = replace(spec, sort=spec.sort or known.sort, text=spec.text or known.text)
        check_field_specs(tuple(fields.values()), owner=f"kind {name!r}")
        self.kinds[name] = fields

    def specs(self, kind: str) -> Mapping[str, FieldSpec]:
        """Return the fields of a kind. Raises `InvalidInput` for an unknown one."""
        if check_name(kind, what="a kind") not in self.kinds:
            raise InvalidInput(f"no kind {kind!r} is declared here")
        return self.kinds[kind]

    def apply(self, batch: GraphBatch) -> None:
        """Check the whole batch, then change what it is newer than."""
        nodes = [self._checked_node(node) for node in batch.nodes]
        edges = [_checked_edge(edge) for edge in batch.edges]
        for key, rev in (*batch.deleted_nodes.items(), *batch.deleted_edges.items()):
            check_id(key, what="a deleted id")
            _check_revision(rev)
        known = {*self.nodes, *(node.id for node in nodes), *batch.deleted_nodes}
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        if missing := tuple(sorted(ends - known)):
            raise NotFound(f"edges need nodes that are not there: {', '.join(missing[:5])}", missing=missing)
        _put(self.nodes, ((node.id, node) for node in nodes), batch.deleted_nodes)
        _put(self.edges, ((edge.id, edge) for edge in edges), batch.deleted_edges)

    def live(self, node: NodeId) -> Node | None:
        """Return a node that is there and not deleted."""
        kept = self.nodes.get(node)
        return None if kept is None else kept.record

    def visible(self) -> Iterable[Edge]:
        """Yield the edges that are live and have both ends live."""
        for kept in self.edges.values():
            edge = kept.record
            if edge is not None and self.live(edge.source) and self.live(edge.target):
                yield edge

    def hops(
        self, node: NodeId, direction: Direction, types: Collection[str] | None, min_confidence: float
    ) -> Iterable[tuple[Edge, NodeId, bool]]:
        """Yield the visible edges at a node, each once, with the other end and whether it is walked forward."""
        for edge in self.visible():
            if edge.confidence < min_confidence or (types is not None and edge.type not in types):
                continue
            if edge.source == node and direction != "in":
                yield edge, edge.target, True
            elif edge.target == node and direction != "out":
                yield edge, edge.source, edge.source == edge.target

    def _checked_node(self, node: Node) -> Node:
        check_id(node.id, what="a node id")
        _check_revision(node.rev)
        specs = self.specs(node.kind)
        check_fields(node.fields, specs, owner=f"kind {node.kind!r}")
        kept: Fields = {
            name: float(value) if specs[name].type == "float" and isinstance(value, int) else value
            for name, value in node.fields.items()
            if value != ()
        }
        return replace(node, fields=kept, props=_copied(node.props))


def _checked_edge(edge: Edge) -> Edge:
    for key in (edge.id, edge.source, edge.target):
        check_id(key, what="an id")
    check_name(edge.type, what="an edge type")
    _check_revision(edge.rev)
    if not (math.isfinite(edge.confidence) and 0 <= edge.confidence <= 1):
        raise InvalidInput(f"a confidence is 0 to 1: {edge.confidence}")
    return replace(edge, props=_copied(edge.props))


def _put(
    stored: dict[IdT, Kept[RecordT]], records: Iterable[tuple[IdT, RecordT]], ended: Mapping[IdT, Revision]
) -> None:
    for key, record in records:
        if key not in stored or stored[key].rev < record.rev:
            stored[key] = Kept(record.rev, record)
    for key, rev in ended.items():
        if key not in stored or stored[key].rev < rev:
            stored[key] = Kept(rev, None)


def _check_revision(rev: int) -> None:
    if not 1 <= rev <= MAX_INTEGER:
        raise InvalidInput(f"a revision is 1 or more: {rev}")


def _copied(props: JsonObject) -> JsonObject:
    """Return props that nobody else holds. Raises `InvalidInput` for what JSON cannot hold."""
    try:
        copied: dict[str, Json] = orjson.loads(orjson.dumps(props))
    except TypeError as error:
        raise InvalidInput(f"not storable as JSON: {error}") from error
    if copied != props:
        raise InvalidInput("not storable as JSON: a number is not finite")
    return copied
