"""What the words around a name say that it is."""

from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.extraction.patterns import VERBS, is_participle
from toolsets.agent_graph.extraction.sentence import Sentence
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    BEING,
    COMPANY_HEADS,
    DOCUMENT_HEADS,
    HEADS,
    HONORIFICS,
    ORGANISATION_HEADS,
    PERSON_HEADS,
    PREPOSITIONS,
    PROJECT_HEADS,
    RELATIVES,
    TECHNOLOGY_HEADS,
)

MAX_ASIDE = 14
_COLLECTIVES = frozenset("set suite collection family range series kind type piece bunch".split())
_DERIVATIVES = frozenset("fork clone port rewrite replacement alternative".split())
_STATES = frozenset("is are was were".split())
_DONE_TO_SOFTWARE = frozenset(
    "owned maintained written developed implemented released rewritten refactored patched".split()
)
_DONE_BY_ACTORS = frozenset({"CREATED", "WORKS_ON", "OWNS", "MODIFIED"})
_BEFORE_A_PREDICATE = frozenset("also now then still currently both one".split())
_BEFORE_A_NAME = frozenset("the a an “ \" '".split())
_BETWEEN = BEING | frozenset("has have also now still currently mostly entirely fully jointly originally".split())
_ASKED_OF_SOFTWARE = frozenset("depends depend relies rely".split())


def after_aside(sentence: Sentence, place: int) -> int:
    """Return the place behind a parenthesis or a ", also known as ...," that stands at `place`; else `place`."""
    opener = sentence.word(place)
    if opener == "(":
        closers = {")"}
    elif (opener == "," and (sentence.lower(place + 1) in {"also", "better", "aka", "formerly", "who", "which"})) or (
        opener == "," and is_participle(sentence.lower(place + 1)) and sentence.lower(place + 2) == "by"
    ):
        closers = {","}
    else:
        return place
    for end in range(place + 1, min(len(sentence), place + MAX_ASIDE)):
        if sentence.word(end) in closers:
            return end + 1
    return place


def head_after(sentence: Sentence, last: int) -> tuple[str, int] | None:
    """Return the noun, and its place, that says what the name before `last` is: the Xapian search *engine*."""
    place = after_aside(sentence, last) if sentence.word(last) == "(" else last
    for ahead in range(place, min(place + 4, len(sentence))):
        word = sentence.lower(ahead)
        token = sentence.tokens[ahead]
        if not token.word or token.capital or not sentence.free(ahead) or sentence.function_word(ahead):
            return None
        if word in HEADS and word not in PERSON_HEADS:
            return (word, ahead) if not _goes_on(sentence, ahead) else None
        if word in VERBS or word in PERSON_HEADS:
            return None
    return None


def _goes_on(sentence: Sentence, place: int) -> bool:
    """Say whether the noun at `place` is itself a part of a longer one that ends in a person: project leader."""
    return sentence.lower(place + 1) in PERSON_HEADS


def type_of_head(word: str) -> EntityType | None:
    """Return what a noun says of the name before or after it."""
    if word in TECHNOLOGY_HEADS:
        return "technology"
    if word in DOCUMENT_HEADS:
        return "document"
    if word in PROJECT_HEADS:
        return "project"
    if word in ORGANISATION_HEADS | COMPANY_HEADS:
        return "organization"
    return "person" if word in PERSON_HEADS else None


def predicate_type(sentence: Sentence, last: int) -> EntityType | None:
    """Return what the sentence says that the name before `last` is: X is a ..., or X, a ..."""
    place = after_aside(sentence, last)
    if sentence.lower(place) in _STATES:
        place = sentence.past(place + 1, 1, lambda at: sentence.lower(at) in _BEFORE_A_PREDICATE)
        if sentence.lower(place) not in ARTICLES:
            return None
    elif not (sentence.word(place) == "," and sentence.lower(place + 1) in {"a", "an", "the", "our"}):
        return None
    return _type_of_phrase(sentence, place + 1)


def _type_of_phrase(sentence: Sentence, place: int) -> EntityType | None:
    """Return what the noun phrase that begins at `place` names, judged by its last word."""
    head = ""
    end = min(len(sentence), place + 12)
    while place < end:
        word = sentence.lower(place)
        if word == "of" and head in _COLLECTIVES:
            return _type_of_phrase(sentence, place + 1)
        if word in PREPOSITIONS or word in RELATIVES or word in BEING or not _in_phrase(sentence, place, head):
            break
        head = word
        place += 1
    return "technology" if head in _DERIVATIVES else type_of_head(head)


def _in_phrase(sentence: Sentence, place: int, head: str) -> bool:
    token = sentence.tokens[place]
    if token.text == "," and head:
        return sentence.lower(place - 1) not in HEADS and sentence.lower(place + 1)[:1].isalpha()
    if not token.word:
        return token.text.startswith("-") and len(token.text) > 1
    return not (head in HEADS and (is_participle(token.lower) or token.lower.endswith("ing")))


def place_or_thing(sentence: Sentence, first: int, last: int) -> EntityType | None:
    """Return what a name that places bear names when the sentence says that it is no place; else None."""
    said = predicate_type(sentence, last) or (type_of_head(sentence.lower(first - 1)) if first else None)
    if said in {"technology", "project"}:
        return said
    place = sentence.past(after_aside(sentence, last), 1, lambda at: sentence.lower(at) in _BETWEEN)
    done = place > last and sentence.lower(place) in _DONE_TO_SOFTWARE
    asked = sentence.lower(place) in _ASKED_OF_SOFTWARE and sentence.lower(place + 1) in {"on", "upon"}
    return "project" if done or asked else None


def introduction_type(sentence: Sentence, first: int) -> EntityType | None:
    """Return what the words before the name at `first` say that it is: the package X, at X, developed by X."""
    place = sentence.past(first - 1, -1, lambda at: sentence.lower(at) in _BEFORE_A_NAME)
    word = sentence.lower(place)
    if word in {"called", "named"}:
        return type_of_head(sentence.lower(place - 1))
    if place == first - 1 and word in HEADS:
        return type_of_head(word)
    if word == "at" or (word == "for" and _works_near(sentence, place)):
        return "organization"
    if word in {"joined", "acquired", "acquires"} or (word in {"from", "of"} and _is_person(sentence, place - 1)):
        return "organization"
    return None


def _is_person(sentence: Sentence, place: int) -> bool:
    owner = sentence.owner[place] if 0 <= place < len(sentence) else None
    return owner is not None and owner.type == "person"


def _works_near(sentence: Sentence, place: int) -> bool:
    return sentence.lower(place - 1) in {"work", "works", "worked", "working", "managing", "employed"}


def _is_of_code(word: str) -> bool:
    """Say whether a word is written as only names within programs are: CGI::Fast, CGI.pm."""
    return "::" in word or "_" in word or word.endswith((".pm", ".js", ".py", ".rb", ".el"))


def is_agent(sentence: Sentence, first: int) -> bool:
    """Say whether somebody did something named before: developed by X."""
    if sentence.lower(first) in HONORIFICS or _is_of_code(sentence.word(first)):
        return False
    place = sentence.past(first - 1, -1, lambda at: sentence.lower(at) in ARTICLES)
    before = sentence.lower(place - 1)
    makes = any(verb.relation in _DONE_BY_ACTORS for verb in VERBS.get(before, ()))
    return sentence.lower(place) == "by" and makes and is_participle(before)
