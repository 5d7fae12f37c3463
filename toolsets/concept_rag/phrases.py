"""Finds noun phrases, which are the candidate concepts, in the blocks of a document."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from toolsets.concept_rag.languages import ENGLISH, Languages, languages_of
from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.words import DETERMINERS, FUNCTION_WORDS, word

MAX_WORDS: Final = 4
"""The most words of a phrase; longer terms are rarer than errors of that length."""
_LONGEST_RUN: Final = 8
"""The most words between two breaks that form one phrase; a longer run is a list of keywords."""
_LONGEST_WORD: Final = 40
"""The most letters of a word."""
_WINDOW: Final = 100_000
"""Characters read at a time; real paragraphs are shorter, and a hostile one must not exhaust memory."""
_REMEMBERED: Final = 100_000
_TOKEN: Final = re.compile(r"[^\W_]\w*(?:[-'’][^\W_]\w*)*(?:\+\+|[+#](?!\w))?|[^\w\s]")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
MOST_PHRASES: Final = 200_000
"""The most phrases counted at a time, about 100 MB; a book of 300 pages has 30,000."""
_FEWEST_WORDS: Final = 8
_UNFAMILIAR: Final = 0.75
"""A paragraph with a larger share of English words is not examined for its language."""
_WHOLE: Final = 1.0
_AT_AN_END: Final = 0.6
_INSIDE: Final = 0.3
"""The weights of a phrase on its own, at the beginning or end of a longer phrase, and inside one."""


@dataclass(frozen=True, slots=True)
class GenericWords:
    """Words that are not concepts on their own."""

    nouns: frozenset[str]
    openers: frozenset[str]
    """Adjectives with which no term begins."""


@cache
def generic_words() -> GenericWords:
    """Return the words of the list beside this module; it is read once."""
    lines = (files("toolsets.concept_rag") / "data" / "generic_words.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return GenericWords(
        frozenset(parts[0] for parts in words if len(parts) == 1),
        frozenset(parts[0] for parts in words if len(parts) > 1),
    )


@dataclass(slots=True)
class Phrases:
    """The phrases of a document by their normal form."""

    counts: dict[str, float] = field(default_factory=dict[str, float])
    first: dict[str, int] = field(default_factory=dict[str, int])
    """The number of words before the first occurrence."""
    capitals: Counter[str] = field(default_factory=Counter[str])
    """Occurrences with a capital after the first letter of a word: acronyms and product names."""
    spellings: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    """Counts of each phrase's spellings, outside headings if possible."""
    in_headings: Counter[str] = field(default_factory=Counter[str])
    words: int = 0
    known: int = 0
    """The number of English words among `words`."""
    languages: Languages = ENGLISH


@dataclass(frozen=True, slots=True)
class _Part:
    """A word of a text: as written, in normal form, and its possible roles in a phrase."""

    text: str
    key: str
    known: bool
    """Whether it is English."""
    joins: bool = False
    """Whether it may be part of a phrase."""
    noun: bool = False
    gerund: bool = False
    """Whether it is a gerund that may end a phrase of several words, such as "entity linking"."""
    opener: bool = False
    capital: bool = False
    verb: bool = False
    """Whether it is mainly a verb: before an article, or with an -s between nouns, a verb ends a phrase."""
    determiner: bool = False


def phrases_of(texts: Iterable[tuple[str, bool]]) -> Phrases:
    """Return the phrases of texts, in order; the flag of each text is whether it is a heading."""
    given = list(texts)
    found = Phrases(languages=languages_of([text for text, _ in given]))
    for text, is_heading in given:
        for start in range(0, len(text), _WINDOW):
            words, known = found.words, found.known
            runs = list(_runs(text[start : start + _WINDOW], found))
            if _is_foreign(text, found.words - words, found.known - known, found):
                continue
            for place, run in runs:
                _count(run, place, found, is_heading=is_heading)
            if len(found.counts) > MOST_PHRASES:
                _drop_rare(found)
    return found


def _is_foreign(text: str, words: int, known: int, found: Phrases) -> bool:
    """Return whether a paragraph of an English text is in another language, so that its phrases are no terms."""
    if found.languages.prevail or words < _FEWEST_WORDS or known > _UNFAMILIAR * words:
        return False
    return languages_of([text]).prevail


