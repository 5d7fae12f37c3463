"""Judges what a capitalised stretch of a sentence names, and how sure that is."""

from collections.abc import Iterator

from toolsets.agent_graph.extraction.context import (
    head_after,
    introduction_type,
    is_agent,
    place_or_thing,
    predicate_type,
    type_of_head,
)
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.patterns import VERBS
from toolsets.agent_graph.extraction.runs import GENERATIONS, acts_like_a_person
from toolsets.agent_graph.extraction.sentence import Mention, Sentence, is_acronym, is_shaped
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    AUXILIARIES,
    BEING,
    COMPANY_HEADS,
    CONJUNCTIONS,
    DOCUMENT_HEADS,
    HEADS,
    HONORIFICS,
    LIVES,
    ORGANISATION_HEADS,
    PERSON_HEADS,
    PLACE_HEADS,
    PROJECT_HEADS,
    ROLE_TAILS,
    SPEAKS,
    SUBJECT_VERBS,
    TECHNOLOGY_HEADS,
    WORK_HEADS,
)

KNOWN, TITLED, PERSON, TOLD, NAMED, SHAPED, GUESSED, DARING = 0.95, 0.95, 0.9, 0.8, 0.8, 0.65, 0.5, 0.4
"""How sure: a listed name, an honorific, a first name, the words around, a word within, its shape, its place, a mere capital."""


_PROGRAMS = frozenset("program programs".split())
"""Behind the name of a technology, something written in it."""
_MEMBERS = frozenset("member members employee employees".split())


def read_run(sentence: Sentence, first: int, last: int) -> Iterator[Mention]:
    """Yield what the capitalised tokens `first` up to `last` name; nothing when they are no name."""
    if sentence.lower(first) in HONORIFICS and last - first > 1:
        start = _behind_honorifics(sentence, first, last)
        yield Mention(first, last, sentence.name(start, last), "person", TITLED)
        return
    if sentence.lower(first) == "project" and last - first > 1 and not _is_tail(sentence, first + 1):
        yield _mention(sentence, first + 1, last, "project", NAMED)
        return
    if last - first == 1 and _is_persons(sentence, first):
        yield _mention(sentence, first, last, "person", KNOWN)
        return
    if (known := _known(sentence, first, last)) is not None:
        yield from known
        return
    if (found := _judged(sentence, first, last)) is not None:
        yield found


def _is_persons(sentence: Sentence, place: int) -> bool:
    """Say whether a first name that is a listed name too stands where only a person can: *Julia* leads."""
    behind = place + 2 if sentence.word(place + 1) == "," else place + 1
    verb, particle = sentence.lower(behind), sentence.lower(behind + 1)
    lives = (verb in LIVES and particle != "to") or (verb in {"works", "worked"} and particle in {"at", "for"})
    known = sentence.lexicon.known_at(sentence.tokens, place)
    return lives and known is not None and known.type == "technology" and _is_first_name(sentence, place)


def _is_first_name(sentence: Sentence, place: int) -> bool:
    """Say whether a first name stands at `place`, both parts of one that has two with a capital: Anne-Marie."""
    parts = sentence.word(place).split("-")
    return sentence.lexicon.is_first_name(sentence.lower(place)) and all(part[:1].isupper() for part in parts)


def _behind_honorifics(sentence: Sentence, first: int, last: int) -> int:
    place = first
    while place < last - 1 and sentence.lower(place) in HONORIFICS:
        place += 2 if sentence.word(place + 1) == "." else 1
    return place


def _mention(sentence: Sentence, first: int, last: int, kind: EntityType, confidence: float) -> Mention:
    return Mention(first, last, sentence.name(first, last), kind, confidence)


