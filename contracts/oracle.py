"""The correct answers: order, neighbourhoods and paths in plain Python, slow and obvious.

The meaning of filters is in `backends.kit.filter_evaluation`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from backends.ports.graph import Direction, Edge, GraphPath, Node, Order, Step
from backends.ports.values import NodeId, Value


def ordered(nodes: Iterable[Node], order: Sequence[Order]) -> list[Node]:
    """Return nodes by the sort keys, missing values last, and then by id."""
    result = sorted(nodes, key=lambda node: node.id)
    # Sorting is stable, also in reverse: nodes that tie in one key stay in the order of the next keys.
    for key in reversed(order):
        present = [node for node in result if key.field in node.fields]
        missing = [node for node in result if key.field not in node.fields]
        present.sort(key=lambda node: _comparable(node.fields[key.field]), reverse=key.descending)
        result = present + missing
    return result


def _comparable(value: Value) -> tuple[float, str]:
    if isinstance(value, str):
        return 0.0, value
    assert not isinstance(value, tuple)
    return float(value), ""


@dataclass(frozen=True, slots=True)
class Incidence:
    """An edge as followed from a node: to the other end, forward or against its direction."""

    edge: Edge
    other: NodeId
    forward: bool


@dataclass(frozen=True, slots=True)
class GraphOracle:
    """A graph as a set of live nodes and a list of edges."""

    nodes: frozenset[NodeId]
    edges: tuple[Edge, ...]

    def hops(
        self, node: NodeId, direction: Direction, types: Collection[str] | None, min_confidence: float = 0.0
    ) -> Iterator[Incidence]:
        """Yield each visible edge at a node once, a self-loop as forward."""
        for edge in self.edges:
            visible = edge.source in self.nodes and edge.target in self.nodes
            if not visible or edge.confidence < min_confidence or (types is not None and edge.type not in types):
                continue
            if edge.source == node and direction != "in":
                yield Incidence(edge, edge.target, forward=True)
            elif edge.target == node and direction != "out":
                yield Incidence(edge, edge.source, forward=False)

    def expand(
        self, node: NodeId, direction: Direction, types: Collection[str] | None, min_confidence: float
    ) -> tuple[Edge, ...]:
        """Return the edges at a node by confidence descending, other end, edge id."""
        hops = self.hops(node, direction, types, min_confidence)
        return tuple(hop.edge for hop in sorted(hops, key=lambda hop: (-hop.edge.confidence, hop.other, hop.edge.id)))

    def walk(
        self, start: NodeId, max_depth: int, direction: Direction, types: Collection[str] | None, min_confidence: float
    ) -> list[Step]:
        """Return each reachable node at its shortest distance, along its most confident shortest path, in order."""
        reached: set[NodeId] = {start}
        frontier: dict[NodeId, tuple[float, tuple[str, ...]]] = {start: (1.0, ())} if start in self.nodes else {}
        steps: list[Step] = []
        for depth in range(1, max_depth + 1):
            best: dict[NodeId, tuple[float, tuple[str, ...], Step]] = {}
            for node, (confidence, ids) in frontier.items():
                for hop in self.hops(node, direction, types, min_confidence):
                    if hop.other in reached:
                        continue
                    offer = (confidence * hop.edge.confidence, (*ids, str(hop.edge.id)))
                    held = best.get(hop.other)
                    if held is None or (-offer[0], offer[1]) < (-held[0], held[1]):
                        best[hop.other] = (*offer, Step(hop.other, depth, hop.edge, node, offer[0]))
            layer = sorted(best.values(), key=lambda item: (-item[0], item[2].node))
            steps.extend(item[2] for item in layer)
            reached.update(best)
            frontier = {node: (item[0], item[1]) for node, item in best.items()}
        return steps

    def shortest_paths(
        self, source: NodeId, target: NodeId, *, directed: bool, types: Collection[str] | None, max_hops: int
    ) -> list[GraphPath]:
        """Return every shortest path, the promised one first."""
        if source not in self.nodes or target not in self.nodes:
            return []
        direction: Direction = "out" if directed else "both"
        partial: list[tuple[tuple[NodeId, ...], tuple[Incidence, ...]]] = [((source,), ())]
        seen = {source}
        for _ in range(max_hops + 1):
            found = [item for item in partial if item[0][-1] == target]
            if found:
                found.sort(key=lambda item: (-sum(hop.forward for hop in item[1]), [hop.edge.id for hop in item[1]]))
                return [GraphPath(nodes, tuple(hop.edge for hop in hops)) for nodes, hops in found]
            partial = [
                ((*nodes, hop.other), (*hops, hop))
                for nodes, hops in partial
                for hop in self.hops(nodes[-1], direction, types)
                if hop.other not in seen
            ]
            seen.update(nodes[-1] for nodes, _ in partial)
        return []