def _drop_rare(found: Phrases) -> None:
    """Drop phrases that occurred once; if that is not enough, raise the threshold."""
    floor = _WHOLE
    while len(found.counts) > MOST_PHRASES // 2:
        for key in [key for key, count in found.counts.items() if count <= floor]:
            for table in (found.counts, found.first, found.capitals, found.spellings, found.in_headings):
                table.pop(key, None)
        floor *= 2


def _runs(text: str, found: Phrases) -> Iterator[tuple[int, list[_Part]]]:
    """Yield each run of words that may form a phrase, with the number of words before the run."""
    run: list[_Part] = []
    foreign = found.languages.function_words
    for token in _TOKEN.findall(text):
        part = _parts[token] if len(token) <= _LONGEST_WORD else None
        if part is not None:
            found.words += 1
            found.known += part.known
            if part.joins and not (foreign and token.casefold() in foreign):
                run.append(part)
                continue
        if run:
            is_object = part is not None and part.determiner
            yield from _without_verbs(run, found.words - len(run) - (part is not None), before_object=is_object)
            run = []
    if run:
        yield from _without_verbs(run, found.words - len(run), before_object=False)


def _without_verbs(run: list[_Part], place: int, *, before_object: bool) -> Iterator[tuple[int, list[_Part]]]:
    """Yield the runs left after splitting at verbs, as in "the ventricle pumps blood" and "the node set the rhythm"."""
    start = 0
    for number, part in enumerate(run):
        if not part.verb or number == start or not run[number - 1].noun:
            continue
        is_last = number == len(run) - 1
        if before_object if is_last else part.text.endswith("s") and part.key != part.text:
            yield place + start, run[start:number]
            start = number + 1
    if start < len(run):
        yield place + start, run[start:]


class _Parts(dict[str, "_Part | None"]):
    """A cache of words as parts of phrases; None for other tokens."""

    def __missing__(self, token: str) -> "_Part | None":
        part = _part(token) if token[0].isalnum() else None
        if len(self) >= _REMEMBERED:
            self.clear()
        self[token] = part
        return part


_parts: Final = _Parts()


def _part(token: str) -> _Part:
    text = _POSSESSIVE.sub("", token)
    lower = text.lower()
    found = word(lower)
    if len(lower) < 2 or lower in FUNCTION_WORDS or not lower[0].isalpha():
        return _Part(text, "", found.known, determiner=lower in DETERMINERS)
    tag = found.tag
    if tag == "other" and "-" in lower:
        tag = word(lower.rpartition("-")[2]).tag
    return _Part(
        text,
        " ".join(words_of(text)),
        found.known,
        joins=tag != "other",
        noun=tag == "noun",
        gerund=tag == "participle" and lower.endswith("ing"),
        opener=lower in generic_words().openers,
        capital=text[1:] != text[1:].lower(),
        verb=found.verb and text == lower,
    )


def _count(run: list[_Part], place: int, found: Phrases, *, is_heading: bool) -> None:
    while run and not (run[-1].noun or (run[-1].gerund and len(run) > 1)):
        run = run[:-1]
    while run and run[0].opener:
        run = run[1:]
        place += 1
    if not run or len(run) > _LONGEST_RUN:
        return
    for start, opening in enumerate(run):
        if opening.opener:
            continue
        for end in range(start + 1, min(start + MAX_WORDS, len(run)) + 1):
            if run[end - 1].noun or (run[end - 1].gerund and end - start > 1 and end == len(run)):
                share = _WHOLE if end - start == len(run) else _AT_AN_END if start == 0 or end == len(run) else _INSIDE
                _add(run[start:end], place + start, share, found, is_heading=is_heading)


def _add(parts: list[_Part], place: int, share: float, found: Phrases, *, is_heading: bool) -> None:
    key = parts[0].key if len(parts) == 1 else " ".join([part.key for part in parts])
    if key not in found.counts:
        found.counts[key] = 0
        found.first[key] = place
        found.spellings[key] = Counter()
    found.counts[key] += share
    if is_heading:
        found.in_headings[key] += 1
        return
    found.spellings[key][" ".join([part.text for part in parts])] += 1
    found.capitals[key] += any(part.capital for part in parts)
