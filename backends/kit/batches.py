"""The changes of a graph batch: for each id the record or the deletion with the highest revision."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from backends.ports.errors import NotFound
from backends.ports.graph import Edge, GraphBatch, Node

IdT = TypeVar("IdT", bound=str)
RecordT = TypeVar("RecordT", Node, Edge)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes to write. No id is both among the records and among the deletions of its kind (node or edge)."""

    nodes: Mapping[str, Node]
    deleted_nodes: Mapping[str, int]
    edges: Mapping[str, Edge]
    deleted_edges: Mapping[str, int]
    ends: frozenset[str]
    """The ends of all edges in the batch, including outdated ones; each must be known."""

    @property
    def node_revisions(self) -> dict[str, int]:
        """The new revision of each node, deleted ones included."""
        return {key: int(node.rev) for key, node in self.nodes.items()} | dict(self.deleted_nodes)

    @property
    def edge_revisions(self) -> dict[str, int]:
        """The new revision of each edge, deleted ones included."""
        return {key: int(edge.rev) for key, edge in self.edges.items()} | dict(self.deleted_edges)


def changes_of(batch: GraphBatch) -> Changes:
    """Return the changes, in the order of the batch; each is to be written if the stored revision is lower.

    Among equal revisions the first record counts, and a record before a deletion.
    """
    ends = frozenset({edge.source for edge in batch.edges} | {edge.target for edge in batch.edges})
    return Changes(*_winners(batch.nodes, batch.deleted_nodes), *_winners(batch.edges, batch.deleted_edges), ends)


def check_ends(missing: Collection[str]) -> None:
    """Raise `NotFound` if any end of an edge is missing; the error lists the ids, sorted."""
    if missing:
        ends = sorted(missing)
        raise NotFound(f"edges refer to unknown nodes: {', '.join(ends[:5])}", missing=tuple(ends))


def _winners(records: Iterable[RecordT], deleted: Mapping[IdT, int]) -> tuple[dict[str, RecordT], dict[str, int]]:
    best: dict[str, RecordT] = {}
    for record in records:
        if record.id not in best or best[record.id].rev < record.rev:
            best[record.id] = record
    gone = {str(key): rev for key, rev in deleted.items() if key not in best or best[key].rev < rev}
    return {key: record for key, record in best.items() if key not in gone}, gone
