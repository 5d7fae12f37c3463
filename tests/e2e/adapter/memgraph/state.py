"""What a graph holds, and how a batch changes it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from backends.kit.batches import changes_of
from backends.kit.declarations import merge_specs, specs_by_name, storable_fields
from backends.kit.records import as_json, parse_props
from backends.kit.traversal import HopRequest, Link
from backends.ports.errors import InvalidInput, NotFound
from backends.ports.graph import Direction, Edge, GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, JsonObject, Revision

RecordT = TypeVar("RecordT", Node, Edge)


@dataclass
class Kept(Generic[RecordT]):
    """A record, or None for one that was deleted, and the revision it has or was deleted at."""

    rev: Revision
    record: RecordT | None


@dataclass
class State:
    """One namespace."""

    kinds: dict[str, dict[str, FieldSpec]] = field(default_factory=dict[str, dict[str, FieldSpec]])
    nodes: dict[str, Kept[Node]] = field(default_factory=dict[str, Kept[Node]])
    edges: dict[str, Kept[Edge]] = field(default_factory=dict[str, Kept[Edge]])
    notes: dict[str, str] = field(default_factory=dict[str, str])

    def declare(self, kinds: Iterable[KindSpec]) -> None:
        """Declare kinds, or add fields to them. Raises `Conflict` for a changed type."""
        declared = dict(self.kinds)
        for kind in kinds:
            known = declared.get(kind.name, {})
            merged = merge_specs(known, specs_by_name(kind.fields), owner=f"kind {kind.name!r}")
            declared[kind.name] = specs_by_name(merged)
        self.kinds = declared

    def specs(self, kind: str) -> Mapping[str, FieldSpec]:
        """Return the fields of a kind. Raises `InvalidInput` for an unknown one."""
        if kind not in self.kinds:
            raise InvalidInput(f"no kind {kind!r} is declared here")
        return self.kinds[kind]

    def apply(self, batch: GraphBatch) -> None:
        """Check the whole batch, then write the records whose revision is higher than the stored one."""
        nodes = tuple(self._stored(node) for node in batch.nodes)
        edges = tuple(replace(edge, props=_copied(edge.props)) for edge in batch.edges)
        changes = changes_of(replace(batch, nodes=nodes, edges=edges))
        known = {*self.nodes, *changes.nodes, *changes.deleted_nodes}
        if missing := tuple(sorted(changes.ends - known)):
            raise NotFound(f"edges refer to unknown nodes: {', '.join(missing[:5])}", missing=missing)
        _put(self.nodes, changes.nodes, changes.deleted_nodes)
        _put(self.edges, changes.edges, changes.deleted_edges)

    def live(self, node: str) -> Node | None:
        """Return a node that exists and is not deleted."""
        kept = self.nodes.get(node)
        return None if kept is None else kept.record

    def visible(self) -> Iterator[Edge]:
        """Yield the edges that are live and have both ends live."""
        for kept in self.edges.values():
            edge = kept.record
            if edge is not None and self.live(edge.source) and self.live(edge.target):
                yield edge

    def edges_at(
        self, node: str, direction: Direction, types: Collection[str] | None, min_confidence: float
    ) -> Iterator[tuple[Edge, str, bool]]:
        """Yield the visible edges at a node, each once, with the other end and whether it is walked forward."""
        for edge in self.visible():
            if edge.confidence < min_confidence or (types is not None and edge.type not in types):
                continue
            if edge.source == node and direction != "in":
                yield edge, edge.target, True
            elif edge.target == node and direction != "out":
                yield edge, edge.source, edge.source == edge.target

    def links(self, request: HopRequest) -> Iterator[Link]:
        """Yield the links from a frontier to live nodes."""
        edge_filter = request.edge_filter
        for node in request.frontier:
            for edge, far, forward in self.edges_at(
                node, edge_filter.direction, edge_filter.types, edge_filter.min_confidence
            ):
                yield Link(node, far, edge.id, edge.confidence, forward)

    def _stored(self, node: Node) -> Node:
        fields = storable_fields(node.fields, self.specs(node.kind), owner=f"kind {node.kind!r}")
        return replace(node, fields=fields, props=_copied(node.props))


def _put(stored: dict[str, Kept[RecordT]], records: Mapping[str, RecordT], deleted: Mapping[str, int]) -> None:
    for key, record in records.items():
        if key not in stored or stored[key].rev < record.rev:
            stored[key] = Kept(record.rev, record)
    for key, rev in deleted.items():
        if key not in stored or stored[key].rev < rev:
            stored[key] = Kept(Revision(rev), None)


def _copied(props: JsonObject) -> JsonObject:
    """Return props that no caller can change. Raises `InvalidInput` for what JSON cannot hold."""
    return parse_props(as_json(props))
