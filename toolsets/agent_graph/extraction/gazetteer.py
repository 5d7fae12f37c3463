"""The listed names and ordinary words, from the text files of the folder `lexicon`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from toolsets.agent_graph.extraction.lexicon import classes_of, read_lexicon
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.tokens import Token, tokenise

_LISTS: Mapping[str, EntityType] = {"places": "location", "organizations": "organization", "technologies": "technology"}
_LONGEST_EXACT = 4
"""Names in capitals up to this length are words in another case: US and us."""
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "or", "ly", "ness", "able")


@dataclass(frozen=True, slots=True)
class KnownName:
    """A listed name: its words as written there, and whether it means something else in another case."""

    words: tuple[str, ...]
    type: EntityType
    exact: bool

    def is_at(self, tokens: Sequence[Token], place: int) -> bool:
        """Return whether the name stands at `place`; a long name in capitals may also be written like Gnome."""
        here = tokens[place : place + len(self.words)]
        if len(here) == len(self.words) and self.exact:
            longer = [
                word.capitalize() if len(word) > _LONGEST_EXACT and word.isupper() else word for word in self.words
            ]
            return all(token.text in pair for token, *pair in zip(here, self.words, longer, strict=True))
        return [token.lower for token in here] == [word.casefold() for word in self.words]


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(read_lexicon(f"{name}.txt").casefold().splitlines())


@cache
def known_names() -> Mapping[str, tuple[KnownName, ...]]:
    """Return the listed names by their first word in lower case, the longest name first."""
    names: dict[str, list[KnownName]] = {}
    for file, kind in _LISTS.items():
        for line in read_lexicon(f"{file}.txt").splitlines():
            words = tuple(token.text for token in tokenise(line))
            exact = _is_word(line.casefold()) or len(line) < 3 or (line.isupper() and len(line) <= _LONGEST_EXACT)
            names.setdefault(words[0].casefold(), []).append(KnownName(words, kind, exact))
    return {first: tuple(sorted(found, key=lambda name: -len(name.words))) for first, found in names.items()}


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
