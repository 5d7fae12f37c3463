"""Whether a text layer has readable words; kept separate because its thresholds were measured on garbled pages."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from toolsets.concept_rag.ingestion.pdf.lines import segments
from toolsets.concept_rag.ingestion.pdf.words import PdfWord

_SYMBOLS: Final = frozenset("!\"#$%&'()*+,/:;<=>?@[\\]^_{|}~")
"""Full stops and dashes are left out: they lead to the page numbers of a table of contents."""
_LEADERS: Final = ".…·-–—•"
_MIN_WORDS: Final = 40
"""On a page with fewer words the share of symbols says nothing about its font."""
_MIN_SHARE: Final = 0.35
"""The least share of words without a letter or digit: 0.37 to 0.68 on unreadable pages, up to 0.32 on pages of formulas."""
_FIRST: Final = frozenset("!\"#$%&'")
"""The first codes of printed characters, which stand for the first letters of a subset of a font; few are in formulas."""
_MIN_FIRST: Final = 4
"""A garbled font uses the first codes for different letters; formulae and code use few of these signs."""
_DINGBATS: Final = re.compile(r"(?:\w|[\u2600-\u27bf])+")
"""A run of letters and dingbats."""
_DINGBAT: Final = re.compile("[\u2600-\u27bf]")
_MIN_DINGBATS: Final = 10
"""An alphabet of dingbats has more; reviews, check lists and sets of cards use few of them."""
_MIN_LETTERS: Final = 5
"""The fewest characters in whole words of a readable line."""
_MIN_READABLE: Final = 0.6
"""The least share of a readable line's characters that are in words of three letters or more."""


def is_garbled(texts: Iterable[str]) -> bool:
    """Return whether the words of a page, without those of listings, are symbols or have dingbats for a large part.

    They do if a font does not say which letters its characters are.
    """
    words = list(texts)
    if _is_in_dingbats(words):
        return True
    symbols = [word for word in words if word[0] in _SYMBOLS and _SYMBOLS.issuperset(word)]
    if len(symbols) < _MIN_SHARE * _MIN_WORDS:  # as on most pages
        return False
    others = sum(bool(word.strip(_LEADERS)) for word in words)
    many = others >= _MIN_WORDS and len(symbols) >= _MIN_SHARE * others
    return many and len(_FIRST.intersection("".join(symbols))) >= _MIN_FIRST


def _is_in_dingbats(words: Sequence[str]) -> bool:
    """Return whether many words have dingbats in place of letters: "r❡♣r❡s❡♥t❛t✐♦♥s"."""
    others = [word for word in words if not word.isascii() and _DINGBAT.search(word)]
    if len(words) < _MIN_WORDS or len(others) < _MIN_SHARE * len(words):  # as on most pages
        return False
    spelled = [word for word in others if any(len(run) > 1 for run in _DINGBATS.findall(word))]
    used = set(_DINGBAT.findall("".join(spelled)))
    return len(used) >= _MIN_DINGBATS and len(spelled) >= _MIN_SHARE * len(words)


def readable(words: Sequence[PdfWord]) -> list[PdfWord]:
    """Return the words of those lines of a garbled page that are set in another font, such as headings and labels."""
    kept = {id(word) for part in segments(words) if _is_readable(part.words) for word in part.words}
    return [word for word in words if id(word) in kept]


def _is_readable(words: Sequence[PdfWord]) -> bool:
    whole = sum(len(word.text) for word in words if _is_whole(word.text))
    return whole >= max(_MIN_READABLE * sum(len(word.text) for word in words), _MIN_LETTERS)


def _is_whole(text: str) -> bool:
    """Return whether a word has three letters, not all the same, and at most two other characters."""
    return sum(map(str.isalpha, text)) >= max(3, len(text) - 2) and len(set(text)) > 1
