"""Finds the names in a sentence and the type of each: coded, capitalised, listed, and in no dictionary."""

from collections.abc import Iterator, Sequence

from toolsets.agent_graph.extraction.coreference import is_numeronym
from toolsets.agent_graph.extraction.cues import Cue
from toolsets.agent_graph.extraction.lexicon import classes_of, is_common, is_participle, known_names, type_of_noun
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.sentence import GUESS, LISTED, MAX_WALK, Mention, Sentence
from toolsets.agent_graph.extraction.tokens import is_shaped

MAX_WORDS = 8
"""The most words of a name; a longer stretch is read in pieces."""
KNOWN, CUED = 0.95, 0.8
"""Confidences: of a listed name in capitals, a title or a code that its context names; of an undertaking or a bare code."""


def enter_names(s: Sentence) -> None:
    """Enter the names of a sentence, those of which most is known first."""
    for find in (_coded, _capitalised, _listed, _unlisted):
        s.enter(find(s))


def _coded(s: Sentence) -> Iterator[Mention]:
    """Yield tasks (AUTH-142, issue #12) and numbered documents (RFC 1945)."""
    for place, token in enumerate(s.tokens):
        if token.text.isdigit() and s.is_a(place - 1, "document_series"):
            yield s.mention(place - 1, place + 1, "document", KNOWN)
        elif token.text[1:].isdigit() and token.text[0] == "#" and s.is_a(place - 1, "tracker"):
            yield s.mention(place, place + 1, "task", KNOWN)
        elif _is_key(token.text):
            cued = s.fits("task", place, place + 1)
            if cued or not _is_model(s, place):
                yield s.mention(place, place + 1, "task", KNOWN if cued else CUED)


def _is_key(word: str) -> bool:
    prefix, _, number = word.partition("-")
    shaped = number.isascii() and number.isdigit() and 2 <= len(prefix) <= 10 and prefix[0].isalpha()
    return shaped and prefix.isalnum() and prefix.isupper() and "code_prefix" not in classes_of(prefix.casefold())


def _is_model(s: Sentence, place: int) -> bool:
    """Return whether a text in the shape of a task key is more likely a version, a processor or a cipher."""
    prefix, _, number = s.word(place).partition("-")
    listed = any(name.words == (prefix,) for name in known_names().get(prefix.casefold(), ()))
    version = len(number) <= 2 and listed
    return version or not prefix.isalpha() or "bit_width" in classes_of(number) or s.fits("model", place + 1)


def _listed(s: Sentence) -> Iterator[Mention]:
    """Yield listed names among words that belong to no mention yet."""
    behind = 0
    for place in range(len(s)):
        name = s.known_at(place)
        last = place if name is None or name.exact else place + len(name.words)
        if place >= behind and name is not None and last > place and all(map(s.free, range(place, last))):
            yield s.mention(place, last, name.type, LISTED)
            behind = last


def _unlisted(s: Sentence) -> Iterator[Mention]:
    """Yield words in no dictionary at places where names of software stand, and what is listed with them."""
    cued = named = False
    for place in range(len(s)):
        if not s.free(place):
            named = s.type_at(place) in {"technology", "project"}
        elif (
            s.fits("unlisted", place, place + 1)
            or (cued and s.fits("item", place, place + 1))
            or (named and s.fits("unknown_item", place, place + 1))
            or _is_numeronym(s, place)
        ):
            yield s.mention(place, place + 1, "technology", GUESS)
            cued = named = True
        elif not s.is_a(place, "joiner"):
            cued = named = False


def _is_numeronym(s: Sentence, place: int) -> bool:
    """Return whether the word is in parentheses after the name that it abbreviates: Kubernetes (k8s)."""
    named = s.owner[place - 2] if place > 1 and s.word(place - 1) == "(" else None
    return named is not None and is_numeronym(s.word(place), named.name)


def _capitalised(s: Sentence) -> Iterator[Mention]:
    """Yield the capitalised names in order; words that belong to a mention are skipped."""
    behind = 0
    for place in range(len(s)):
        if place >= behind and _begins(s, place):
            behind = _end_of_words(s, place)
            yield from _classify(s, place, behind)


def _begins(s: Sentence, place: int) -> bool:
    """Return whether a name may begin at `place`; a capital due to the start of a sentence needs more evidence."""
    if not s.is_name_word(place):
        return False
    if not s.opens(place) or not is_common(s.lower(place)) or is_shaped(s.word(place)):
        return True
    if s.fits("beginning", place, place + 1):
        return True
    return s.known_at(place) is None and _predicate(s, place + 1) in {"technology", "project"}


def _end_of_words(s: Sentence, first: int) -> int:
    """Return where the name that begins at `first` ends."""
    behind = first
    last = first + 1
    while behind != last and last - first < MAX_WORDS:
        behind = last
        further = (end for _, _, end in s.fitting("within_name", last))
        last = last + 1 if s.is_name_word(last) else next(further, last)
    return last


