"""Recognises texts in other languages than English by their function words."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.words import FUNCTION_WORDS

_SEVERAL: Final = 20
"""A text with this many different function words uses the language; English text has some by chance: "die", "son"."""
_DIFFERENT: Final = 4
_SHARE: Final = 0.12
"""The least number of different function words of a language, and their least share of the words, in a text that uses it."""
_SAMPLE: Final = 40_000
"""The number of characters by which the languages of a text are recognised, spread over the text."""
_PIECE: Final = 400
"""Characters of one text, so that the sample comes from many places."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = "\u036f"
_LETTERS_PER_WORD: Final = 2
"""Text in other scripts, such as Chinese, may have no spaces between its words."""
_OTHER_SCRIPT: Final = 0.3
"""The least share of letters after the Latin ones in a text of another script."""


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages other than English that a text uses."""

    function_words: frozenset[str] = frozenset()
    """Their function words in lower case, without those that English has, too."""
    prevail: bool = False
    """Whether the text has more function words of one of them than of English."""


ENGLISH: Final = Languages()


@cache
def _function_words() -> tuple[frozenset[str], ...]:
    """Return the function words of each language other than English in lower case; they are read once."""
    text = (files("toolsets.concept_rag") / "data" / "function_words.txt").read_text(encoding="utf-8")
    return tuple(frozenset(line.split()[1:]) for line in text.splitlines() if not line.startswith("#"))


@cache
def _keys() -> tuple[frozenset[str], ...]:
    """Return the same words in the normal form of concepts."""
    return tuple(frozenset(" ".join(words_of(each)) for each in words) for words in _function_words())


@cache
def any_function_word() -> frozenset[str]:
    """Return the function words of all languages in the normal form of concepts."""
    return frozenset[str]().union(*_keys())


def foreign_function_words(keys: Collection[str]) -> frozenset[str]:
    """Return the function words of the languages other than English that the phrases with these keys use.

    The words are in normal form. Used languages have 20 of their words among the keys, so this also finds the language of
    a small part of a long text.
    """
    found = [words for words in _keys() if sum(each in keys for each in words) >= _SEVERAL]
    return frozenset[str]().union(*found)


def languages_of(texts: Sequence[str]) -> Languages:
    """Return the languages of a text by the share of their function words in it; a text of one sentence is enough."""
    words = Counter(_sample(texts))
    total = words.total()
    english = sum(count for word, count in words.items() if word in FUNCTION_WORDS)
    used: list[frozenset[str]] = []
    most = 0
    for each in _function_words():
        counts = [words[word] for word in each if word in words and word not in FUNCTION_WORDS]
        if len(counts) >= _DIFFERENT and sum(counts) >= _SHARE * total:
            used.append(each)
            most = max(most, sum(counts))
    return Languages(frozenset[str]().union(*used) - FUNCTION_WORDS, prevail=most > english)


def is_other_script(text: str) -> bool:
    """Return whether a good part of a text's letters are not Latin."""
    letters = sum(map(str.isalpha, text))
    return letters > 0 and sum(letter > _LATIN and letter.isalpha() for letter in text) >= _OTHER_SCRIPT * letters


def _sample(texts: Sequence[str]) -> Iterable[str]:
    step = max(1, len(texts) * _PIECE // _SAMPLE)
    for text in texts[::step]:
        for word in _WORD.findall(text[:_PIECE]):
            yield word.casefold()


def word_count(text: str) -> int:
    """Return about how many words a text has, also in a script without spaces."""
    return max(len(text.split()), sum(letter > _LATIN for letter in text) // _LETTERS_PER_WORD)
