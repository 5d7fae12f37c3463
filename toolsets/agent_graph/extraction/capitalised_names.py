"""Finds capitalised names: the stretches of a sentence that look like names, and the type of each."""

from collections.abc import Iterator, Sequence

from toolsets.agent_graph.extraction.lexicon import Cue, type_of_noun
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.sentence import Mention, Sentence
from toolsets.agent_graph.extraction.tokens import is_shaped

MAX_WORDS = 8
"""The most words of a name; a longer stretch is read in pieces."""
KNOWN, TOLD = 0.95, 0.8
"""Confidences: of a listed name or a title, and of an undertaking."""


def capitalised_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield the capitalised names in order; words that belong to a mention are skipped."""
    behind = 0
    for place in range(len(sentence)):
        if place >= behind and _begins(sentence, place):
            behind = _end_of_words(sentence, place)
            yield from _classify(sentence, place, behind)


def _begins(sentence: Sentence, place: int) -> bool:
    """Return whether a name may begin at `place`; a capital due to the start of a sentence needs more evidence."""
    if not sentence.is_name_word(place):
        return False
    if not sentence.opens(place) or not sentence.common(place) or is_shaped(sentence.word(place)):
        return True
    if sentence.fits("beginning", place, place + 1):
        return True
    return sentence.known_at(place) is None and sentence.predicate(place + 1) in {"technology", "project"}


def _end_of_words(sentence: Sentence, first: int) -> int:
    """Return where the name that begins at `first` ends."""
    behind = first
    last = first + 1
    while behind != last and last - first < MAX_WORDS:
        behind = last
        further = (end for _, _, end in sentence.fitting("within_name", last))
        last = last + 1 if sentence.is_name_word(last) else next(further, last)
    return last


def _classify(sentence: Sentence, first: int, last: int) -> Iterator[Mention]:
    """Yield the names in the capitalised tokens `first` up to `last`; nothing if they are no name."""
    if sentence.is_a(first, "honorific") and last - first > 1:
        start = first
        while start < last - 1 and sentence.is_a(start, "honorific"):
            start += 2 if sentence.word(start + 1) == "." else 1
        yield Mention(first, last, sentence.name(start, last), "person", KNOWN)
    elif sentence.lower(first) == "project" and last - first > 1 and not _is_tail(sentence, first + 1):
        yield _mention(sentence, first + 1, last, "project", TOLD)
    elif sentence.fits("person_only", first, last):
        yield _mention(sentence, first, last, "person", KNOWN)
    elif known := _known(sentence, first, last):
        yield from known
    else:
        yield from _judged(sentence, first, last)


def _mention(sentence: Sentence, first: int, last: int, kind: EntityType, confidence: float) -> Mention:
    return Mention(first, last, sentence.name(first, last), kind, confidence)


def _known(sentence: Sentence, first: int, last: int) -> Sequence[Mention]:
    """Return the listed names that make up the stretch, except for roles and versions; none if it contains more."""
    found: list[Mention] = []
    place = first
    while place < last and (name := sentence.known_at(place)) is not None and place + len(name.words) <= last:
        end = place + len(name.words)
        kind = _place_or_thing(sentence, place, end) if name.type == "location" else name.type
        found.append(_mention(sentence, place, end, kind, KNOWN))
        place = end
    if not found or not all(_is_tail(sentence, rest) for rest in range(place, last)):
        return ()
    if [name.type for name in found] == ["organization", "technology"]:
        return [_mention(sentence, found[0].first, found[1].last, "technology", KNOWN)]
    return [_undertaking(sentence, found[0], last)] if len(found) == 1 else found


def _place_or_thing(sentence: Sentence, first: int, last: int) -> EntityType:
    """Return the mention of a name that places share; it is a thing if the sentence says so."""
    said = sentence.predicate(last) or type_of_noun(sentence.lower(first - 1))
    if said in {"technology", "project"}:
        return said
    return "project" if sentence.fits("no_place", sentence.past_aside(last)) else "location"


def _is_tail(sentence: Sentence, place: int) -> bool:
    return sentence.is_a(place, "role") or sentence.word(place).removeprefix("v")[:1].isdigit()


def _undertaking(sentence: Sentence, known: Mention, last: int) -> Mention:
    """Return the project or organisation that a listed name is a part of, else the name: the Kafka migration *project*."""
    if sentence.is_a(known.last, "project_noun") and known.last < last:
        return Mention(known.first, last, known.name, "project", TOLD)
    for cue, before, behind in sentence.fitting("undertaking", known.first, last):
        if cue.type is None or cue.type == "noun" or cue.type == "predicate":  # noqa: PLR1714 - a set narrows no type
            return known
        first = before + 2 if cue.before else known.first
        end = _end(cue, last, behind)
        whole = (first, end) == (known.first, known.last) or cue.type != "project"
        return Mention(first, end, sentence.name(first, end), cue.type, TOLD, () if whole else (known,))
    return known


def _judged(sentence: Sentence, first: int, last: int) -> Iterator[Mention]:
    """Yield the names in an unlisted stretch, by the first row of `names.toml` that matches and gives a type."""
    for cue, before, behind in sentence.fitting("name", first, last):
        if cue.type == "noun":
            kind = type_of_noun(sentence.lower(before + 1))
        else:
            kind = sentence.predicate(last) if cue.type == "predicate" else cue.type
        if kind is not None:
            yield _mention(sentence, first, _end(cue, last, behind), kind, cue.confidence)
        if kind is not None or cue.type is None:
            return


def _end(cue: Cue, last: int, behind: int) -> int:
    """Return where a name ends that a cue fits to; the noun that extends it is the last but one of the words in `here`."""
    return last - cue.trim if cue.extend is None else behind - (2 if cue.extend == "before" else 1)
