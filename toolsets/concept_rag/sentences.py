"""Splits text into sentences and lines of code, and long ones into pieces, in linear time."""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]
"""Start and end offset in the text; neither begins nor ends with white space."""

# A run of marks matches only from its first mark, and the groups are possessive, so no text is read twice.
_END: Final = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]]*+(?=\s)   # marks, closing characters, and a space
      | [。！？]["'”’»)\]」』）]*+                # the marks of scripts without spaces after them
      | \n[^\S\n]*+\n                           # an empty line""",
    re.VERBOSE,
)
_LINE: Final = re.compile(r"\S[^\n]*")
_SPACE: Final = re.compile(r"\s*")
_LAST_WORD: Final = 24
"""The number of characters before a full stop that are examined."""
_NEVER_LAST: Final = frozenset(
    "mr mrs ms dr prof st mt rev hon gen col capt lt sgt e.g i.e eg ie cf vs viz ca approx resp esp incl".split()
)
_BEFORE_NUMBERS: Final = frozenset(
    """
    no nos fig figs eq eqs ch chap chs sec secs sect vol vols p pp art tab ex def thm ver v ed eds pt app para
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)
_NEW_SENTENCE: Final = frozenset(
    "the this that these those it he she we they you i in on at if when while for to as a an but and so however".split()
)
_CUT: Final = re.compile(r"[;:,.)\]}—–]\s+|\s+")
_CHARACTERS_PER_TOKEN: Final = 8
"""More characters than an average token of prose or code has, so that the first window holds a whole piece."""


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of `text[start:end]` in order.

    A full stop after an abbreviation, an initial or a list number, or before a lower-case letter, does not end a
    sentence.
    """
    first = _skip_space(text, start, end)
    for match in _END.finditer(text, start, end):
        if match.start() <= first:
            continue  # inside skipped white space, or a mark without words
        if match.group()[0] in "\n。！？" or _ends(text, first, match.start(), match.end(), end):
            stop = match.start() if match.group()[0] == "\n" else match.end()
            yield first, stop
            first = _skip_space(text, match.end(), end)
    if first < end:
        yield first, end - (len(text[first:end]) - len(text[first:end].rstrip()))


def lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the lines of `text[start:end]` in order, without empty lines and without indentation."""
    for match in _LINE.finditer(text, start, end):
        yield match.start(), match.start() + len(match.group().rstrip())


def pieces(text: str, span: Span, limit: int, count_tokens: Callable[[str], int]) -> Iterator[Span]:
    """Yield the pieces of a span, each of at most `limit` tokens, cut after punctuation, else between words, else anywhere."""
    start, end = span
    window = float(limit * _CHARACTERS_PER_TOKEN)
    while start < end:
        stop = min(end, start + max(1, int(window)))
        while (tokens := count_tokens(text[start:stop])) > limit and stop > start + 1:
            # A little less than the share that fits, because tokens are unevenly spread; at least one character.
            guess = start + max(1, int((stop - start) * limit / tokens * 0.97))
            stop = _cut_before(text, start, min(guess, stop - 1))
        if stop < end:
            stop = _cut_before(text, start, stop)
        yield start, start + len(text[start:stop].rstrip())
        window = min(1.2 * limit * (stop - start) / max(1, tokens), limit * _CHARACTERS_PER_TOKEN)
        start = _skip_space(text, stop, end)


def _cut_before(text: str, start: int, stop: int) -> int:
    """Return the last good cut in the second half of `text[start:stop]`, else `stop`."""
    middle = (start + stop) // 2
    best = stop
    for match in _CUT.finditer(text, middle, stop + 1):
        if match.end() <= stop:
            best = match.end()
    return best


def _skip_space(text: str, start: int, end: int) -> int:
    match = _SPACE.match(text, start, end)
    return match.end() if match else start


def _ends(text: str, first: int, mark: int, close: int, end: int) -> bool:
    """Return whether the mark at `mark` ends the sentence that begins at `first`."""
    following = _skip_space(text, close, end)
    if following >= end:
        return True
    if text[following].islower():
        return False
    if text[mark] != "." or close - mark > 1:
        return True
    before = text[max(first, mark - _LAST_WORD) : mark].split()
    last = before[-1].lstrip("([\"'“‘") if before else ""
    if mark - len(last) <= first and last.isalnum() and (last.isdigit() or len(last) == 1):
        return False
    return not _is_abbreviation(last, text[following : following + _LAST_WORD])


def _is_abbreviation(last: str, following: str) -> bool:
    """Return whether the full stop after `last` marks an abbreviation; `following` is the text after it."""
    folded = last.casefold()
    if folded in _NEVER_LAST:
        return True
    if folded in _BEFORE_NUMBERS:
        return following[0].isdigit() or following[0] in "(["
    is_initial = len(last) == 1 and last.isupper() and last != "I"
    is_acronym = (
        len(last) > 2 and "." in last and last.replace(".", "").isalpha() and len(last.rsplit(".", maxsplit=1)[-1]) == 1
    )
    if is_initial or is_acronym:
        return following.split(maxsplit=1)[0].casefold().strip("'’,") not in _NEW_SENTENCE
    return False
