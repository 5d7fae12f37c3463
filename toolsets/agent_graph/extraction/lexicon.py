"""The words and names known beforehand; the lists lie in the folder `lexicon` beside this module."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token, tokenise
from toolsets.agent_graph.extraction.words import HEADS, WORK_HEADS

_LISTS: Mapping[str, EntityType] = {
    "places": "location",
    "organizations": "organization",
    "technologies": "technology",
}
_LONGEST_EXACT = 4
"""Names of capitals only, up to this length, are words in another case: US and us."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name from a list: its words as written there, and whether another letter case means something else."""

    words: tuple[str, ...]
    type: EntityType
    exact: bool

    def fits(self, tokens: Sequence[Token], place: int) -> bool:
        """Say whether the name stands at `place`."""
        if place + len(self.words) > len(tokens):
            return False
        here = tokens[place : place + len(self.words)]
        if self.exact:
            return all(token.text in {word, _titled(word)} for token, word in zip(here, self.words, strict=True))
        return all(token.lower == word.casefold() for token, word in zip(here, self.words, strict=True))


def _titled(word: str) -> str:
    """Return the other way to write a name in capitals: Gnome for GNOME."""
    return word.capitalize() if len(word) > _LONGEST_EXACT and word.isupper() else word


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is known before any text is read."""

    common: frozenset[str]
    first_names: frozenset[str]
    names: Mapping[str, tuple[KnownName, ...]]
    """By the first word in lower case, longest name first."""

    def is_common(self, word: str) -> bool:
        """Say whether a lower-case word, or what it is inflected from, is an ordinary English one."""
        if "-" in word:
            return all(self.is_common(part) for part in word.split("-") if part)
        return word in self.common or any(stem in self.common for stem in _stems(word))

    def is_first_name(self, word: str) -> bool:
        """Say whether a lower-case word is a first name; of two that are joined, whether one of them is: Jean-Luc."""
        parts = word.split("-")
        return any(part in self.first_names for part in parts) and all(part.isalpha() for part in parts)

    def known_at(self, tokens: Sequence[Token], place: int) -> KnownName | None:
        """Return the longest known name that stands at `place`, if one does."""
        for name in self.names.get(tokens[place].lower, ()):
            if name.fits(tokens, place):
                return name
        return None


def _stems(word: str) -> Iterable[str]:
    if word.endswith("ies") or word.endswith("ied"):
        yield word[:-3] + "y"
    for ending in ("s", "es", "d", "ed", "ing", "er", "ers", "or", "ly", "ness", "able"):
        if word.endswith(ending) and len(word) >= len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem
            yield stem + "e"
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def _lines(name: str) -> list[str]:
    return (
        (files("toolsets.agent_graph.extraction") / "lexicon" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    )


def _is_exact(name: str, common: frozenset[str]) -> bool:
    letters = name.casefold()
    return letters in common or len(name) < 3 or (name.isupper() and len(name) <= _LONGEST_EXACT)


@cache
def lexicon() -> Lexicon:
    """Return the lexicon; the lists are read once."""
    common = frozenset(_lines("common")) | HEADS.keys() | WORK_HEADS
    names: dict[str, list[KnownName]] = {}
    for file, kind in _LISTS.items():
        for line in _lines(file):
            words = tuple(token.text for token in tokenise(line))
            names.setdefault(words[0].casefold(), []).append(KnownName(words, kind, _is_exact(line, common)))
    ordered = {first: tuple(sorted(found, key=lambda name: -len(name.words))) for first, found in names.items()}
    return Lexicon(common, frozenset(name.casefold() for name in _lines("first_names")), ordered)
