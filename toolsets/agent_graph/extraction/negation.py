"""Removes what a sentence negates: contrasts, names under a negation, doubted clauses."""

from collections.abc import Iterator
from typing import NamedTuple

from toolsets.agent_graph.extraction.coreference import Reference
from toolsets.agent_graph.extraction.phrases import Phrases
from toolsets.agent_graph.extraction.tokens import Token

MAX_TO_NAME = 6
"""The most words between a negation and the first name that it denies."""


class _Cut(NamedTuple):
    """Tokens `first` up to `last` are removed; with `bars` a mark in their place stops the rules."""

    first: int
    last: int
    bars: bool


def affirmed(phrases: Phrases) -> tuple[list[Token], dict[int, Reference]]:
    """Return the tokens and references of a sentence without what it denies."""
    tokens: list[Token] = []
    references: dict[int, Reference] = {}
    place = 0
    for cut in (*_cuts(phrases), _Cut(len(phrases), len(phrases), bars=False)):
        shift = len(tokens) - place
        for at in range(place, cut.first):
            if (kept := phrases.references.get(at)) is not None and kept.first >= place:
                references[at + shift] = Reference(kept.first + shift, kept.last + shift, kept.referent, kept.certainty)
        tokens.extend(phrases.tokens[place : cut.first])
        if cut.bars:
            start = phrases.tokens[cut.first].start
            tokens.append(Token(";", ";", start, start))
        place = cut.last
    return tokens, references


def _cuts(phrases: Phrases) -> Iterator[_Cut]:
    """Yield the denied parts, in order and without overlap."""
    place = behind = 0
    while place < len(phrases):
        cut = None if place in phrases.references else _cut_at(phrases, place)
        if cut is None:
            place += 1
        else:
            yield cut._replace(first=max(cut.first, behind))
            place = behind = cut.last


def _cut_at(phrases: Phrases, place: int) -> _Cut | None:
    if phrases.lower(place) == "not" and phrases.is_a(place + 1, "only"):
        return _Cut(place, place + 2, bars=False)
    if phrases.fits("denied_clause", place):
        end = place + 1
        while end < len(phrases) and (end in phrases.references or not phrases.is_a(end, "clause_end")):
            end += 1
        return _Cut(place, end, bars=True)
    if phrases.is_a(place, "nobody") and phrases.lower(place + 1) != "but":
        joiners = "neither_joiner" if phrases.lower(place) == "neither" else "denied_joiner"
        last = _names_end(phrases, place + 1, joiners, acting=True)
        return _Cut(place, last, bars=True) if last else None
    for _, _, behind in phrases.fitting("contrast", place):
        last = _names_end(phrases, behind, "denied_joiner", acting=False)
        return _aside(phrases, place, last) if last else None
    return None


def _names_end(phrases: Phrases, place: int, joiners: str, *, acting: bool) -> int:
    """Return the place after the names that a word before `place` governs, 0 if it governs none."""
    for at in range(place, place + MAX_TO_NAME):
        if (reference := phrases.references.get(at)) is not None:
            return phrases.behind(phrases.list_after(reference, joiners, acting=acting)[-1])
        if not phrases.lower(at)[:1].isalpha() or phrases.is_a(at, "auxiliary", "relative", "subordinator", "joiner"):
            return 0
        noun = at == place or phrases.is_a(at - 1, "article")
        if not noun and phrases.is_a(at, "verb", "subject_verb", "negation"):
            return 0
    return 0


def _aside(phrases: Phrases, first: int, last: int) -> _Cut:
    """Return the cut of a contrast, including the marks and minor words around it: , and not *X* ,"""
    negation = phrases.lower(first) in {"not", "never"}
    if phrases.lower(first - 1) == "as" or (negation and phrases.lower(first - 1) in {"and", "but"}):
        first -= 1
    set_off = phrases.lower(first - 1) == ","
    closer = "," if set_off or first == 0 else "but" if negation else ""
    closed = closer != "" and phrases.lower(last) == closer
    return _Cut(first - set_off, last + closed, bars=False)