def _classify(s: Sentence, first: int, last: int) -> Iterator[Mention]:
    """Yield the names in the capitalised tokens `first` up to `last`; nothing if they are no name."""
    if s.is_a(first, "honorific") and last - first > 1:
        start = first
        while start < last - 1 and s.is_a(start, "honorific"):
            start += 2 if s.word(start + 1) == "." else 1
        yield Mention(first, last, s.name(start, last), "person", KNOWN)
    elif s.lower(first) == "project" and last - first > 1 and not _is_tail(s, first + 1):
        yield s.mention(first + 1, last, "project", CUED)
    elif s.fits("person_only", first, last):
        yield s.mention(first, last, "person", KNOWN)
    elif known := _known(s, first, last):
        yield from known
    else:
        yield from _judged(s, first, last)


def _known(s: Sentence, first: int, last: int) -> Sequence[Mention]:
    """Return the listed names that make up the stretch, except for roles and versions; none if it contains more."""
    found: list[Mention] = []
    place = first
    while place < last and (name := s.known_at(place)) is not None and place + len(name.words) <= last:
        end = place + len(name.words)
        kind = _place_or_thing(s, place, end) if name.type == "location" else name.type
        found.append(s.mention(place, end, kind, KNOWN))
        place = end
    if not found or not all(_is_tail(s, rest) for rest in range(place, last)):
        return ()
    if [name.type for name in found] == ["organization", "technology"]:
        return [s.mention(found[0].first, found[1].last, "technology", KNOWN)]
    return [_undertaking(s, found[0], last)] if len(found) == 1 else found


def _place_or_thing(s: Sentence, first: int, last: int) -> EntityType:
    """Return the mention of a name that places share; it is a thing if the sentence says so."""
    said = _predicate(s, last) or type_of_noun(s.lower(first - 1))
    if said in {"technology", "project"}:
        return said
    return "project" if s.fits("no_place", s.past_aside(last)) else "location"


def _is_tail(s: Sentence, place: int) -> bool:
    return s.is_a(place, "role") or s.word(place).removeprefix("v")[:1].isdigit()


def _undertaking(s: Sentence, known: Mention, last: int) -> Mention:
    """Return the project or organisation that a listed name is a part of, else the name: the Kafka migration *project*."""
    if s.is_a(known.last, "project_noun") and known.last < last:
        return Mention(known.first, last, known.name, "project", CUED)
    for cue, before, behind in s.fitting("undertaking", known.first, last):
        if cue.type is None or cue.type == "noun" or cue.type == "predicate":  # noqa: PLR1714 - a set narrows no type
            return known
        first = before + 2 if cue.before else known.first
        end = _end(cue, last, behind)
        whole = (first, end) == (known.first, known.last) or cue.type != "project"
        return Mention(first, end, s.name(first, end), cue.type, CUED, () if whole else (known,))
    return known


def _judged(s: Sentence, first: int, last: int) -> Iterator[Mention]:
    """Yield the names in an unlisted stretch, by the first row of `names.toml` that matches and gives a type."""
    for cue, before, behind in s.fitting("name", first, last):
        kind = type_of_noun(s.lower(before + 1)) if cue.type == "noun" else cue.type
        kind = _predicate(s, last) if kind == "predicate" else kind
        if kind is not None:
            yield s.mention(first, _end(cue, last, behind), kind, cue.confidence)
        if kind is not None or cue.type is None:
            return


def _end(cue: Cue, last: int, behind: int) -> int:
    """Return where a name ends that a cue fits to; the noun that extends it is the last but one of the words in `here`."""
    return last - cue.trim if cue.extend is None else behind - (2 if cue.extend == "before" else 1)


def _predicate(s: Sentence, last: int) -> EntityType | None:
    """Return the type that the sentence gives to the name before `last`: X is a ..., or X, a ..."""
    phrases = s.fitting("predicate", s.past_aside(last))
    return next((_type_of_phrase(s, behind) for _, _, behind in phrases), None)


def _type_of_phrase(s: Sentence, start: int) -> EntityType | None:
    """Return the type of the noun phrase that begins at `start`, judged by its last word."""
    place = start
    while place < start + MAX_WALK and _in_phrase(s, place, start):
        place += 1
    if s.lower(place) == "of" and s.is_a(place - 1, "collective"):
        return _type_of_phrase(s, place + 1)
    return "technology" if s.is_a(place - 1, "derivative") else type_of_noun(s.lower(place - 1))


def _in_phrase(s: Sentence, place: int, start: int) -> bool:
    word = s.lower(place)
    behind_noun = place > start and s.is_a(place - 1, "noun")
    if word == ",":
        return place > start and not behind_noun and s.lower(place + 1)[:1].isalpha()
    if not word[:1].isalnum() or s.is_a(place, "preposition", "relative", "being"):
        return word.startswith("-") and len(word) > 1
    return not (behind_noun and (is_participle(word) or word.endswith("ing")))
