"""Removes what a sentence negates: contrasts, names under a negation, doubted clauses."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from toolsets.agent_graph.extraction.sentence import ParsedSentence
from toolsets.agent_graph.extraction.tokens import Token
from toolsets.agent_graph.extraction.words import word_of

MAX_TO_NAME = 6
"""The most words between a negation and the first name that it negates."""


class _Cut(NamedTuple):
    """The tokens `first` up to `last`, to be removed; if `bars`, a semicolon replaces them, beyond which no rule looks."""

    first: int
    last: int
    bars: bool


def without_negated_parts(s: ParsedSentence) -> ParsedSentence:
    """Return the sentence without the parts that it negates."""
    cuts = list(_cuts(s))
    if not cuts:
        return s
    tokens: list[Token] = []
    moved: dict[int, int] = {}
    place = 0
    for cut in (*cuts, _Cut(len(s), len(s), bars=False)):
        for at in range(place, cut.first):
            moved[at] = len(tokens)
            tokens.append(s.tokens[at])
        tokens.extend([Token(word_of(";"), 0, 0)] * cut.bars)
        place = cut.last
    rest = ParsedSentence(s.text, tokens)
    kept = ((at, name) for at, name in s.references.items() if name.first in moved and name.last - 1 in moved)
    rest.refer({moved[at]: replace(name, first=moved[name.first], last=moved[name.last - 1] + 1) for at, name in kept})
    return rest


def _cuts(s: ParsedSentence) -> Iterator[_Cut]:
    """Yield the negated parts, in order and without overlap."""
    behind = 0
    for place in s.places("denial"):
        cut = _cut_at(s, place) if place >= behind and place not in s.references else None
        if cut is not None:
            yield cut._replace(first=max(cut.first, behind))
            behind = cut.last


def _cut_at(s: ParsedSentence, place: int) -> _Cut | None:
    if s.fits("denied_clause", place):
        end = place + 1
        while end < len(s) and not s.is_a(end, "<clause_end>"):
            end += 1
        return _Cut(place, end, bars=True)
    if s.is_a(place, "<nobody>") and not s.is_a(place + 1, "but"):
        joiners = "<neither_joiner>" if s.is_a(place, "neither") else "<denied_joiner>"
        last = _names_end(s, place + 1, joiners, acting=True)
        return _Cut(place, last, bars=True) if last else None
    for _, _, behind in s.fitting("contrast", place):
        last = _names_end(s, behind, "<denied_joiner>", acting=False)
        return _contrast(s, place, last) if last else None
    return None


def _names_end(s: ParsedSentence, place: int, joiners: str, *, acting: bool) -> int:
    """Return the place after the names that a word before `place` governs, 0 if it governs none."""
    for at in range(place, place + MAX_TO_NAME):
        if (reference := s.references.get(at)) is not None:
            return s.behind(s.list_after(reference, joiners, acting=acting)[-1])
        if not s.is_a(at, "[word]") or s.is_a(at, "<auxiliary>", "<relative>", "<subordinator>", "<joiner>"):
            return 0
    return 0


def _contrast(s: ParsedSentence, first: int, last: int) -> _Cut:
    """Return the cut of a contrast, including the marks and minor words around it: , and not *X* ,"""
    negation = s.is_a(first, "not", "never")
    if negation and s.is_a(first - 1, "and", "but"):
        first -= 1
    set_off = s.is_a(first - 1, ",")
    closer = "," if set_off or first == 0 else "but" if negation else ""
    return _Cut(first - set_off, last + s.is_a(last, closer), bars=False)