def _known(sentence: Sentence, first: int, last: int) -> list[Mention] | None:
    """Return the listed names that the stretch consists of, roles and versions aside; None when it is more."""
    found: list[Mention] = []
    place = first
    while place < last:
        name = sentence.lexicon.known_at(sentence.tokens, place)
        if name is None or place + len(name.words) > last:
            break
        end = place + len(name.words)
        kind = (place_or_thing(sentence, place, end) if name.type == "location" else None) or name.type
        found.append(_mention(sentence, place, end, kind, KNOWN))
        place = found[-1].last
    if not found or not all(_is_tail(sentence, rest) for rest in range(place, last)):
        return None
    if _is_forename(sentence, found[0], last):
        return None
    if [name.type for name in found] == ["organization", "technology"]:
        return [_mention(sentence, found[0].first, found[1].last, "technology", KNOWN)]
    if len(found) == 1 and (undertaking := _undertaking(sentence, found[0], last)) is not None:
        return [undertaking]
    return found


def _is_tail(sentence: Sentence, place: int) -> bool:
    return sentence.lower(place) in ROLE_TAILS or sentence.word(place).removeprefix("v")[:1].isdigit()


def _is_forename(sentence: Sentence, known: Mention, last: int) -> bool:
    return (
        known.last < last
        and known.last - known.first == 1
        and sentence.lower(known.first) in sentence.lexicon.first_names
    )


def _undertaking(sentence: Sentence, known: Mention, last: int) -> Mention | None:
    """Return the project that a listed name is a part of: the GNU *project*, the Kafka migration *project*."""
    if sentence.lower(last) in _PROGRAMS:
        return None
    if sentence.lower(known.last) in PROJECT_HEADS and known.last < last:
        return Mention(known.first, known.last, known.name, "project", NAMED)
    if sentence.lower(last) in ORGANISATION_HEADS and sentence.free(last):
        return _mention(sentence, known.first, last + 1, "organization", TOLD)
    head = head_after(sentence, last)
    if head is None or head[0] not in PROJECT_HEADS or head[0].endswith("s"):
        return _migration(sentence, known)
    if head[1] == known.last:
        return Mention(known.first, known.last, known.name, "project", NAMED)
    name = sentence.name(known.first, head[1])
    return Mention(known.first, head[1], name, "project", NAMED, inner=(known,))


def _migration(sentence: Sentence, known: Mention) -> Mention | None:
    """Return the undertaking to do something with what is known: the Kafka migration, the migration to Kafka."""
    work = known.first - 2
    named = sentence.lower(work) in WORK_HEADS and sentence.lower(work - 1) in ARTICLES
    if sentence.lower(known.first - 1) in {"to", "of"} and named:
        name = sentence.name(work, known.last)
        return Mention(work, known.last, name, "project", TOLD, inner=(known,))
    if sentence.lower(known.last) not in WORK_HEADS or not sentence.free(known.last):
        return None
    name = sentence.name(known.first, known.last + 1)
    return Mention(known.first, known.last + 1, name, "project", TOLD, inner=(known,))


def _judged(sentence: Sentence, first: int, last: int) -> Mention | None:
    """Return what an unlisted stretch names, by the first of the signs that speaks."""
    for sign in (
        _by_case,
        _by_last_word,
        _by_first_name,
        _by_noun_behind,
        _by_surroundings,
        _by_shape,
        _by_pair,
        _by_position,
    ):
        found = sign(sentence, first, last)
        if found is not None:
            return found if found.confidence > 0 else None
    return None


def _nothing(first: int, last: int) -> Mention:
    """Return the judgement that a stretch names nothing."""
    return Mention(first, last, "", "concept", 0)


def _by_case(sentence: Sentence, first: int, last: int) -> Mention | None:
    """Several ordinary words in capitals are a heading or stressed, and name nothing."""
    words = [place for place in range(first, last) if sentence.word(place)[1:].isalpha()]
    if last - first < 2 or not words or not all(sentence.word(place).isupper() for place in words):
        return None
    ordinary = [place for place in words if sentence.common(place) or sentence.function_word(place)]
    stressed = len(ordinary) == len(words) or (len(words) > 2 and ordinary)
    return _nothing(first, last) if stressed else None


