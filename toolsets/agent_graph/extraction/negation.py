"""Removes what a sentence negates: contrasts, names under a negation, doubted clauses."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from toolsets.agent_graph.extraction.sentence import Reference, Sentence
from toolsets.agent_graph.extraction.tokens import Token

MAX_TO_NAME = 6
"""The most words between a negation and the first name that it denies."""


class _Cut(NamedTuple):
    """Tokens `first` up to `last` are removed; with `bars` a mark in their place stops the rules."""

    first: int
    last: int
    bars: bool


def affirmed(s: Sentence) -> Sentence:
    """Return a sentence without what it denies."""
    tokens: list[Token] = []
    references: dict[int, Reference] = {}
    place = 0
    for cut in (*_cuts(s), _Cut(len(s), len(s), bars=False)):
        shift = len(tokens) - place
        for at in range(place, cut.first):
            if (kept := s.references.get(at)) is not None and kept.first >= place:
                references[at + shift] = replace(kept, first=kept.first + shift, last=kept.last + shift)
        tokens.extend(s.tokens[place : cut.first])
        if cut.bars:
            start = s.tokens[cut.first].start
            tokens.append(Token(";", ";", start, start))
        place = cut.last
    rest = Sentence(s.text, tokens)
    rest.refer(references)
    return rest


def _cuts(s: Sentence) -> Iterator[_Cut]:
    """Yield the denied parts, in order and without overlap."""
    place = behind = 0
    while place < len(s):
        cut = None if place in s.references else _cut_at(s, place)
        if cut is None:
            place += 1
        else:
            yield cut._replace(first=max(cut.first, behind))
            place = behind = cut.last


def _cut_at(s: Sentence, place: int) -> _Cut | None:
    if s.lower(place) == "not" and s.is_a(place + 1, "only"):
        return _Cut(place, place + 2, bars=False)
    if s.fits("denied_clause", place):
        end = place + 1
        while end < len(s) and (end in s.references or not s.is_a(end, "clause_end")):
            end += 1
        return _Cut(place, end, bars=True)
    if s.is_a(place, "nobody") and s.lower(place + 1) != "but":
        joiners = "neither_joiner" if s.lower(place) == "neither" else "denied_joiner"
        last = _names_end(s, place + 1, joiners, acting=True)
        return _Cut(place, last, bars=True) if last else None
    for _, _, behind in s.fitting("contrast", place):
        last = _names_end(s, behind, "denied_joiner", acting=False)
        return _aside(s, place, last) if last else None
    return None


def _names_end(s: Sentence, place: int, joiners: str, *, acting: bool) -> int:
    """Return the place after the names that a word before `place` governs, 0 if it governs none."""
    for at in range(place, place + MAX_TO_NAME):
        if (reference := s.references.get(at)) is not None:
            return s.behind(s.list_after(reference, joiners, acting=acting)[-1])
        if not s.lower(at)[:1].isalpha() or s.is_a(at, "auxiliary", "relative", "subordinator", "joiner"):
            return 0
        noun = at == place or s.is_a(at - 1, "article")
        if not noun and s.is_a(at, "verb", "subject_verb", "negation"):
            return 0
    return 0


def _aside(s: Sentence, first: int, last: int) -> _Cut:
    """Return the cut of a contrast, including the marks and minor words around it: , and not *X* ,"""
    negation = s.lower(first) in {"not", "never"}
    if s.lower(first - 1) == "as" or (negation and s.lower(first - 1) in {"and", "but"}):
        first -= 1
    set_off = s.lower(first - 1) == ","
    closer = "," if set_off or first == 0 else "but" if negation else ""
    closed = closer != "" and s.lower(last) == closer
    return _Cut(first - set_off, last + closed, bars=False)
