"""Letters of words that are written from right to left, in the order in which they are read."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import bidirectional, combining

from toolsets.concept_rag.ingestion.pdf.geometry import Box, around

RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Hebrew, Arabic and the other scripts that are written from right to left."""
_SPACE: Final = 0.12
"""In multiples of the size: the least space between two words; the letters of a word touch, or nearly so."""
_SIGNS: Final = "[\u0591-\u05bd\u05bf\u064b-\u065f\u0670]"
"""Vowels of Hebrew and Arabic."""
_DISPLACED: Final = re.compile(f"^({_SIGNS}+)(.)|([^\\w\\s\u0591-\u05bd\u05bf\u064b-\u065f\u0670]+)({_SIGNS}+)")
"""Vowels before their letter, or after the point that follows it."""
_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "AN"})


class ReadWord(NamedTuple):
    """The text of a word and its box."""

    text: str
    box: Box


def words_as_read(letters: str, boxes: Sequence[Box], size: float) -> list[ReadWord]:
    """Return the words, in the order of reading, of `letters` that stand in their boxes from left to right.

    A vowel sign stands before its letter, and comes after it when read. The result is [] if the letters are signs only, and
    one word if they are in order already, or some of them are not written from right to left.
    """
    if all(map(combining, letters)):
        return []
    if any(bidirectional(char) in _LEFT_TO_RIGHT for char in letters):
        return [ReadWord(letters, around(boxes))]
    # Points and brackets of a word may run in the other direction.
    bases = [box for char, box in zip(letters, boxes, strict=True) if RIGHT_TO_LEFT.match(char) and not combining(char)]
    steps = [after.x0 - before.x0 for before, after in pairwise(bases)]
    if sum(step > 0 for step in steps) <= len(steps) / 2:
        return [ReadWord(_with_signs_placed(letters), around(boxes))]
    words: list[list[int]] = []
    left = 0.0
    for place in reversed(range(len(letters))):
        is_sign, box = combining(letters[place]) != 0, boxes[place]
        if not words or (not is_sign and left - box.x1 > _SPACE * size):
            words.append([])
        words[-1].append(place)
        left = left if is_sign and len(words[-1]) > 1 else box.x0
    texts = ("".join(letters[place] for place in word) for word in words)
    return [
        ReadWord(_with_signs_placed(text), around(boxes[place] for place in word))
        for text, word in zip(texts, words, strict=True)
    ]


def _with_signs_placed(text: str) -> str:
    return _DISPLACED.sub(lambda match: f"{match[2] or match[4]}{match[1] or match[3]}", text)
