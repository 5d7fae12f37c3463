"""Cues: short patterns of words around a place or a name, from `cues.toml` and `names.toml`."""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction.lexicon import read_lexicon
from toolsets.agent_graph.extraction.model import EntityType

OUTSIDE = "^"
"""The only feature of the places before and after a sentence."""
_choices: defaultdict[str, int] = defaultdict(count().__next__)
_cues = count()
"""Choices and cues are numbered as the files are read; a set of either is an integer with a bit for each."""

Choice: TypeAlias = tuple[frozenset[str], bool]
"""A condition on a word: it must have one of these features, or none of them if negated."""


@dataclass(frozen=True, slots=True)
class Term:
    """A condition on one word: all `choices` must hold; `repeat` is "", "?" or "*"."""

    choices: int
    repeat: str


def _choices_of(term: str) -> int:
    return sum(1 << _choices[choice] for choice in term.split("&"))


def _terms(text: str) -> tuple[Term, ...]:
    return tuple(Term(_choices_of(part.rstrip("?*")), part[-1] if part[-1] in "?*" else "") for part in text.split())


_Choices: TypeAlias = Annotated[int, BeforeValidator(_choices_of)]
_Terms: TypeAlias = Annotated[tuple[Term, ...], BeforeValidator(_terms)]


@dataclass(slots=True)
class Cue:
    """A row of `cues.toml` or `names.toml`: conditions on a name and the words around it, and what a match means."""

    before: _Terms = ()
    here: _Terms = ()
    words: tuple[int, int] = (1, 12)
    first: _Choices = 0
    last: _Choices = 0
    every: _Choices = 0
    skip: int = 0
    trim: int = 0
    extend: Literal["before", "with", "back"] | None = None
    parts: bool = False
    type: EntityType | Literal["noun", "predicate"] | None = None
    confidence: float = 0.8
    bit: int = field(default_factory=lambda: 1 << next(_cues), init=False)


@cache
def cues() -> Mapping[str, tuple[Cue, ...]]:
    """Return the cues by name, in order."""
    table = tomllib.loads(read_lexicon("cues.toml")) | tomllib.loads(read_lexicon("names.toml"))
    return TypeAdapter(dict[str, tuple[Cue, ...]]).validate_python(table)


@cache
def mask_of(name: str) -> int:
    """Return the cues of a name as a set of bits."""
    return sum(cue.bit for cue in cues()[name])


@dataclass(frozen=True, slots=True)
class Kind:
    """The properties of a word that cues test: the choices that hold for it, and the cues that it does not rule out.

    `before`, `first` and `here` are the cues that may match with the word right before a name, as its first word, and right
    after it.
    """

    choices: int
    before: int
    first: int
    here: int


def kind_of(features: Iterable[str]) -> Kind:
    """Return the kind of a word with these features."""
    listed = 0
    for feature in features:
        listed |= _listing().get(feature, 0)
    return _kind(listed)


@cache
def _listing() -> Mapping[str, int]:
    """Return the choices that list each feature."""
    cues()
    found: dict[str, int] = defaultdict(int)
    for choice, number in _choices.items():
        for feature in choice_of(choice)[0]:
            found[feature] |= 1 << number
    return found


@lru_cache(maxsize=16_384)
def _kind(listed: int) -> Kind:
    """Return the kind of a word whose features are listed in exactly these choices."""
    held = listed ^ sum(1 << number for choice, number in _choices.items() if choice[0] == "!")
    before = first = here = 0
    for cue in (cue for rows in cues().values() for cue in rows):
        before |= cue.bit * _may_begin(cue.before[::-1], held)
        first |= cue.bit * (held & cue.first == cue.first)
        here |= cue.bit * _may_begin(cue.here, held)
    return Kind(held, before, first, here)


def _may_begin(terms: Sequence[Term], held: int) -> bool:
    """Return whether a sequence of words that matches `terms` may begin with a word for which these choices hold."""
    for term in terms:
        if held & term.choices == term.choices:
            return True
        if not term.repeat:
            return False
    return True


def choice_of(text: str) -> Choice:
    """Return a choice in the notation of `cues.toml`: !a|<article>."""
    return frozenset(text.removeprefix("!").split("|")), text[0] == "!"
