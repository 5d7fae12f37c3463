"""Finds the pairs of entities with similar names, by looking up the variants of each name."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import chain, combinations
from typing import TypeAlias

from toolsets.agent_graph.duplicates import fuzzy
from toolsets.agent_graph.duplicates.likeness import Block, Forms, ways
from toolsets.agent_graph.duplicates.model import Named, OnProgress, Pair, Pairs
from toolsets.agent_graph.duplicates.normal import NormalName, normal

MAX_PAIRS = 10_000
"""The best pairs are kept, so a caller can merge them and ask again; all pairs of many equal names would fill the memory."""
REPORT_EVERY = 1_000
"""Names between two progress reports."""


_Pair: TypeAlias = tuple[float, tuple[int, int]]
"""The negated similarity of a pair, so that the best sorts first, and the positions of its entities."""


def find_pairs(
    entities: Sequence[Named], *, threshold: float, limit: int = MAX_PAIRS, progress: OnProgress | None = None
) -> Pairs:
    """Return the `limit` best pairs of entities of one type whose similarity is at least `threshold`.

    Pairs are ordered by similarity, highest first, then by position in `entities`. `first` precedes `second` there, so pass
    the oldest entities first. From 0.78 upwards the rules of `likeness` decide, below that `fuzzy`; names that share neither
    a word nor three consecutive letters form no pair. The call blocks: run it in a worker thread. The time is linear in the
    letters of all names; the memory is linear in the names of one type and in `limit`.
    """
    most = limit + 1
    found: list[_Pair] = []
    watch = _Watch(sum(len(entity.names) for entity in entities), progress)
    for positions in _by_type(entities).values():
        forms = _holders(entities, positions, watch)
        least = max(threshold, -found[-1][0]) if len(found) == most else threshold
        found = sorted(chain(found, _best_of(forms, least, most, watch)))[:most]
        watch.finish(sum(len(entities[position].names) for position in positions))
    pairs = tuple(Pair(entities[one].id, entities[other].id, -score) for score, (one, other) in found[:limit])
    return Pairs(pairs, len(found) > limit)


def _best_of(forms: Forms, least: float, most: int, watch: "_Watch") -> list[_Pair]:
    """Return the best pairs of one type with a similarity of at least `least`."""
    best = _Best(most)
    for score, finding in ways(forms, watch.count):
        if score < least or best.full:
            break
        best.enter(score, chain.from_iterable(find() for find in finding))
    if least < fuzzy.HIGHEST and not best.full:
        scored = fuzzy.fuzzy_pairs(tuple(forms), least, watch.count)
        for score in sorted(scored, reverse=True):
            if best.full:
                break
            best.enter(score, ((forms[one], forms[other]) for one, other in scored[score]))
    return best.found()


class _Best:
    """The best pairs of one type, at most `most`: by similarity, highest first, then by position."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[int, int], float] = {}

    @property
    def full(self) -> bool:
        """Whether there is no room for less similar pairs."""
        return len(self._found) >= self._most

    def enter(self, score: float, blocks: Iterable[Block]) -> None:
        """Add all pairs within each block with similarity `score`, which is lower than all before."""
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
        """Add the first new pairs of a block; pairs beyond `room` or after `last` are not among the best."""
        left = room
        for pair in combinations(sorted(set(chain.from_iterable(block))), 2):
            if left == 0 or (last is not None and pair > last):
                return
            if pair not in self._found:
                fresh.add(pair)
                left -= 1

    def found(self) -> list[_Pair]:
        """Return the pairs, best first."""
        return [(-score, pair) for pair, score in self._found.items()]


class _Watch:
    """Counts progress: normalising the names is half of the work, looking them up the other half."""

    def __init__(self, names: int, progress: OnProgress | None) -> None:
        self._total = 2 * names
        self._progress = progress
        self._finished = 0
        self._steps = 0
        self._examined = 0

    def step(self) -> None:
        """Count one normalised name."""
        self._steps += 1
        self.count(1)

    def count(self, names: int) -> None:
        """Count examined names, and report after every `REPORT_EVERY` of them; a name may be examined any number of times."""
        self._examined += names
        if self._examined >= REPORT_EVERY:
            self._examined = 0
            self._report()

    def finish(self, names: int) -> None:
        """Count all work on `names` as done."""
        self._finished += 2 * names
        self._steps = 0
        self._report()

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self._finished + self._steps, self._total)


def _by_type(entities: Sequence[Named]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, entity in enumerate(entities):
        found.setdefault(entity.type, []).append(position)
    return found


def _holders(entities: Sequence[Named], positions: Iterable[int], watch: _Watch) -> dict[NormalName, list[int]]:
    """Return the positions of the entities with each normal name, ascending."""
    found: dict[NormalName, list[int]] = {}
    for position in positions:
        entity = entities[position]
        is_person = entity.type == "person"
        for form in dict.fromkeys(normal(name, is_person=is_person) for name in entity.names):
            found.setdefault(form, []).append(position)
        for _ in entity.names:
            watch.step()
    return found
