"""Finds names without capitals: codes of tasks and documents, listed names, and words in no dictionary."""

from collections.abc import Iterator

from toolsets.agent_graph.extraction.coreference import is_numeronym
from toolsets.agent_graph.extraction.lexicon import classes_of
from toolsets.agent_graph.extraction.sentence import Mention, Sentence

CODE, LISTED, KEY, CUED = 0.95, 0.9, 0.8, 0.6
"""Confidences: of a code that its context names, a listed name, the mere shape of a task key, the place of a word."""


def coded_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield tasks (AUTH-142, issue #12) and numbered documents (RFC 1945)."""
    for place, token in enumerate(sentence.tokens):
        if token.text.isdigit() and sentence.is_a(place - 1, "document_series"):
            yield Mention(place - 1, place + 1, sentence.name(place - 1, place + 1), "document", CODE)
        elif token.text[1:].isdigit() and token.text[0] == "#" and sentence.is_a(place - 1, "tracker"):
            yield Mention(place, place + 1, token.text, "task", CODE)
        elif _is_key(token.text):
            told = sentence.fits("task", place, place + 1)
            if told or not _is_model(sentence, place):
                yield Mention(place, place + 1, token.text, "task", CODE if told else KEY)


def _is_key(word: str) -> bool:
    prefix, _, number = word.partition("-")
    shaped = number.isascii() and number.isdigit() and 2 <= len(prefix) <= 10 and prefix[0].isalpha()
    return shaped and prefix.isalnum() and prefix.isupper() and "code_prefix" not in classes_of(prefix.casefold())


def _is_model(sentence: Sentence, place: int) -> bool:
    """Return whether a text in the shape of a task key is more likely a version, a processor or a cipher."""
    prefix, _, number = sentence.word(place).partition("-")
    version = len(number) <= 2 and sentence.is_listed(prefix)
    return version or not prefix.isalpha() or "bit_width" in classes_of(number) or sentence.fits("model", place + 1)


def listed_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield listed names among words that belong to no mention yet."""
    behind = 0
    for place in range(len(sentence)):
        name = sentence.known_at(place)
        last = place if name is None or name.exact else place + len(name.words)
        if place >= behind and name is not None and last > place and all(map(sentence.free, range(place, last))):
            yield Mention(place, last, sentence.name(place, last), name.type, LISTED)
            behind = last


def unlisted_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield words in no dictionary at places where names of software stand, and what is listed with them."""
    cued = named = False
    for place in range(len(sentence)):
        if not sentence.free(place):
            named = sentence.type_at(place) in {"technology", "project"}
        elif (
            sentence.fits("unlisted", place, place + 1)
            or (cued and sentence.fits("item", place, place + 1))
            or (named and sentence.fits("unknown_item", place, place + 1))
            or _is_numeronym(sentence, place)
        ):
            yield Mention(place, place + 1, sentence.word(place), "technology", CUED)
            cued = named = True
        elif not sentence.is_a(place, "joiner"):
            cued = named = False


def _is_numeronym(sentence: Sentence, place: int) -> bool:
    """Return whether the word is in parentheses after the name that it abbreviates: Kubernetes (k8s)."""
    named = sentence.owner[place - 2] if place > 1 and sentence.word(place - 1) == "(" else None
    return named is not None and is_numeronym(sentence.word(place), named.name)