def _by_last_word(sentence: Sentence, first: int, last: int) -> Mention | None:
    tail = sentence.lower(last - 1)
    if last - first < 2:
        return None
    if sentence.lower(first) in ORGANISATION_HEADS and "for" in (sentence.lower(place) for place in range(first, last)):
        return _mention(sentence, first, last, "organization", NAMED)
    if tail in PROJECT_HEADS or tail in COMPANY_HEADS - ORGANISATION_HEADS:
        kind: EntityType = "project" if tail in PROJECT_HEADS else "organization"
        return _mention(sentence, first, last - 1, kind, NAMED)
    if tail in ORGANISATION_HEADS:
        return _mention(sentence, first, last, "organization", NAMED)
    if tail in DOCUMENT_HEADS:
        return _mention(sentence, first, last, "document", NAMED)
    if tail in PERSON_HEADS | {head + "s" for head in PERSON_HEADS}:
        return _nothing(first, last)
    if tail in TECHNOLOGY_HEADS | PLACE_HEADS:
        kind = "location" if tail in PLACE_HEADS else "technology"
        return _mention(sentence, first, last, kind, NAMED)
    return None


def _by_first_name(sentence: Sentence, first: int, last: int) -> Mention | None:
    if last - first == 1 and sentence.lower(first) in sentence.persons:
        return _mention(sentence, first, last, "person", NAMED)
    if not _is_first_name(sentence, first) or not _is_plain(sentence, first, last):
        return None
    if last - first == 1:
        ordinary = sentence.common(first)
        known = sentence.lexicon.known_at(sentence.tokens, first) is not None
        if known or (ordinary and not acts_like_a_person(sentence, first)):
            return None
        return _mention(sentence, first, last, "person", SHAPED if ordinary else NAMED)
    if not (sentence.common(first) and sentence.common(last - 1)):
        return _mention(sentence, first, last, "person", PERSON)
    if sentence.opens(first) and not acts_like_a_person(sentence, last - 1):
        return None
    return _mention(sentence, first, last, "person", SHAPED)


def _is_plain(sentence: Sentence, first: int, last: int) -> bool:
    """Say whether the words are written like a person's: no digits, no capitals inside, no acronyms."""
    words = [sentence.word(place) for place in range(first, last)]
    return len([word for word in words if word[0].isalpha() and word not in GENERATIONS]) <= 4 and all(
        word in {".", ","}
        or len(word) == 1
        or (not is_acronym(word) and not any(c.isdigit() for c in word) and "#" not in word)
        for word in words
    )


def _by_noun_behind(sentence: Sentence, first: int, last: int) -> Mention | None:
    head = head_after(sentence, last)
    if head is None:
        return None
    if (
        first == 1
        and sentence.common(0)
        and sentence.capital(0)
        and sentence.common(first)
        and not sentence.function_word(0)
    ):
        return _nothing(first, last)
    word, place = head
    kind = type_of_head(word)
    if kind is None:
        return None
    if kind == "organization" and word not in COMPANY_HEADS and place == last:
        return _mention(sentence, first, last + 1, kind, TOLD)
    if kind == "project" and sentence.lower(first - 1) in {"a", "an", "another", "any"}:
        return _nothing(first, last)
    if kind == "project" and place > last:
        return Mention(first, place, sentence.name(first, place), kind, TOLD)
    return _mention(sentence, first, last, kind, TOLD)


def _by_surroundings(sentence: Sentence, first: int, last: int) -> Mention | None:
    kind = introduction_type(sentence, first) or predicate_type(sentence, last)
    if kind is not None:
        return _mention(sentence, first, last, kind, TOLD)
    if is_agent(sentence, first):
        pair = last - first in {2, 3} and _is_plain(sentence, first, last) and not sentence.common(last - 1)
        return _mention(sentence, first, last, "person" if pair else "organization", SHAPED)
    if sentence.lower(last) in SPEAKS and last - first == 1 and not sentence.common(first):
        return _mention(sentence, first, last, "person", SHAPED)
    return None


def _by_shape(sentence: Sentence, first: int, last: int) -> Mention | None:
    word = sentence.word(first)
    if last - first == 1 and (is_shaped(word) or (is_acronym(word) and not sentence.common(first))):
        return _mention(sentence, first, last, "technology", SHAPED)
    return None


