"""What is left of a graph batch once it was checked and of each id the highest revision was chosen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from backends.ports.errors import InvalidInput
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.ids import check_id, check_name
from backends.revisions import check_revision

IdT = TypeVar("IdT", bound=str)
RecordT = TypeVar("RecordT", Node, Edge)


@dataclass(frozen=True, slots=True)
class Changes:
    """The winners of a batch: of each id either a record or, among the ended ones, a revision."""

    nodes: Mapping[str, Node]
    ended_nodes: Mapping[str, int]
    edges: Mapping[str, Edge]
    ended_edges: Mapping[str, int]
    ends: frozenset[str]
    """The nodes that the batch's edges need, also those of edges that lost."""

    @property
    def node_revisions(self) -> dict[str, int]:
        """The revision that each node would get."""
        return {key: int(node.rev) for key, node in self.nodes.items()} | dict(self.ended_nodes)

    @property
    def edge_revisions(self) -> dict[str, int]:
        """The revision that each edge would get."""
        return {key: int(edge.rev) for key, edge in self.edges.items()} | dict(self.ended_edges)


def check_batch(batch: GraphBatch) -> Changes:
    """Return what is to write. Raises `InvalidInput` for a broken rule; fields are not looked at."""
    for node in batch.nodes:
        check_id(node.id, what="a node id")
        check_revision(node.rev)
    for edge in batch.edges:
        check_id(edge.id, what="an edge id")
        check_revision(edge.rev)
        if not 0 <= edge.confidence <= 1:
            raise InvalidInput(f"a confidence is 0 to 1: {edge.confidence}")
    # Many edges are of few types and meet in few nodes: each is looked at once.
    for name in {edge.type for edge in batch.edges}:
        check_name(name, what="an edge type")
    ends = frozenset({edge.source for edge in batch.edges} | {edge.target for edge in batch.edges})
    for end in ends:
        check_id(end, what="the id of an edge's end")
    for identifier, rev in (*batch.deleted_nodes.items(), *batch.deleted_edges.items()):
        check_id(identifier, what="a deleted id")
        check_revision(rev)
    return Changes(*_winners(batch.nodes, batch.deleted_nodes), *_winners(batch.edges, batch.deleted_edges), ends)


def _winners(records: Iterable[RecordT], ended: Mapping[IdT, int]) -> tuple[dict[str, RecordT], dict[str, int]]:
    """Return what is left to write of each id: the record or the end with the highest revision."""
    best: dict[str, RecordT] = {}
    for record in records:
        if record.id not in best or best[record.id].rev < record.rev:
            best[record.id] = record
    ends = {str(key): rev for key, rev in ended.items() if key not in best or best[key].rev < rev}
    return {key: record for key, record in best.items() if key not in ends}, ends
