"""How alike two names are, said by comparing the two: slow, plain, and what looking up must agree with."""

from collections.abc import Iterator

from toolsets.agent_graph.duplicates import fuzzy
from toolsets.agent_graph.duplicates.likeness import (
    ENDING,
    FIRST_LETTER,
    JOINED,
    MIN_ENDING,
    MIN_SLIP,
    MIN_SLIP_WORD,
    MINOR_WORDS,
    MORE_WORDS,
    REORDERED,
    SAME,
    SLIP_COST,
)
from toolsets.agent_graph.duplicates.normal import NormalName, normal


def similarity(one: str, other: str) -> float:
    """Return how alike two names are, in [0, 1]; 1 is the same name in another spelling, 0 unlike.

    Names are alike in their normal forms or by one slip: a letter too many, one other letter, two swapped. Different
    numbers make different names, and so do numbers in another order.
    """
    first, second = normal(one), normal(other)
    if set(fuzzy.features_of(first)).isdisjoint(fuzzy.features_of(second)):
        return likeness(first, second)
    return likeness(first, second) or fuzzy.similarity(first, second)


def likeness(one: NormalName, other: NormalName) -> float:
    """Return how alike two normal forms are; symmetric."""
    if one.words == other.words:
        return SAME
    if one.numbers != other.numbers:
        return 0.0
    if one.joined == other.joined:
        return JOINED
    if sorted(one.words) == sorted(other.words):
        return REORDERED
    short, long = sorted((one, other), key=lambda name: (len(name.joined), name.words))
    found = [
        MINOR_WORDS if one.core == other.core and _worded(one, other) else 0.0,
        ENDING if short.joined in endings(long) else 0.0,
        MORE_WORDS if any(short.words == fewer for fewer in fewer_words(long)) else 0.0,
        _slip(short, long),
    ]
    return max(found)


def _worded(one: NormalName, other: NormalName) -> bool:
    """Say whether a word of substance is left in both."""
    return any(len(word) > 2 and word.isalpha() for word in one.core) and one.core == other.core


def endings(name: NormalName) -> Iterator[str]:
    """Yield what is left of a single long word without its last letter, and without the last two."""
    if len(name.words) == 1 and name.joined.isalpha():
        for cut in (1, 2):
            if len(name.joined) - cut >= MIN_ENDING:
                yield name.joined[:-cut]


def fewer_words(name: NormalName) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name with one left out, numbers aside."""
    if len(name.words) > 1:
        for place, word in enumerate(name.words):
            if not word.isdigit():
                yield name.words[:place] + name.words[place + 1 :]


def without_a_letter(name: NormalName) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name with one letter too few."""
    if len(name.joined) > MIN_SLIP:
        for place, word in enumerate(name.words):
            if len(word) > 3 and not word.isdigit():
                for at in range(len(word)):
                    yield (*name.words[:place], word[:at] + word[at + 1 :], *name.words[place + 1 :])


def swapped(name: NormalName) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name with two neighbouring letters swapped."""
    if len(name.joined) >= MIN_SLIP:
        for place, word in enumerate(name.words):
            if len(word) >= MIN_SLIP_WORD and not word.isdigit():
                for at in range(len(word) - 1):
                    if word[at] != word[at + 1]:
                        turned = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
                        yield (*name.words[:place], turned, *name.words[place + 1 :])


def blanked(name: NormalName) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name with one letter blank; names that share one differ in that letter."""
    if len(name.joined) >= MIN_SLIP:
        for place, word in enumerate(name.words):
            if len(word) >= MIN_SLIP_WORD and not word.isdigit():
                for at in range(len(word)):
                    yield (*name.words[:place], f"{word[:at]}\0{word[at + 1 :]}", *name.words[place + 1 :])


def _slip(short: NormalName, long: NormalName) -> float:
    """Return how alike two names are that differ by one slip; 0 when they differ by more."""
    lengths = len(long.joined) - len(short.joined)
    if lengths > 1 or len(short.words) != len(long.words):
        return 0.0
    if lengths == 1:
        slipped = short.words in without_a_letter(long)
    else:
        slipped = short.words in swapped(long) or not set(blanked(short)).isdisjoint(blanked(long))
    if not slipped:
        return 0.0
    score = round(1 - SLIP_COST / len(long.joined), 4)
    return score if short.joined[0] == long.joined[0] else min(score, FIRST_LETTER)
