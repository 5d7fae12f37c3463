"""Finds the pairs of entities whose names are alike, by looking up what each name could be mistaken for."""

from collections.abc import Iterable, Sequence
from itertools import chain

from toolsets.agent_graph.duplicates.best import Best, Found
from toolsets.agent_graph.duplicates.likeness import Forms, ways
from toolsets.agent_graph.duplicates.model import Named, Pair, Pairs, Progress
from toolsets.agent_graph.duplicates.normal import NormalName, normal

MAX_PAIRS = 10_000
REPORT_EVERY = 1_000
"""Progress is told after so many names."""


def find_pairs(
    entities: Sequence[Named], *, threshold: float, limit: int = MAX_PAIRS, progress: Progress | None = None
) -> Pairs:
    """Return the pairs of one type whose similarity is at least `threshold`, the `limit` best of them.

    Most similar first, then as the entities stand in `entities`; `first` stands before `second` there, so give
    the oldest first. Names that are not alike in any way have no similarity and make no pair at any threshold.
    Blocking: run it in a worker thread. The time grows with the letters of all names, not with the square of their
    number, however many are alike; memory with the names of one type and `limit`.
    """
    most = limit + 1
    found: list[Found] = []
    watch = _Watch(sum(len(entity.names) for entity in entities), progress)
    for positions in _by_type(entities).values():
        forms = _holders(entities, positions, watch)
        least = max(threshold, -found[-1][0]) if len(found) == most else threshold
        found = sorted(chain(found, _best_of(forms, least, most, watch)))[:most]
        watch.finish(sum(len(entities[position].names) for position in positions))
    pairs = tuple(Pair(entities[one].id, entities[other].id, -score) for score, (one, other) in found[:limit])
    return Pairs(pairs, len(found) > limit)


def _best_of(forms: Forms, least: float, most: int, watch: "_Watch") -> list[Found]:
    """Return the best pairs of one type that are alike by `least` or more."""
    best = Best(most)
    for score, finding in ways(forms, watch.look):
        if score < least or best.full:
            break
        best.enter(score, chain.from_iterable(find() for find in finding))
    return best.found()


class _Watch:
    """Counts the names that are done: half of the work is to bring them into their normal form, half to look them up."""

    def __init__(self, names: int, progress: Progress | None) -> None:
        self._total = 2 * names
        self._progress = progress
        self._finished = 0
        self._steps = 0
        self._looks = 0

    def step(self) -> None:
        """Count one name in its normal form."""
        self._steps += 1
        self.look(1)

    def look(self, names: int) -> None:
        """Tell every so often: it is not known before how often a name is looked at."""
        self._looks += names
        if self._looks >= REPORT_EVERY:
            self._looks = 0
            self._tell()

    def finish(self, names: int) -> None:
        """Take all work on `names` as done."""
        self._finished += 2 * names
        self._steps = 0
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._finished + self._steps, self._total)


def _by_type(entities: Sequence[Named]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, entity in enumerate(entities):
        found.setdefault(entity.type, []).append(position)
    return found


def _holders(entities: Sequence[Named], positions: Iterable[int], watch: _Watch) -> dict[NormalName, list[int]]:
    """Return who bears each normal name, in order."""
    found: dict[NormalName, list[int]] = {}
    for position in positions:
        for form in dict.fromkeys(normal(name) for name in entities[position].names):
            found.setdefault(form, []).append(position)
        for _ in entities[position].names:
            watch.step()
    return found
