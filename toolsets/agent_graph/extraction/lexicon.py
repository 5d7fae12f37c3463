"""The word classes, relation words and cues of the folder `lexicon`, each file read once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction.model import ENTITY_TYPES, EntityType, RelationType

_NOUN_TYPES: tuple[EntityType, ...] = ("technology", "document", "project", "organization", "person")
"""Classes of nouns that give the type of an adjacent name; the first of two classes with the same word counts."""
_VERB_CLASSES: tuple[tuple[str, frozenset[RelationType], bool], ...] = (
    ("maker_participle", frozenset({"CREATED", "WORKS_ON", "OWNS", "MODIFIED"}), True),
    ("user_participle", frozenset({"USES", "DEPENDS_ON"}), True),
    ("software_verb", frozenset({"USES", "DEPENDS_ON", "CREATED", "WORKS_ON"}), False),
)
"""Classes of verbs by the relation that they state: participles, or forms without a preposition."""


UNLISTED = "\0"
"""Stands for any word that no class and no cue lists."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A condition on a word: it must be one of these words, classes, types or shapes, or none if `negated`."""

    words: frozenset[str]
    classes: frozenset[str]
    types: frozenset[str]
    shapes: frozenset[str]
    negated: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a cue: a word for which all `choices` hold; `repeat` is "", "?" or "*"."""

    choices: tuple[Choice, ...]
    repeat: str
    bit: int = 0
    """Its bit in the masks of `Traits`; equal terms share one."""


def _terms(text: str) -> tuple[Term, ...]:
    parts = [(part.rstrip("?*"), part[-1] if part[-1] in "?*" else "") for part in text.split()]
    return tuple(_term(term, repeat) for term, repeat in parts)


_bits: dict[str, int] = {}


def _term(text: str, repeat: str) -> Term:
    bit = _bits.setdefault(text, 1 << len(_bits))
    return Term(tuple(_choice(choice) for choice in text.split("&")), repeat, bit)


def _choice(text: str) -> Choice:
    words = text.lstrip("!").split("|")
    kinds = (frozenset(word[1:-1] for word in words if word[0] == mark) for mark in "<{[")
    plain = frozenset("" if word == "^" else word for word in words if word[0] not in "<{[")
    return Choice(plain, *kinds, negated=text[0] == "!")


_Terms: TypeAlias = Annotated[tuple[Term, ...], BeforeValidator(_terms)]
_Words: TypeAlias = Annotated[frozenset[str], BeforeValidator(str.split)]


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
    bit: int = 0
    """Its bit in the masks of `Traits`."""

    @property
    def of_words(self) -> tuple[tuple[Term, ...], ...]:
        """The meaning for words of the name itself."""
        return (self.first, self.last, self.every)


@dataclass(frozen=True, slots=True)
class CueGroup:
    """The cues of one name in order, and the mask of all of them."""

    cues: tuple[Cue, ...]
    mask: int


@dataclass(frozen=True, slots=True)
class Traits:
    """What a word is by itself: its classes, and masks.

    `met` and `failed` are the terms that it meets, and fails, in any sentence. `before`, `here` and `first` are the cues
    that it does not rule out right before and right behind the words that they are about, and as the first of them.
    """

    classes: frozenset[str]
    met: int
    failed: int
    before: int
    here: int
    first: int


@dataclass(frozen=True, slots=True)
class RelationWord:
    """A word that states a relation between things of some types, with one of `prepositions` if there are any."""

    form: Literal["verb", "participle", "suffix", "noun", "role", "of", "by", "possessive"]
    relation: RelationType
    words: _Words
    prepositions: _Words = frozenset()
    sources: _Words = frozenset(ENTITY_TYPES)
    targets: _Words = frozenset(ENTITY_TYPES)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Relations:
    """The content of `relations.toml`."""

    confidence: dict[str, float]
    irregular: dict[str, str]
    word: tuple[RelationWord, ...]


def read_lexicon(name: str) -> str:
    """Return the text of one file of the folder."""
    return (files("toolsets.agent_graph.extraction") / "lexicon" / name).read_text(encoding="utf-8")


@cache
def relations() -> Relations:
    """Return the table of relations."""
    return TypeAdapter(Relations).validate_python(tomllib.loads(read_lexicon("relations.toml")))


@cache
def relation_words() -> Mapping[str, tuple[RelationWord, ...]]:
    """Return the relation words by each of their forms: participles before verbs, forms with prepositions first."""
    found: dict[str, list[RelationWord]] = {}
    for row in sorted(relations().word, key=lambda row: (row.form == "verb", not row.prepositions)):
        for word in row.words:
            entry = replace(row, label=word.removeprefix("-"))
            for form in set(_forms(word)) if row.form == "verb" else (word,):
                found.setdefault(form, []).append(entry)
    return {form: tuple(entries) for form, entries in found.items()}


def _forms(lemma: str) -> tuple[str, ...]:
    """Return the forms of a verb."""
    endings = ("s", "ed")
    stem = lemma
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        stem, endings = lemma[:-1], ("ies", "ied")
    elif lemma.endswith(("s", "sh", "ch", "x")):
        endings = ("es", "ed")
    elif lemma.endswith("e"):
        endings = ("s", "d")
    gerund = lemma[: -1 if lemma.endswith("e") else None] + "ing"
    return (lemma, gerund, *(stem + ending for ending in endings), *relations().irregular.get(lemma, "").split())


def is_participle(form: str) -> bool:
    """Return whether the form of a verb can occur in a passive."""
    return form.endswith(("ed", "en")) or form in {"led", "built", "bought"}


@cache
def word_classes() -> Mapping[str, frozenset[str]]:
    """Return the classes that each word belongs to."""
    verbs = [(form, word) for form, words in relation_words().items() for word in words if word.form == "verb"]
    members = {
        "verb": frozenset(form for form, _ in verbs),
        "plain_verb": frozenset(form for form, verb in verbs if not verb.prepositions),
    }
    for name, kinds, participle in _VERB_CLASSES:
        forms = members["plain_verb"] if not participle else frozenset(filter(is_participle, members["verb"]))
        members[name] = frozenset(form for form, verb in verbs if verb.relation in kinds and form in forms)
    table = TypeAdapter(dict[str, _Words]).validate_python(tomllib.loads(read_lexicon("words.toml")))
    for name, words in table.items():
        inherited = [members[word[1:-1]] for word in words if word[0] == "<"]
        members[name] = frozenset(word for word in words if word[0] != "<").union(*inherited)
    every = frozenset[str]().union(*members.values())
    return {word: frozenset(name for name, words in members.items() if word in words) for word in every}


@cache
def _traits() -> tuple[Mapping[str, Traits], Traits]:
    """Return the traits of the words that a class or a cue lists, and those of all other words."""
    every = [cue for group in cues().values() for cue in group.cues]
    terms = {term.bit: term for cue in every for part in (cue.before, cue.here, *cue.of_words) for term in part}
    asked = {word for term in terms.values() for choice in term.choices for word in choice.words}

    @cache
    def traits(word: str, classes: frozenset[str]) -> Traits:
        found = [(bit, _met(term, word, classes)) for bit, term in terms.items()]
        failed = sum(bit for bit, met in found if met is False)
        edges = ([cue.before[::-1] for cue in every], [cue.here for cue in every], [cue.first for cue in every])
        possible = (
            sum(cue.bit for cue, edge in zip(every, some, strict=True) if _is_open(edge, failed)) for some in edges
        )
        return Traits(classes, sum(bit for bit, met in found if met), failed, *possible)

    known = {word: traits(word if word in asked else UNLISTED, classes) for word, classes in word_classes().items()}
    others = {word: traits(word, frozenset[str]()) for word in asked - known.keys()}
    return known | others, traits(UNLISTED, frozenset[str]())


def _met(term: Term, word: str, classes: frozenset[str]) -> bool | None:
    """Return whether a word meets a term, None if the sentence decides; the empty word has no type and no shape."""
    found: bool | None = True
    for choice in term.choices:
        listed = word in choice.words or not choice.classes.isdisjoint(classes)
        if word and not listed and (choice.types or choice.shapes):
            found = None
        elif listed == choice.negated:
            return False
    return found


def _is_open(terms: tuple[Term, ...], failed: int) -> bool:
    """Return whether a word that fails some terms may stand at the beginning of `terms`."""
    for term in terms:
        if not term.bit & failed:
            return True
        if not term.repeat:
            return False
    return True


def traits_of(word: str) -> Traits:
    """Return the traits of a lower-case word."""
    known, other = _traits()
    return known.get(word, other)


def classes_of(word: str) -> frozenset[str]:
    """Return the classes that a lower-case word belongs to."""
    return traits_of(word).classes


def type_of_noun(word: str) -> EntityType | None:
    """Return the type that a noun gives to the name next to it."""
    return next((kind for kind in _NOUN_TYPES if f"{kind}_noun" in classes_of(word)), None)


@cache
def cues() -> Mapping[str, CueGroup]:
    """Return the cues by name."""
    table = tomllib.loads(read_lexicon("cues.toml")) | tomllib.loads(read_lexicon("names.toml"))
    rows = TypeAdapter(dict[str, tuple[Cue, ...]]).validate_python(table)
    bits = count()
    groups = {name: tuple(replace(cue, bit=1 << next(bits)) for cue in row) for name, row in rows.items()}
    return {name: CueGroup(row, sum(cue.bit for cue in row)) for name, row in groups.items()}


@cache
def spacy_types() -> Mapping[str, EntityType]:
    """Return the entity types of the labels of spaCy's pipelines."""
    return TypeAdapter(dict[str, EntityType]).validate_python(tomllib.loads(read_lexicon("spacy.toml")))
