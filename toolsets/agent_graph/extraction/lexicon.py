"""The word classes, relation words and listed names of the folder `lexicon`, each file read once."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction.model import ENTITY_TYPES, EntityType, RelationType

_NOUN_TYPES: tuple[EntityType, ...] = ("technology", "document", "project", "organization", "person")
"""Classes of nouns that give the type of an adjacent name; the first of two classes with the same word counts."""
_LISTS: Mapping[str, EntityType] = {"places": "location", "organizations": "organization", "technologies": "technology"}
_LONGEST_EXACT = 4
"""Names in capitals up to this length are words in another case: US and us."""
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "or", "ly", "ness", "able")
_Words: TypeAlias = Annotated[frozenset[str], BeforeValidator(str.split)]


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
    word: tuple[RelationWord, ...]


@dataclass(frozen=True, slots=True)
class KnownName:
    """A listed name: its words as written there, and whether it means something else in another case."""

    words: tuple[str, ...]
    type: EntityType
    exact: bool

    def is_at(self, here: Sequence[str]) -> bool:
        """Return whether a text that goes on with the words `here` names it; GNOME may also be written like Gnome."""
        if not self.exact:
            return [word.casefold() for word in here] == [word.casefold() for word in self.words]
        longer = (word.capitalize() if len(word) > _LONGEST_EXACT and word.isupper() else word for word in self.words)
        return len(here) == len(self.words) and all(
            word in pair for word, *pair in zip(here, self.words, longer, strict=True)
        )


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
    found: dict[str, list[RelationWord]] = defaultdict(list)
    for row in sorted(relations().word, key=lambda row: (row.form == "verb", not row.prepositions)):
        for forms in (word.split("|") for word in row.words):
            entry = replace(row, label=forms[0].removeprefix("-"))
            for form in forms:
                found[form].append(entry)
    return {form: tuple(entries) for form, entries in found.items()}


def is_participle(form: str) -> bool:
    """Return whether a word has the form of a participle of the past."""
    return form.endswith(("ed", "en")) or form in {"led", "built", "bought"}


@cache
def word_classes() -> Mapping[str, frozenset[str]]:
    """Return the classes that each word belongs to."""
    members: dict[str, set[str]] = defaultdict(set)
    verbs = ((form, word) for form, words in relation_words().items() for word in words if word.form == "verb")
    for form, verb in verbs:
        plain = () if verb.prepositions else ("plain_verb", f"{verb.relation}_verb")
        for name in ("verb", *plain, *((f"{verb.relation}_participle",) if is_participle(form) else ())):
            members[name].add(form)
    for name, words in (
        TypeAdapter(dict[str, _Words]).validate_python(tomllib.loads(read_lexicon("words.toml"))).items()
    ):
        for word in words:
            members[name] |= members[word[1:-1]] if word[0] == "<" else {word}
    found: dict[str, set[str]] = defaultdict(set)
    for name, words in members.items():
        for word in words:
            found[word].add(name)
    return {word: frozenset(names) for word, names in found.items()}


def classes_of(word: str) -> frozenset[str]:
    """Return the classes that a lower-case word belongs to."""
    return word_classes().get(word, frozenset())


def type_of_noun(word: str) -> EntityType | None:
    """Return the type that a noun gives to the name next to it."""
    return next((kind for kind in _NOUN_TYPES if f"{kind}_noun" in classes_of(word)), None)


@cache
def known_names() -> Mapping[str, tuple[KnownName, ...]]:
    """Return the listed names by their first word in lower case, the longest name first."""
    names: dict[str, list[KnownName]] = defaultdict(list)
    for file, kind in _LISTS.items():
        for line in read_lexicon(f"{file}.txt").splitlines():
            exact = _is_word(line.casefold()) or len(line) < 3 or (line.isupper() and len(line) <= _LONGEST_EXACT)
            names[line.casefold().split()[0]].append(KnownName(tuple(line.split()), kind, exact))
    return {first: tuple(sorted(found, key=lambda name: -len(name.words))) for first, found in names.items()}


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(read_lexicon(f"{name}.txt").casefold().splitlines())


def is_first_name(word: str) -> bool:
    """Return whether a word is a first name, or two joined words of which one is a first name: Jean-Luc."""
    parts = word.split("-")
    listed = any(part.casefold() in _listed("first_names") for part in parts)
    return listed and all(part.isalpha() and part[0].isupper() for part in parts)


def is_common(word: str) -> bool:
    """Return whether a lower-case word, or its base form, is an ordinary English word."""
    if "-" in word:
        return all(is_common(part) for part in word.split("-") if part)
    return _is_word(word) or any(_is_word(stem) for stem in _stems(word))


def _is_word(word: str) -> bool:
    return word in _listed("common") or not classes_of(word).isdisjoint({"noun", "work_noun"})


def _stems(word: str) -> Iterator[str]:
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 2:
            stem = word[: -len(ending)]
            yield from (stem, stem + "e", stem[:-1] if stem[-1] == stem[-2] else stem)


@cache
def spacy_types() -> Mapping[str, EntityType]:
    """Return the entity types of the labels of spaCy's pipelines."""
    return TypeAdapter(dict[str, EntityType]).validate_python(tomllib.loads(read_lexicon("spacy.toml")))
