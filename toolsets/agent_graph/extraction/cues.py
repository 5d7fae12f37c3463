"""Cues: short patterns of words around a place or a name, from `cues.toml` and `names.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction.lexicon import classes_of, read_lexicon
from toolsets.agent_graph.extraction.model import EntityType

_UNLISTED = "\0"
"""Stands for any word that no cue lists."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A condition on a word: it must be one of these words, classes, types or shapes, or none if `negated`."""

    words: frozenset[str]
    classes: frozenset[str]
    types: frozenset[str]
    shapes: frozenset[str]
    negated: bool

    @classmethod
    def parsed(cls, text: str) -> "Choice":
        """Return a choice in the notation of `cues.toml`: !a|<article>."""
        words = text.lstrip("!").split("|")
        kinds = (frozenset(word[1:-1] for word in words if word[0] == mark) for mark in "<{[")
        plain = frozenset("" if word == "^" else word for word in words if word[0] not in "<{[")
        return cls(plain, *kinds, negated=text[0] == "!")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a cue: a word for which all `choices` hold; `repeat` is "", "?" or "*"."""

    choices: tuple[Choice, ...]
    repeat: str

    def admits(self, word: str, classes: frozenset[str]) -> bool | None:
        """Return whether a lower-case word meets the term, None if the sentence decides; "" has no type and no shape."""
        found: bool | None = True
        for choice in self.choices:
            listed = word in choice.words or not choice.classes.isdisjoint(classes)
            if word and not listed and (choice.types or choice.shapes):
                found = None
            elif listed == choice.negated:
                return False
        return found


def _terms(text: str) -> tuple[Term, ...]:
    parts = ((part.rstrip("?*"), part[-1] if part[-1] in "?*" else "") for part in text.split())
    return tuple(Term(tuple(map(Choice.parsed, term.split("&"))), repeat) for term, repeat in parts)


_Terms: TypeAlias = Annotated[tuple[Term, ...], BeforeValidator(_terms)]


@dataclass(frozen=True, slots=True)
class Cue:
    """A row of `cues.toml` or `names.toml`: conditions on a name and the words around it, and their meaning."""

    before: _Terms = ()
    here: _Terms = ()
    words: tuple[int, int] = (1, 12)
    first: _Terms = ()
    last: _Terms = ()
    every: _Terms = ()
    trim: int = 0
    extend: Literal["before", "with"] | None = None
    type: EntityType | Literal["noun", "predicate"] | None = None
    confidence: float = 0.8


@dataclass(frozen=True, slots=True)
class CueGroup:
    """The cues of one name in order, each with its bit, and the mask of all of them."""

    cues: tuple[tuple[int, Cue], ...]
    mask: int


@dataclass(frozen=True, slots=True)
class Edges:
    """The masks of the cues that a word does not rule out right before a name, as its first word, and right behind it."""

    before: int
    first: int
    here: int


@cache
def cues() -> Mapping[str, CueGroup]:
    """Return the cues by name."""
    table = tomllib.loads(read_lexicon("cues.toml")) | tomllib.loads(read_lexicon("names.toml"))
    rows = TypeAdapter(dict[str, tuple[Cue, ...]]).validate_python(table)
    bits = count()
    groups = {name: tuple((1 << next(bits), cue) for cue in row) for name, row in rows.items()}
    return {name: CueGroup(row, sum(bit for bit, _ in row)) for name, row in groups.items()}


def edges_of(word: str) -> Edges:
    """Return where a lower-case word, "" outside the sentence, leaves cues open; it saves trying most of them."""
    return _edges(word if word in _listed_words() else _UNLISTED, classes_of(word))


@cache
def _listed_words() -> frozenset[str]:
    """Return the words that a cue lists."""
    every = (cue for group in cues().values() for _, cue in group.cues)
    terms = (term for cue in every for term in (*cue.before, *cue.first, *cue.here))
    return frozenset(word for term in terms for choice in term.choices for word in choice.words)


@cache
def _edges(word: str, classes: frozenset[str]) -> Edges:
    def may_begin(terms: Sequence[Term]) -> bool:
        for term in terms:
            if term.admits(word, classes) is not False:
                return True
            if not term.repeat:
                return False
        return True

    every = [(bit, cue) for group in cues().values() for bit, cue in group.cues]
    return Edges(
        before=sum(bit for bit, cue in every if may_begin(cue.before[::-1])),
        first=sum(bit for bit, cue in every if may_begin(cue.first)),
        here=sum(bit for bit, cue in every if may_begin(cue.here)),
    )
