"""Counts of a database: entities by type and relationships by type, for the runtime's cache and the tool."""

from collections.abc import Sequence
from dataclasses import dataclass

from backends.ports.graph import Graph
from backends.ports.values import NodeId
from toolsets.memory.projections import ENTITY


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts by type, the largest first, then by type."""

    entity_types: tuple[tuple[str, int], ...]
    relationship_types: tuple[tuple[str, int], ...]

    @property
    def entities(self) -> int:
        """The number of all entities."""
        return sum(count for _, count in self.entity_types)

    @property
    def relationships(self) -> int:
        """The number of all relationships."""
        return sum(count for _, count in self.relationship_types)


async def counts_of(graph: Graph) -> Counts:
    """Return the counts of a database. Raises the graph's errors."""
    groups = await graph.count_nodes(ENTITY, by=("type",))
    edges = await graph.count_edges()
    names = await graph.get_nodes([NodeId(token) for token in edges])
    texts = {token: str(names[NodeId(token)].fields["name"]) for token in edges if NodeId(token) in names}
    return Counts(
        _largest_first([(str(group.key[0]), group.count) for group in groups]),
        # A type whose node is not projected yet is shown by its identifier, so that the totals are correct.
        _largest_first([(texts.get(token, token), count) for token, count in edges.items()]),
    )


def _largest_first(pairs: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
