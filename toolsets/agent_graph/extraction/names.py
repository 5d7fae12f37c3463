"""Finds the names in a sentence and their types: codes, capitalised and listed names, and unknown words."""

from collections.abc import Iterator, Sequence

from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.sentence import GUESS, LISTED, NameMention, ParsedSentence
from toolsets.agent_graph.extraction.words import type_of_noun

MAX_WORDS = 8
"""The most words of a name; a longer stretch is read in pieces."""
KNOWN = 0.95
"""The confidence of a listed name in capitals, and of a name after a title."""


def enter_names(s: ParsedSentence) -> None:
    """Enter the names of a sentence, the surest kinds first."""
    for find in (_coded, _capitalised, _listed, _unlisted):
        s.enter(find(s))


def _coded(s: ParsedSentence) -> Iterator[NameMention]:
    """Yield tasks (AUTH-142, issue #12) and numbered documents (RFC 1945)."""
    for place in s.places("code"):
        yield from _by_rows(s, "code", place, place + 1)


def _listed(s: ParsedSentence) -> Iterator[NameMention]:
    """Yield listed names that need no capitals; those that overlap a mention are not entered."""
    for place, name in s.known.items():
        if not name.exact:
            yield s.mention(place, place + len(name.words), name.type, LISTED)


def _unlisted(s: ParsedSentence) -> Iterator[NameMention]:
    """Yield words in no dictionary where a name of software is expected, and the words listed with them."""
    found, items = set(s.places("unlisted")), set(s.places("item"))
    listing = False
    for place in range(len(s)):
        if place in found or (listing and place in items):
            yield s.mention(place, place + 1, "technology", GUESS)
            listing = True
        elif place in s.owner or not s.is_a(place, "<joiner>"):
            listing = s.is_a(place, "{technology}", "{project}")


def _capitalised(s: ParsedSentence) -> Iterator[NameMention]:
    """Yield the capitalised names in order; words that belong to a mention are skipped."""
    behind = 0
    for place in s.places("any_name"):
        if place >= behind and _begins(s, place):
            behind = _end_of_words(s, place)
            yield from _classify(s, place, behind)


def _begins(s: ParsedSentence, place: int) -> bool:
    """Return whether a name may begin at `place`; a capital due to the start of a sentence needs more evidence."""
    if not s.is_a(place, "[name_word]"):
        return s.fits("small_word_name", place, place + 1)
    if s.is_a(place, "[shaped]") or not (s.is_a(place, "[common]") and s.fits("opening", place)):
        return True
    stated = None if place in s.known else _predicate(s, place + 1)
    return stated in {"technology", "project"} or s.fits("beginning", place, place + 1)


def _end_of_words(s: ParsedSentence, first: int) -> int:
    """Return where the name that begins at `first` ends."""
    last, behind = first, first + 1
    while last != behind and behind - first < MAX_WORDS:
        last = behind
        further = (end for _, _, end in s.fitting("within_name", last))
        behind = last + 1 if s.is_a(last, "[name_word]") else next(further, last)
    return behind


def _classify(s: ParsedSentence, first: int, last: int) -> Sequence[NameMention]:
    """Return the names in the capitalised tokens `first` up to `last`; nothing if they are not a name."""
    start = s.past(first, 1, "<honorific>", ".")
    if first < start < last:
        return [NameMention(first, last, s.name(start, last), "person", KNOWN)]
    return _by_rows(s, "sure_name", first, last) or _known(s, first, last) or _by_rows(s, "name", first, last)


def _known(s: ParsedSentence, first: int, last: int) -> Sequence[NameMention]:
    """Return the listed names that make up the stretch, except for roles and versions; none if it contains anything else."""
    found: list[NameMention] = []
    place = first
    while place < last and (name := s.known.get(place)) is not None and place + len(name.words) <= last:
        found.append(s.mention(place, place + len(name.words), name.type, KNOWN))
        place = found[-1].last
    return found if all(s.is_a(rest, "<role>", "[version_tail]") for rest in range(place, last)) else ()


def _by_rows(s: ParsedSentence, rows: str, first: int, last: int) -> Sequence[NameMention]:
    """Return the name in a stretch of words, by the first of `rows` in `names.toml` that matches and gives a type."""
    for cue, before, behind in s.fitting(rows, first, last):
        kind = type_of_noun(s.features[before + 1]) if cue.type == "noun" else cue.type
        kind = _predicate(s, last) if kind == "predicate" else kind
        if kind is not None:
            start, end = first + cue.skip, last - cue.trim
            if cue.extend == "back":
                start = before + 2
            elif cue.extend is not None:
                # The noun that extends the name is the last but one of the words in `here`.
                end = behind - (2 if cue.extend == "before" else 1)
            parts = _known(s, first, last) if cue.parts and (start, end) != (first, last) else ()
            return [NameMention(start, end, s.name(start, end), kind, cue.confidence, tuple(parts))]
        if cue.type is None:
            return ()
    return ()


def _predicate(s: ParsedSentence, last: int) -> EntityType | None:
    """Return the type that the sentence gives to the name before `last`: X is a ..., or X, a ..."""
    for _, _, behind in s.fitting("predicate", s.past_aside(last)):
        return "technology" if s.is_a(behind - 1, "<derivative>") else type_of_noun(s.features[behind - 1])
    return None