def _by_pair(sentence: Sentence, first: int, last: int) -> Mention | None:
    if last - first not in {2, 3} or not _is_plain(sentence, first, last):
        return None
    if any(sentence.common(place) or is_shaped(sentence.word(place)) for place in range(first, last)):
        return None
    if any(sentence.lexicon.known_at(sentence.tokens, place) is not None for place in range(first, last)):
        return None
    return _mention(sentence, first, last, "person", GUESSED)


def _by_position(sentence: Sentence, first: int, last: int) -> Mention | None:
    if len(sentence.name(first, last)) == 1 or (last - first == 1 and sentence.lower(first) in HONORIFICS):
        return _nothing(first, last)
    if all(sentence.common(place) for place in range(first, last)) and not _is_defined(sentence, last):
        plain = last - first == 1 and len(sentence.word(first)) > 1 and _is_subject(sentence, first)
        if plain or _is_object(sentence, first, last):
            return _mention(sentence, first, last, "technology", DARING)
        return _nothing(first, last)
    if last - first == 1 and sentence.opens(first) and not _is_told_of(sentence, last):
        return _nothing(first, last)
    kind: EntityType = "organization" if _has_members(sentence, first) else "technology"
    return _mention(sentence, first, last, kind, GUESSED)


def _has_members(sentence: Sentence, first: int) -> bool:
    """Say whether somebody is said to be one of those who make up what is named: a member of *X*, an employee of *X*."""
    place = sentence.past(first - 1, -1, lambda at: sentence.lower(at) in ARTICLES)
    return sentence.lower(place) == "of" and sentence.lower(place - 1) in _MEMBERS


def _is_told_of(sentence: Sentence, last: int) -> bool:
    """Say whether the word before `last`, whose capital may be owed to its place, is followed as names are."""
    behind = sentence.lower(last)
    return (
        not behind[:1].isalpha()
        or behind in SUBJECT_VERBS
        or behind in VERBS
        or behind in AUXILIARIES
        or behind in CONJUNCTIONS
        or (behind.endswith("s") and behind not in HEADS)
    )


def _is_subject(sentence: Sentence, place: int) -> bool:
    """Say whether an ordinary word with a capital, where nothing else calls for one, is what the clause is about."""
    if sentence.opens(place) or sentence.function_word(place - 1) or is_acronym(sentence.word(place)):
        return False
    behind = place + 1 if sentence.word(place + 1) == "," else place
    word = sentence.lower(behind + 1)
    return word in SUBJECT_VERBS or word in VERBS or word in BEING


def _is_object(sentence: Sentence, first: int, last: int) -> bool:
    """Say whether something is done to ordinary words with capitals in running text: created *Mercury*, works on *Blue Moon*."""
    before = first - 1
    joined = sentence.lower(before) in {"and", "or", ","}
    if joined and not sentence.free(before - 1) and before > 0:
        owner = sentence.owner[before - 1]
        return owner is not None and owner.confidence == DARING and _ends_phrase(sentence, last)
    if not sentence.word(before).islower() or is_acronym(sentence.word(first)) or not _ends_phrase(sentence, last):
        return False
    verbs = VERBS.get(sentence.lower(before), ())
    guided = VERBS.get(sentence.lower(before - 1), ())
    return any(not verb.prepositions for verb in verbs) or any(
        sentence.lower(before) in verb.prepositions and verb.relation in {"WORKS_ON", "DEPENDS_ON"} for verb in guided
    )


def _ends_phrase(sentence: Sentence, last: int) -> bool:
    """Say whether the noun phrase ends before `last`, so that the words there do not describe another noun."""
    behind = sentence.lower(last)
    return not behind.isalpha() or sentence.function_word(last) or behind in VERBS


def _is_defined(sentence: Sentence, last: int) -> bool:
    """Say whether an abbreviation of the name follows in parentheses."""
    place = last + 1 if sentence.word(last) in {"”", '"'} else last
    return sentence.word(place) == "(" and is_acronym(sentence.word(place + 1)) and sentence.word(place + 2) == ")"
