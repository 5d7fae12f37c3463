"""The data of the folder `lexicon`: classes of words, relation words and listed names. Each file is read once."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, TypeAdapter

from toolsets.agent_graph.extraction.model import ENTITY_TYPES, EntityType, RelationType

_LISTS: Mapping[str, EntityType] = {"places": "location", "organizations": "organization", "technologies": "technology"}
_LONGEST_EXACT = 4
"""The most letters of a name in capitals that is another word in lower case: US and us."""
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
    predicate: bool = False
    """Whether it states the relation only after a form of to be."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Relations:
    """The content of `relations.toml`."""

    confidence: dict[str, float]
    word: tuple[RelationWord, ...]


@dataclass(frozen=True, slots=True)
class KnownName:
    """A listed name, in lower case unless it is `exact`: an exact name means something else in another case."""

    words: tuple[str, ...]
    type: EntityType
    exact: bool


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


@cache
def word_classes() -> Mapping[str, frozenset[str]]:
    """Return the classes that each word belongs to, in angle brackets."""
    members: dict[str, set[str]] = defaultdict(set)
    for form, word in ((form, word) for form, words in relation_words().items() for word in words):
        members["<prepositional>" if word.prepositions else f"<plain_{word.form}>"].add(form)
        if word.form == "verb":
            members["<verb>"].add(form)
            members[f"<{word.relation}_verb>"].add(form)
    table = tomllib.loads(read_lexicon("words.toml"))
    for name, listed in TypeAdapter(dict[str, _Words]).validate_python(table).items():
        for entry in listed:
            members[f"<{name}>"] |= members[entry] if entry[0] == "<" else {entry}
    members["<first_name>"].update(read_lexicon("first_names.txt").casefold().splitlines())
    found: dict[str, set[str]] = defaultdict(set)
    for name, forms in members.items():
        for form in forms:
            found[form].add(name)
    return {word: frozenset(names) for word, names in found.items()}


@cache
def known_names() -> Mapping[str, tuple[KnownName, ...]]:
    """Return the listed names by their first word in lower case, the longest name first."""
    names: dict[str, list[KnownName]] = defaultdict(list)
    for file, kind in _LISTS.items():
        for line in read_lexicon(f"{file}.txt").splitlines():
            short = len(line) < 3 or (line.isupper() and len(line) <= _LONGEST_EXACT)
            exact = short or line.casefold() in _common_words()
            # GNOME is also written as Gnome.
            other = line.capitalize() if line.isupper() and not short else line
            for spelling in {line, other} if exact else {line.casefold()}:
                names[line.casefold().split()[0]].append(KnownName(tuple(spelling.split()), kind, exact))
    return {first: tuple(sorted(found, key=lambda name: -len(name.words))) for first, found in names.items()}


def is_common(word: str) -> bool:
    """Return whether a lower-case word, or its base form, is an ordinary English word; with three hyphens, it is a name."""
    if "-" in word:
        return word.count("-") < 3 and all(is_common(part) for part in word.split("-") if part)
    return word in _common_words() or any(stem in _common_words() for stem in _stems(word))


@cache
def _common_words() -> frozenset[str]:
    nouns = (word for word, classes in word_classes().items() if not classes.isdisjoint({"<noun>", "<work_noun>"}))
    return frozenset(read_lexicon("common.txt").splitlines()).union(nouns)


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
