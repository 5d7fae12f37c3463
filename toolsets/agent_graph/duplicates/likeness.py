"""The rules by which two names are alike, with the similarity of each rule and the names that it matches."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from toolsets.agent_graph.duplicates.normal import NormalName

SAME, JOINED, REORDERED, MINOR_WORDS, ENDING, MORE_WORDS = 1.0, 0.98, 0.96, 0.86, 0.82, 0.78
"""Equal forms; equal except for spaces; the same words in another order; one has additional initials or minor words;
one has one or two more letters at its end; one has one more word."""
SLIP_COST = 1.2
"""The similarity of names that differ by a typing slip is 1 minus this, divided by the letters of the longer name."""
FIRST_LETTER = 0.78
"""The similarity of names that differ by a slip in their first letters."""
MIN_SLIP = 6
"""The fewest letters of names that may differ by a slip; Bash and Dash are different names."""
MIN_SLIP_WORD = 5
"""Shorter words within a name often differ in a letter and mean different things."""
MIN_ENDING = 6
"""The fewest letters before an ending: of a shorter name an ending makes another one."""

Holders: TypeAlias = Sequence[int]
"""The positions of the entities that have one normal name, ascending."""
Forms: TypeAlias = Mapping[NormalName, Holders]
Block: TypeAlias = Sequence[Holders]
"""The holders of names that are all alike."""
Way: TypeAlias = Callable[[], Iterator[Block]]
Step: TypeAlias = Callable[[int], None]
"""Called with the number of further names that were examined."""


def ways(forms: Forms, step: Step) -> list[tuple[float, list[Way]]]:
    """Return the similarities that two of `forms` can have, highest first, each with the ways to find the pairs that have it.

    A pair may occur in several blocks and at several similarities; its first one counts. The search is lazy: it starts when
    a way is called. Names are alike in their normal forms or when they differ by one slip: one letter more, one different
    letter, or two neighbouring letters swapped. Names with different numbers, or with numbers in another order, differ.
    """
    found: dict[float, list[Way]] = {
        SAME: [lambda: iter([[holders] for holders in forms.values()])],
        JOINED: [lambda: _sharing(forms, lambda name: (name.joined, name.numbers), step)],
        REORDERED: [lambda: _sharing(forms, lambda name: (*sorted(name.words), name.numbers), step)],
        MINOR_WORDS: [lambda: _minor_words(forms, step)],
        ENDING: [lambda: _endings(forms)],
        MORE_WORDS: [lambda: _fewer_words(forms)],
    }
    texts = {name.text: holders for name, holders in forms.items()}
    step(len(forms))
    for length, names in _by_length(forms).items():
        slips = _Slips(length, names, texts, step)
        found.setdefault(round(1 - SLIP_COST / length, 4), []).append(slips.behind_the_first)
        found.setdefault(FIRST_LETTER, []).append(partial(slips.at, 0))
    return sorted(found.items(), reverse=True)


def _minor_words(forms: Forms, step: Step) -> Iterator[Block]:
    """Yield the names with equal cores, unless they have different initials: Model S and Model X."""
    found: dict[tuple[str, ...], dict[tuple[str, ...], list[Holders]]] = {}
    for name, holders in forms.items():
        if (core := _substance(name)) is not None:
            found.setdefault(core, {}).setdefault(name.initials, []).append(holders)
    step(len(forms))
    for by_initials in found.values():
        without = by_initials.pop((), [])
        blocks = [[*without, *some] for some in by_initials.values()] or [without]
        yield from (block for block in blocks if len(block) > 1)


def _substance(name: NormalName) -> tuple[str, ...] | None:
    """Return the core of a name if it contains a word of at least three letters, else None."""
    core = name.core
    return core if any(len(word) > 2 and word.isalpha() for word in core) else None


def _sharing(forms: Forms, key_of: Callable[[NormalName], Hashable], step: Step) -> Iterator[Block]:
    """Yield the names with equal keys; a name whose key is None is left out."""
    found: dict[Hashable, list[Holders]] = {}
    for name, holders in forms.items():
        key = key_of(name)
        if key is not None:
            found.setdefault(key, []).append(holders)
    step(len(forms))
    yield from (block for block in found.values() if len(block) > 1)


def _endings(forms: Forms) -> Iterator[Block]:
    """Yield long names of one word, each with the name that lacks its last one or two letters."""
    joined: dict[str, list[Holders]] = {}
    for name, holders in forms.items():
        joined.setdefault(name.joined, []).append(holders)
    for name, holders in forms.items():
        if len(name.words) == 1 and name.joined.isalpha():
            for cut in (1, 2):
                if len(name.joined) - cut >= MIN_ENDING:
                    yield from ((holders, shorter) for shorter in joined.get(name.joined[:-cut], ()))


def _fewer_words(forms: Forms) -> Iterator[Block]:
    """Yield names, each with the name that lacks one of its words; numbers are never left out."""
    for name, holders in forms.items():
        for place, word in enumerate(name.words if len(name.words) > 1 else ()):
            if not word.isdigit():
                fewer = forms.get(NormalName(name.words[:place] + name.words[place + 1 :]))
                if fewer is not None:
                    yield holders, fewer


_Slippery: TypeAlias = tuple[str, str, Holders]
"""The text of a name, its mask, and its holders.

In the mask, `b` marks a letter that may be replaced or left out, `d` one that may only be left out."""


def _by_length(forms: Forms) -> dict[int, list[_Slippery]]:
    """Return the names that may contain a slip, by their number of letters."""
    found: dict[int, list[_Slippery]] = {}
    for name, holders in forms.items():
        length = len(name.joined)
        mask = " ".join(_slippery(word) * len(word) for word in name.words)
        if length >= MIN_SLIP and not mask.isspace():
            found.setdefault(length, []).append((name.text, mask, holders))
    return found


def _slippery(word: str) -> str:
    if word.isdigit() or len(word) < MIN_SLIP_WORD - 1:
        return " "
    return "b" if len(word) >= MIN_SLIP_WORD else "d"


class _Slips:
    """Finds the names of one length that differ by one slip from each other or from a name with one letter less."""

    def __init__(self, length: int, names: Sequence[_Slippery], texts: Mapping[str, Holders], step: Step) -> None:
        self._names = names
        self._texts = texts
        self._step = step
        self._may_miss = length > MIN_SLIP

    def behind_the_first(self) -> Iterator[Block]:
        """Yield the names that differ in a letter other than the first."""
        for place in range(1, max(len(text) for text, _, _ in self._names)):
            yield from self.at(place)

    def at(self, place: int) -> Iterator[Block]:
        """Yield the names that differ at one place; looking at one place at a time bounds the memory."""
        others: dict[str, list[Holders]] = {}
        for text, mask, holders in self._names:
            kind = mask[place : place + 1]
            if kind not in {"b", "d"}:
                continue
            rest = text[:place] + text[place + 1 :]
            if self._may_miss and rest in self._texts:
                yield holders, self._texts[rest]
            if kind == "b":
                others.setdefault(rest, []).append(holders)
                swapped = self._swapped(text, mask, place)
                if swapped is not None:
                    yield holders, swapped
        self._step(len(self._names))
        yield from (block for block in others.values() if len(block) > 1)

    def _swapped(self, text: str, mask: str, place: int) -> Holders | None:
        """Return the holders of the name with two neighbouring letters swapped; each pair is found from one side only."""
        if mask[place + 1 : place + 2] != "b" or text[place] >= text[place + 1]:
            return None
        return self._texts.get(text[:place] + text[place + 1] + text[place] + text[place + 2 :])
