"""Keeps the best pairs, given the most alike first, and looks at few of those that cannot be among them."""

from collections.abc import Iterable
from heapq import nsmallest
from itertools import chain, combinations

from toolsets.agent_graph.duplicates.likeness import Block

Found = tuple[float, tuple[int, int]]
"""The likeness of a pair, negative so that the best sorts first, and its positions."""


class Best:
    """The best pairs of one type, at most `most`: the most alike first, then the first positions."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[int, int], float] = {}

    @property
    def full(self) -> bool:
        """Whether no pair that is less alike than those before can come in."""
        return len(self._found) >= self._most

    def enter(self, score: float, blocks: Iterable[Block]) -> None:
        """Enter all pairs within each block as alike by `score`, lower than all before."""
        room = self._most - len(self._found)
        fresh: set[tuple[int, int]] = set()
        last: tuple[int, int] | None = None
        for block in blocks:
            self._enter_block(block, fresh, room, last)
            if len(fresh) > 4 * room:
                kept = nsmallest(room, fresh)
                fresh, last = set(kept), kept[-1]
        self._found.update((pair, score) for pair in nsmallest(room, fresh))

    def _enter_block(self, block: Block, fresh: set[tuple[int, int]], room: int, last: tuple[int, int] | None) -> None:
        """Enter the first pairs of a block that are new; those beyond `room`, or behind `last`, are not among the best."""
        left = room
        for pair in combinations(sorted(set(chain.from_iterable(block))), 2):
            if left == 0 or (last is not None and pair > last):
                return
            if pair not in self._found:
                fresh.add(pair)
                left -= 1

    def found(self) -> list[Found]:
        """Return the pairs, best first."""
        return [(-score, pair) for pair, score in self._found.items()]
