"""Finds where a sentence says that two names mean one thing."""

import itertools
import re
from collections.abc import Iterator

from toolsets.agent_graph.extraction.sentence import Mention, Sentence, is_acronym
from toolsets.agent_graph.extraction.words import ARTICLES, HEADS

_BRIDGE = frozenset(
    "also better commonly often previously formerly originally sometimes widely now is was are were who which known or ( , the "
    "for short “ \" ' ‘ simply just".split()
)
_QUOTES = frozenset("“”\"'‘’")
_SMALL = frozenset("of the for and to in on a an".split())
_NUMERONYM = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]?)([A-Za-z]{1,3})")
_BELONGING = frozenset("for on in with under".split())
MAX_BRIDGE = 8


def aliases(sentence: Sentence) -> Iterator[tuple[Mention, Mention]]:
    """Yield pairs (the name, the other name) in order."""
    found = sentence.mentions()
    for earlier, later in itertools.pairwise(found):
        if _said_to_be_known_as(sentence, earlier, later) or _in_parentheses(sentence, earlier, later):
            yield earlier, later


def _said_to_be_known_as(sentence: Sentence, earlier: Mention, later: Mention) -> bool:
    """X, also known as Y; X (aka Y); X, who was known as Y; X, formerly Y."""
    place = sentence.past(later.first - 1, -1, lambda at: sentence.word(at) in _QUOTES or sentence.lower(at) == "the")
    if sentence.lower(place) == "as" and sentence.lower(place - 1) in {"known", "abbreviated"}:
        place -= 2
    elif sentence.lower(place) in {"aka", "a.k.a", "formerly", "née"}:
        place -= 1
    elif sentence.word(place) == "." and sentence.lower(place - 1) == "a.k.a":
        place -= 2
    else:
        return False
    steps = 0
    while (
        place >= earlier.last and (sentence.lower(place) in _BRIDGE or _is_head(sentence, place)) and steps < MAX_BRIDGE
    ):
        place -= 1
        steps += 1
    return place < earlier.last and not _is_doubtful(sentence, earlier, later)


def _is_doubtful(sentence: Sentence, earlier: Mention, later: Mention) -> bool:
    """Say whether a parenthesis may speak of the name before the preposition: Firefox for Debian (aka Iceweasel)."""
    bracket = sentence.past(later.first - 1, -1, lambda at: sentence.word(at) != "(" and at > earlier.last)
    if sentence.word(bracket) != "(":
        return False
    place = sentence.past(earlier.first - 1, -1, lambda at: sentence.lower(at) in ARTICLES)
    before = sentence.past(place - 1, -1, lambda at: _is_head(sentence, at))
    governed = sentence.lower(place) in _BELONGING and before >= 0 and not sentence.free(before)
    return governed and not {*earlier.name.casefold().split()} & {*later.name.casefold().split()}


def _is_head(sentence: Sentence, place: int) -> bool:
    return sentence.lower(place) in HEADS


def _in_parentheses(sentence: Sentence, earlier: Mention, later: Mention) -> bool:
    """X (Y), where one abbreviates the other."""
    place = sentence.past(earlier.last, 1, lambda at: sentence.word(at) in _QUOTES or _is_head(sentence, at))
    if sentence.word(place) != "(":
        return False
    place = sentence.past(
        place + 1, 1, lambda at: sentence.word(at) in _QUOTES or sentence.lower(at) in {"the", "or", "short", "for"}
    )
    if place != later.first:
        return False
    return abbreviates(earlier.name, later.name) or abbreviates(later.name, earlier.name)


def abbreviates(short: str, long: str) -> bool:
    """Say whether `short` is made of the initials of `long`, small words counted or not, or is a numeronym of it."""
    if is_numeronym(short, long):
        return True
    if not is_acronym(short) or len(long) <= len(short):
        return False
    words = long.replace("-", " ").split()
    letters = [character.casefold() for character in short if character.isalpha()]
    initials = [word[0].casefold() for word in words]
    if not initials or letters[0] != initials[0]:
        return False
    needed = [word[0].casefold() for word in words if word.casefold() not in _SMALL]
    return _subsequence(letters, initials) and len(letters) * 3 >= len(needed) * 2


def is_numeronym(short: str, long: str) -> bool:
    """Say whether the digits in `short` count the letters it leaves out of `long`: K8s for Kubernetes."""
    parts = _NUMERONYM.fullmatch(short)
    if parts is None or int(parts[2]) != len(long) - len(parts[1]) - len(parts[3]):
        return False
    whole = long.casefold()
    return whole.startswith(parts[1].casefold()) and whole.endswith(parts[3].casefold())


def _subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(letter in rest for letter in part)
