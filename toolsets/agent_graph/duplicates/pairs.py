"""Finds the pairs of entities whose names are alike, by looking up what each name could be mistaken for."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import combinations, islice

from toolsets.agent_graph.duplicates.likeness import (
    MORE_WORDS,
    blanked,
    endings,
    fewer_words,
    likeness,
    swapped,
    without_a_letter,
)
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
    Blocking: run it in a worker thread. The time grows with the number of names and of pairs found, not with its
    square; memory with the names of one type and `limit`.
    """
    best = _Best(limit, threshold)
    watch = _Watch(sum(len(entity.names) for entity in entities), progress)
    for positions in _by_type(entities).values():
        holders = _holders(entities, positions, watch)
        search = _Search(list(holders), watch, more_words=threshold <= MORE_WORDS)
        for form, others in search.neighbours():
            best.within(holders[form])
            for other in others:
                best.between(holders[form], holders[other], likeness(form, other))
        watch.finish(sum(len(entities[position].names) for position in positions))
    return best.pairs(entities)


class _Watch:
    """Counts the work: each name is brought into its normal form, entered and looked up."""

    def __init__(self, names: int, progress: Progress | None) -> None:
        self._total = 3 * names
        self._progress = progress
        self._finished = 0
        self._steps = 0

    def step(self) -> None:
        """Count one name, and tell every so often."""
        self._steps += 1
        if self._progress is not None and self._steps % REPORT_EVERY == 0:
            self._progress(self._finished + self._steps, self._total)

    def finish(self, names: int) -> None:
        """Take all work on `names` as done: names of one form are entered and looked up once."""
        self._finished += 3 * names
        self._steps = 0
        if self._progress is not None:
            self._progress(self._finished, self._total)


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


class _Search:
    """Looks up, for each form, the others it may be alike to."""

    def __init__(self, forms: Sequence[NormalName], watch: _Watch, *, more_words: bool) -> None:
        self._forms = forms
        self._watch = watch
        self._more_words = more_words
        self._by_words = {form.words: form for form in forms}
        self._groups = [self._grouped(form.joined for form in forms)]
        self._groups.append(self._grouped(tuple(sorted(form.words)) for form in forms))
        self._groups.append(self._grouped(form.core for form in forms))
        self._blanked = self._blanks()

    def _grouped(self, keys: Iterable[Hashable]) -> dict[Hashable, list[NormalName]]:
        found: dict[Hashable, list[NormalName]] = {}
        for form, key in zip(self._forms, keys, strict=True):
            found.setdefault(key, []).append(form)
        return found

    def _blanks(self) -> dict[int, list[NormalName]]:
        """Return the forms that share a blanked spelling, by its hash: the spellings themselves would fill the memory."""
        once: dict[int, NormalName] = {}
        found: dict[int, list[NormalName]] = {}
        for form in self._forms:
            self._watch.step()
            for key in map(hash, blanked(form)):
                if key not in once:
                    once[key] = form
                elif key in found:
                    found[key].append(form)
                else:
                    found[key] = [once[key], form]
        return found

    def neighbours(self) -> Iterator[tuple[NormalName, Iterable[NormalName]]]:
        """Yield each form with those it may be alike to, itself aside, in order; of two at least one yields the other."""
        order = {form: place for place, form in enumerate(self._forms)}
        for form in self._forms:
            self._watch.step()
            found = {other for other in self._alike(form) if other is not form}
            yield form, sorted(found, key=order.__getitem__)

    def _alike(self, form: NormalName) -> Iterator[NormalName]:
        for group, key in zip(self._groups, (form.joined, tuple(sorted(form.words)), form.core), strict=True):
            yield from group[key]
        for words in self._variants(form):
            if words in self._by_words:
                yield self._by_words[words]
        for key in map(hash, blanked(form)):
            yield from self._blanked.get(key, ())

    def _variants(self, form: NormalName) -> Iterator[tuple[str, ...]]:
        """Yield the shorter or swapped spellings of a form; the longer ones find it in their turn."""
        yield from ((ending,) for ending in endings(form))
        yield from without_a_letter(form)
        yield from swapped(form)
        if self._more_words:
            yield from fewer_words(form)


class _Best:
    """The best pairs so far; forgets the worse ones whenever it holds several times too many."""

    def __init__(self, limit: int, threshold: float) -> None:
        self._limit = limit
        self._threshold = threshold
        self._found: dict[tuple[int, int], float] = {}
        self._forgot = False

    def within(self, holders: Sequence[int]) -> None:
        """Enter all pairs of those who bear one name."""
        self._enter(combinations(holders, 2), 1.0)

    def between(self, some: Sequence[int], others: Sequence[int], score: float) -> None:
        """Enter the pairs of those who bear one name and those who bear another."""
        if score >= self._threshold and score > 0:
            self._enter(_across(some, others), score)

    def _enter(self, pairs: Iterable[tuple[int, int]], score: float) -> None:
        """Enter pairs that come in order, so that those beyond the limit cannot be among the best."""
        pairs = iter(pairs)
        for pair in islice(pairs, self._limit):
            if score > self._found.get(pair, 0.0):
                self._found[pair] = score
        self._forgot = self._forgot or next(pairs, None) is not None
        if len(self._found) > 4 * self._limit:
            self._forget()

    def _forget(self) -> None:
        ordered = sorted(self._found.items(), key=lambda item: (-item[1], item[0]))
        self._forgot = self._forgot or len(ordered) > self._limit
        self._found = dict(ordered[: self._limit])

    def pairs(self, entities: Sequence[Named]) -> Pairs:
        """Return the best pairs, best first."""
        self._forget()
        found = tuple(Pair(entities[one].id, entities[other].id, score) for (one, other), score in self._found.items())
        return Pairs(found, self._forgot)


def _across(some: Sequence[int], others: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs between two ascending groups in ascending order, nobody with themselves, each pair once."""
    left, right = set(some), set(others)
    for one in sorted(left | right):
        behind = [_after(others, one)] if one in left else []
        if one in right:
            behind.append(_after(some, one))
        last = one
        for other in merge(*behind):
            if other != last:
                yield one, other
            last = other


def _after(ordered: Sequence[int], one: int) -> Iterator[int]:
    return (ordered[place] for place in range(bisect_right(ordered, one), len(ordered)))
