"""In which ways two names may be alike, how alike that makes them, and which names are."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from toolsets.agent_graph.duplicates.normal import NormalName

SAME, JOINED, REORDERED, MINOR_WORDS, ENDING, MORE_WORDS = 1.0, 0.98, 0.96, 0.86, 0.82, 0.78
"""Equal forms; equal but for spaces; the same words in another order; one has initials or small words more;
one goes on for one or two letters; one has a word more."""
SLIP_COST = 1.2
"""A slip of the pen takes this much, divided by the letters of the longer name, from 1."""
FIRST_LETTER = 0.78
"""What a slip leaves to names with different first letters."""
MIN_SLIP = 6
"""Names with fewer letters that differ in one are different names: Bash and Dash."""
MIN_SLIP_WORD = 5
MIN_ENDING = 6

Holders: TypeAlias = Sequence[int]
"""Who bears one normal name, ascending."""
Forms: TypeAlias = Mapping[NormalName, Holders]
Block: TypeAlias = Sequence[Holders]
"""The holders of names of which each is alike to each other."""
Way: TypeAlias = Callable[[], Iterator[Block]]
Step: TypeAlias = Callable[[int], None]
"""Told of so many more names looked at."""


def ways(forms: Forms, step: Step) -> list[tuple[float, list[Way]]]:
    """Return each likeness that two of `forms` can have, the highest first, with the ways to find the names that have it.

    A pair may come in several blocks and at several likenesses: the first is its own. Nothing is looked for before a
    way is called. Names are alike in their normal forms or by one slip: a letter too many, one other letter, two
    swapped. Different numbers make different names, and so do numbers in another order.
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
        found.setdefault(1 - SLIP_COST / length, []).append(slips.behind_the_first)
        found.setdefault(FIRST_LETTER, []).append(partial(slips.at, 0))
    return sorted(found.items(), reverse=True)


def _minor_words(forms: Forms, step: Step) -> Iterator[Block]:
    """Yield the names of equal substance; different initials tell them apart: Model S and Model X."""
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
    """Return the core of a name that has a word of substance."""
    core = name.core
    return core if any(len(word) > 2 and word.isalpha() for word in core) else None


def _sharing(forms: Forms, key_of: Callable[[NormalName], Hashable], step: Step) -> Iterator[Block]:
    """Yield the names that have a key in common; None is no key."""
    found: dict[Hashable, list[Holders]] = {}
    for name, holders in forms.items():
        key = key_of(name)
        if key is not None:
            found.setdefault(key, []).append(holders)
    step(len(forms))
    yield from (block for block in found.values() if len(block) > 1)


def _endings(forms: Forms) -> Iterator[Block]:
    """Yield single long words, each with what it is without its last letter, and without the last two."""
    joined: dict[str, list[Holders]] = {}
    for name, holders in forms.items():
        joined.setdefault(name.joined, []).append(holders)
    for name, holders in forms.items():
        if len(name.words) == 1 and name.joined.isalpha():
            for cut in (1, 2):
                if len(name.joined) - cut >= MIN_ENDING:
                    yield from ((holders, shorter) for shorter in joined.get(name.joined[:-cut], ()))


def _fewer_words(forms: Forms) -> Iterator[Block]:
    """Yield names, each with what it is with one word left out, numbers aside."""
    for name, holders in forms.items():
        for place, word in enumerate(name.words if len(name.words) > 1 else ()):
            if not word.isdigit():
                fewer = forms.get(NormalName(name.words[:place] + name.words[place + 1 :]))
                if fewer is not None:
                    yield holders, fewer


_Slippery: TypeAlias = tuple[str, str, Holders]
"""A name's text; for each of its letters whether it may be another (b) or at least be left out (d); who bears it."""


def _by_length(forms: Forms) -> dict[int, list[_Slippery]]:
    """Return the names in which a slip may be, by their letters."""
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
    """Finds the names of one length that differ by one slip from one another, or from a name with a letter less."""

    def __init__(self, length: int, names: Sequence[_Slippery], texts: Mapping[str, Holders], step: Step) -> None:
        self._names = names
        self._texts = texts
        self._step = step
        self._may_miss = length > MIN_SLIP

    def behind_the_first(self) -> Iterator[Block]:
        """Yield the names that differ in another letter than the first."""
        for place in range(1, max(len(text) for text, _, _ in self._names)):
            yield from self.at(place)

    def at(self, place: int) -> Iterator[Block]:
        """Yield the names that differ at one place. One place at a time, so that little is held at a time."""
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
        """Return who bears the name with two neighbours swapped; of two such names only one finds the other."""
        if mask[place + 1 : place + 2] != "b" or text[place] >= text[place + 1]:
            return None
        return self._texts.get(text[:place] + text[place + 1] + text[place] + text[place + 2 :])
