"""What a graph batch writes: of each id, the record or the deletion that has the highest revision."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from backends.ports.errors import NotFound
from backends.ports.graph import Edge, GraphBatch, Node

IdT = TypeVar("IdT", bound=str)
RecordT = TypeVar("RecordT", Node, Edge)


@dataclass(frozen=True, slots=True)
class Changes:
    """The winners of a batch. No id is both among the records and among the deletions of its sort."""

    nodes: Mapping[str, Node]
    deleted_nodes: Mapping[str, int]
    edges: Mapping[str, Edge]
    deleted_edges: Mapping[str, int]
    ends: frozenset[str]
    """The nodes that must be known for the batch's edges, those that lost included."""

    @property
    def node_revisions(self) -> dict[str, int]:
        """The revision that each node would get, deleted ones included."""
        return {key: int(node.rev) for key, node in self.nodes.items()} | dict(self.deleted_nodes)

    @property
    def edge_revisions(self) -> dict[str, int]:
        """The revision that each edge would get, deleted ones included."""
        return {key: int(edge.rev) for key, edge in self.edges.items()} | dict(self.deleted_edges)


def changes_of(batch: GraphBatch) -> Changes:
    """Return what is to be written, where the stored revision is lower. Order is that of the batch.

    Of equal revisions the first record counts, and a record rather than a deletion.
    """
    ends = frozenset({edge.source for edge in batch.edges} | {edge.target for edge in batch.edges})
    return Changes(*_winners(batch.nodes, batch.deleted_nodes), *_winners(batch.edges, batch.deleted_edges), ends)


def check_ends(missing: Collection[str]) -> None:
    """Refuse edges of which ends are missing. Raises `NotFound`, with their ids in `missing` by name."""
    if missing:
        ends = sorted(missing)
        raise NotFound(f"edges need nodes that are not there: {', '.join(ends[:5])}", missing=tuple(ends))


def _winners(records: Iterable[RecordT], deleted: Mapping[IdT, int]) -> tuple[dict[str, RecordT], dict[str, int]]:
    best: dict[str, RecordT] = {}
    for record in records:
        if record.id not in best or best[record.id].rev < record.rev:
            best[record.id] = record
    gone = {str(key): rev for key, rev in deleted.items() if key not in best or best[key].rev < rev}
    return {key: record for key, record in best.items() if key not in gone}, gone
