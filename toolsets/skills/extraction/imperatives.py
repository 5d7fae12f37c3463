"""Judges by its shape whether a sentence is an order: a verb in its base form with an object, a place or a direction."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.verbs import IMPERATIVES, is_verb, noun_share, third_person

_LEXICON = lexicon("answers")
_NO_ORDERS = _LEXICON.words("no_order")
_DETERMINERS = _LEXICON.words("determiner")
_OBJECT_PRONOUNS = _LEXICON.words("object_pronoun")
_OTHER_PRONOUNS = _LEXICON.words("other_pronoun")
_PARTICLES = _LEXICON.words("particle")
_PREPOSITIONS = _LEXICON.words("preposition")
_FINITE = _LEXICON.words("finite")
_SUBORDINATORS = _LEXICON.words("subordinator")
_TAKES_CLAUSE = _LEXICON.words("takes_clause")
_TAKES_TWO_OBJECTS = _LEXICON.words("takes_two_objects")
_NEEDS_MORE: Final = frozenset({"do", "don't", "always", "never", "get", "set"})
"""Verbs that are no order with one word after them: "Get well", "Never mind"."""
_ONLY_WORDS: Final = 3
"""The shortest such order, in words."""
_RARELY_A_NOUN: Final = 10
_OFTEN_A_NOUN: Final = 25
_MOSTLY_A_NOUN: Final = 50
"""Percentages of a verb's uses as a noun."""
_READ: Final = 160
"""The number of characters that are read."""
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d[\w.,]*|[^\w\s]|_")
_ENDS_CLAUSE: Final = frozenset(',;:()"“”`–—.!?')


def is_order(text: str) -> bool:
    """Return whether a sentence begins with an imperative, and not with a noun or with a verb that has a subject."""
    tokens = [token.replace("’", "'") for token in _TOKEN.findall(text[:_READ])]
    if not tokens:
        return False
    verb, after = tokens[0].lower(), tokens[1:]
    # "Is there", "May I" and names such as "Click-and-Go" are not verbs of the list.
    if verb in _NO_ORDERS or not is_verb(verb):
        return False
    words = [token for token in after if token[0].isalnum()]
    if verb in _NEEDS_MORE and len(words) < _ONLY_WORDS - 1:
        return False
    if _is_noun(verb, after):
        return False
    if _has_object(verb, after):
        return not _follows_a_compound(verb, words)
    if verb in _TAKES_CLAUSE:
        return True
    if _is_statement(verb, after):
        return False
    return verb in IMPERATIVES or _may_stand_so(verb, after)


def _is_noun(verb: str, after: Sequence[str]) -> bool:
    """Return whether the first word is a noun by its complement: "Use of force", "Access to it is denied"."""
    follower = after[0].lower() if after else ""
    if noun_share(verb) is None or follower not in _PREPOSITIONS | {"of"}:
        return False
    return follower == "of" or (verb in _TAKES_CLAUSE and _has_finite(_first_clause(after)))


def _has_object(verb: str, after: Sequence[str]) -> bool:
    """Return whether a word follows that hardly ever follows a noun: a determiner, a pronoun, a quotation or code."""
    if not after:
        return False
    follower = after[0].lower()
    if follower[0].isdigit():
        return (noun_share(verb) or 0) < _MOSTLY_A_NOUN
    if follower in _OBJECT_PRONOUNS:
        return len(after) < 2 or after[1].lower() not in _FINITE
    return follower in _DETERMINERS or follower in "\"“'`„«*[</~$%@\\" or not follower.isascii()


def _follows_a_compound(verb: str, words: Sequence[str]) -> bool:
    """Return whether what looks like an object is one of a statement: "Level 3 support is closed"."""
    return bool(words) and words[0][0].isdigit() and noun_share(verb) is not None and _has_finite(words[1:])


def _is_statement(verb: str, after: Sequence[str]) -> bool:
    """Return whether the first word is a noun, alone or in a compound, that is the subject of a verb."""
    clause = _first_clause(after)
    if _has_finite(clause):
        return True
    lowered = [token.lower() for token in clause]
    share = noun_share(verb)
    limit = 0 if share is None else _OFTEN_A_NOUN if share >= _MOSTLY_A_NOUN else _RARELY_A_NOUN
    if lowered and _is_predicate(lowered[0], lowered[1:], verb, limit):
        return True
    if share is None or share < _RARELY_A_NOUN:
        return False
    lowered = [word for word in lowered if word.isalpha()]
    if len(lowered) > 1 and _is_predicate(lowered[1], lowered[2:], verb, _OFTEN_A_NOUN):
        return True
    return len(lowered) > 2 and _is_plural(lowered[0]) and _is_plain_predicate(lowered[1], clause[2])


def _first_clause(after: Sequence[str]) -> list[str]:
    """Return the words up to a mark or a word that begins another clause."""
    clause: list[str] = []
    for token in after:
        if token in _ENDS_CLAUSE or token.lower() in _SUBORDINATORS:
            break
        if token[0].isalnum():
            clause.append(token)
    return clause


def _has_finite(words: Sequence[str]) -> bool:
    return any(word.lower() in _FINITE for word in words)


def _is_predicate(word: str, after: Sequence[str], verb: str, limit: int) -> bool:
    """Return whether a word is a verb in the third person with the words before it as its subject, not a noun in the plural.

    It is taken for a noun from `limit` percent of such uses, unless an object follows.
    """
    base = third_person(word)
    if base is None:
        return False
    share = noun_share(base)
    if share is None or share < limit:
        return True
    follower = after[0] if after else ""
    # "Send users the link": a plural before a determiner may be the first of two objects.
    takes_object = follower in _DETERMINERS or follower in _OBJECT_PRONOUNS
    # "Costs 5 EUR", but "pins 1 and 2".
    takes_object = takes_object or (follower[:1].isdigit() and len(after) > 1)
    return takes_object and verb not in _TAKES_TWO_OBJECTS


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def _is_plain_predicate(word: str, follower: str) -> bool:
    """Return whether a word is a verb in its base form: "grow" in "Log files grow without bound"."""
    known = word not in _PARTICLES and word not in _PREPOSITIONS and word not in _NO_ORDERS and is_verb(word)
    takes_object = follower.lower() in _DETERMINERS or follower[0].isdigit()
    return known and (takes_object or (noun_share(word) or 0) < _OFTEN_A_NOUN)


def _may_stand_so(verb: str, after: Sequence[str]) -> bool:
    """Return whether a verb that is no common imperative is one, with a particle, a place, a name or a plain noun after it."""
    share = noun_share(verb)
    if not after or after[0] in ".!":
        return share is None
    follower, rest = after[0], after[1:]
    if follower.lower() in _OTHER_PRONOUNS:
        return False
    if follower.lower() in _PARTICLES:
        return share is None or share < _MOSTLY_A_NOUN or not rest or rest[0].lower() in _DETERMINERS | _PREPOSITIONS
    if follower.lower() in _PREPOSITIONS:
        return share is None or share < _OFTEN_A_NOUN
    if follower[0].isupper():
        return share is None or share < _MOSTLY_A_NOUN
    plain = share is None or share < _OFTEN_A_NOUN
    return follower[0].isalpha() and (plain or (_is_plural(follower) and bool(rest) and rest[0][0].isalnum()))
