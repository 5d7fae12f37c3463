"""The properties of a word on its own: its features, and the listed names and relations that it may begin."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction import lexicon
from toolsets.agent_graph.extraction.cues import OUTSIDE, Choice, Kind, choice_of, kind_of
from toolsets.agent_graph.extraction.lexicon import KnownName, RelationWord, is_common, read_lexicon
from toolsets.agent_graph.extraction.model import EntityType

FREE = "[free]"
"""The feature of a word that belongs to no name."""
MAX_LENGTH = 100
"""The most characters of a word; a longer one is not English and gets no features."""
NOUN_TYPES: tuple[EntityType, ...] = ("technology", "document", "project", "organization", "person")
"""Classes of nouns that give the type of an adjacent name; the first of two classes with the same word counts."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark as it is written; `lower` is case-folded with straight apostrophes.

    Its `features` are itself, its classes (<verb>), and its shapes ([capital]); its `kind` holds what cues test of them;
    its `effort` is the measured work of reading it.
    """

    text: str
    lower: str
    features: frozenset[str]
    kind: Kind
    names: tuple[KnownName, ...]
    relations: tuple[RelationWord, ...]
    effort: int


def _choices(term: str) -> tuple[Choice, ...]:
    return tuple(map(choice_of, term.split("&")))


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The content of `shapes.toml`."""

    written: Mapping[str, re.Pattern[str]]
    spelt: Mapping[str, re.Pattern[str]]
    combined: Mapping[str, Annotated[tuple[Choice, ...], BeforeValidator(_choices)]]


def word_of(text: str) -> Word:
    """Return the word with this text; "" is the word at the places outside a sentence."""
    if 0 < len(text) <= MAX_LENGTH:
        return _word(text)
    return _featured(text, text.casefold(), frozenset({FREE if text else OUTSIDE}))


def type_of_noun(features: frozenset[str]) -> EntityType | None:
    """Return the type that a noun gives to the name next to it."""
    return next((kind for kind in NOUN_TYPES if f"<{kind}_noun>" in features), None)


def _featured(text: str, lower: str, features: frozenset[str]) -> Word:
    names, relations = lexicon.known_names().get(lower, ()), lexicon.relation_words().get(lower, ())
    return Word(text, lower, features, kind_of(features), names, relations, _effort(features, relations))


def _effort(features: frozenset[str], relations: Sequence[RelationWord]) -> int:
    """Return the work of reading a word; names and words that state relations need more."""
    named = 0 if "[capital]" not in features else 8 if "[common]" in features else 33
    return 2 + 2 * ("[mark]" in features) + named + 40 * (len(relations) > 0)


@lru_cache(maxsize=8_192)
def _word(text: str) -> Word:
    lower = text.casefold().replace("’", "'")
    classes = lexicon.word_classes()
    features = {FREE, lower, *classes.get(lower, ()), *_shape_features("".join(map(_kind, text)))} - {OUTSIDE}
    features.update(f"[{name}]" for name, pattern in _shapes().spelt.items() if pattern.fullmatch(lower))
    if is_common(lower):
        features.add("[common]")
    if any("<first_name>" in classes.get(part, ()) for part in lower.split("-")):
        features.add("<first_name>")
    prefix, _, _ = text.partition("-")
    if any(name.words == (prefix,) for name in lexicon.known_names().get(prefix.casefold(), ())):
        features.add("[known_prefix]")
    for name, choices in _shapes().combined.items():
        if all(wanted.isdisjoint(features) == negated for wanted, negated in choices):
            features.add(f"[{name}]")
    return _featured(text, lower, frozenset(features))


@lru_cache(maxsize=1_024)
def _kind(letter: str) -> str:
    """Return the character for `letter` in the shape of a word."""
    kind = "X" if letter.isupper() else "x" if letter.islower() else "c" if letter.isalpha() else "9"
    return kind if letter.isalnum() else letter


@lru_cache(maxsize=4_096)
def _shape_features(shape: str) -> frozenset[str]:
    return frozenset(f"[{name}]" for name, pattern in _shapes().written.items() if pattern.fullmatch(shape))


@cache
def _shapes() -> _Shapes:
    return TypeAdapter(_Shapes).validate_python(tomllib.loads(read_lexicon("shapes.toml")))
