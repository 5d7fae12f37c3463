"""Walks and shortest paths, level by level over SQL hops in one snapshot."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from backends.ports.graph import Edge, Path, Step, Walk
from backends.ports.values import EdgeId, NodeId
from backends.sqlite.graph.hops import Link, Way, links, live
from backends.sqlite.graph.rows import EDGE_COLUMNS, EdgeRow, edge
from backends.sqlite.statements import json_list, statement

EDGES_BY_ID = statement(
    "SELECT {columns} FROM json_each(?) w CROSS JOIN edges e ON e.ns = ? AND e.id = w.value", columns=EDGE_COLUMNS
)


@dataclass(frozen=True, slots=True, order=True)
class _Reached:
    """How a node was reached; the smaller, the better."""

    doubt: float
    """The product of the confidences along the path, negated."""
    edges: tuple[str, ...]
    node: str = field(compare=False)
    previous: str = field(compare=False)


def walk(connection: sqlite3.Connection, start: str, way: Way, max_depth: int, limit: int) -> Walk:
    """Return what lies within reach of a live start; nothing for another one."""
    if not live(connection, way.namespace, [start]):
        return Walk((), truncated=False)
    seen = {start}
    frontier = {start: _Reached(-1.0, (), start, start)}
    steps: list[_Reached] = []
    # A level more than fits is looked at, so that `truncated` is the truth.
    for _ in range(max_depth):
        frontier = _level(connection, frontier, seen, way)
        seen.update(frontier)
        steps += sorted(frontier.values(), key=lambda reached: (reached.doubt, reached.node))
        if not frontier or len(steps) > limit:
            break
    kept = steps[:limit]
    edges = edges_by_id(connection, way.namespace, (reached.edges[-1] for reached in kept))
    return Walk(
        tuple(Step(NodeId(it.node), len(it.edges), edges[it.edges[-1]], NodeId(it.previous)) for it in kept),
        truncated=len(steps) > limit,
    )


def _level(
    connection: sqlite3.Connection, frontier: Mapping[str, _Reached], seen: set[str], way: Way
) -> dict[str, _Reached]:
    level: dict[str, _Reached] = {}
    for link in links(connection, frontier, way):
        if link.far in seen:
            continue
        origin = frontier[link.near]
        doubt = origin.doubt * link.confidence
        known = level.get(link.far)
        # Most links lose by confidence alone; the tuple of edges is only built for the others.
        if known is not None and known.doubt < doubt:
            continue
        reached = _Reached(doubt, (*origin.edges, link.edge), link.far, link.near)
        if known is None or reached < known:
            level[link.far] = reached
    return level


def edges_by_id(connection: sqlite3.Connection, namespace: str, ids: Iterable[str]) -> dict[str, Edge]:
    """Return edges by id, seen or not."""
    rows: list[EdgeRow] = connection.execute(EDGES_BY_ID, (json_list(list(ids)), namespace)).fetchall()
    return {row[0]: edge(row) for row in rows}


class _Side:
    """A search from one end: the nodes by distance, and the links found from each level to the next."""

    def __init__(self, start: str, way: Way) -> None:
        self.way = way
        self.seen = {start}
        self.levels: list[set[str]] = [{start}]
        self.links: list[list[Link]] = []

    @property
    def frontier(self) -> set[str]:
        """The nodes farthest away."""
        return self.levels[-1]

    def advance(self, connection: sqlite3.Connection) -> None:
        """Go one level on."""
        found = [link for link in links(connection, self.frontier, self.way) if link.far not in self.seen]
        self.links.append(found)
        self.levels.append({link.far for link in found})
        self.seen |= self.frontier


def shortest_path(connection: sqlite3.Connection, source: str, target: str, way: Way, max_hops: int) -> Path | None:
    """Return the best of the shortest paths between two live nodes, searched from both ends."""
    if len(live(connection, way.namespace, {source, target})) < len({source, target}):
        return None
    backwards = Way(way.namespace, "in" if way.direction == "out" else "both", way.types)
    near, far = _Side(source, way), _Side(target, backwards)
    while not near.frontier & far.frontier:
        smaller = near if len(near.frontier) <= len(far.frontier) else far
        if len(near.links) + len(far.links) >= max_hops or not smaller.frontier:
            return None
        smaller.advance(connection)
    return _best(connection, near, far, source)


Rest = tuple[int, tuple[str, ...], tuple[str, ...]]
"""The way from a node to the target: edges walked forward, negated; edge ids; nodes. The smaller, the better."""


def _best(connection: sqlite3.Connection, near: _Side, far: _Side, source: str) -> Path:
    """Choose among the shortest paths from the target back: the best way on from a node does not depend on how it was reached."""
    rest: dict[str, Rest] = {next(iter(far.levels[0])): (0, (), ())}
    for level in far.links:
        # Links of the far side were found walking from the target, so they are walked the other way round.
        rest = _onward(rest, ((link.far, link.near, link.edge, not link.forward) for link in level))
    rest = {node: way for node, way in rest.items() if node in near.frontier}
    for level in reversed(near.links):
        rest = _onward(rest, ((link.near, link.far, link.edge, link.forward) for link in level))
    _, ids, nodes = rest[source]
    edges = edges_by_id(connection, near.way.namespace, ids)
    return Path((NodeId(source), *map(NodeId, nodes)), tuple(edges[EdgeId(key)] for key in ids))


def _onward(rest: Mapping[str, Rest], hops: Iterable[tuple[str, str, str, bool]]) -> dict[str, Rest]:
    best: dict[str, Rest] = {}
    for node, onward, edge_id, forward in hops:
        way = rest.get(onward)
        if way is None:
            continue
        candidate = (way[0] - int(forward), (edge_id, *way[1]), (onward, *way[2]))
        if node not in best or candidate < best[node]:
            best[node] = candidate
    return best
