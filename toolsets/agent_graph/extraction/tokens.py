"""Cuts a text into sentences of tokens, in one pass and in linear time."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsets.agent_graph.extraction.words import Word, word_of

_SUFFIX = (
    r"-(?:based|derived|like|powered|compatible|oriented|related|style|driven|specific|aware|only|hosted|backed|led)\b"
)
_LONG_GAP = 40
# Each branch starts with a different kind of character and none can fail after its first repetition, so nothing is read twice.
TOKEN = re.compile(
    rf"""
    https?://[^\s<>"')\]]+
    | (?<![\w+#.)])/\w[\w.+-]*(?:/[\w.+-]+)*            # a path
    | \#\d+
    | (?<![\w.])\.[A-Z]\w+                              # .NET
    | ['’]s\b
    | {_SUFFIX}
    | \w+(?:(?:[.@\#&] | :: | ['’](?!s\b) | (?!{_SUFFIX})-)\w+)*(?:\+\+[0-9]{{0,2}}(?!\w)|\+(?![\w+])|\#(?!\w))?
    | [^\w\s]
    | \s{{{_LONG_GAP},}}                                   # else the end of a long one is searched from each of its blanks
    """,
    re.VERBOSE,
)
_BREAK = re.compile(
    r"\n[ \t]*(?:\r?\n|[-*•+][ \t]|\#+[ \t]|[=~^*_-]{3})"
    r"|^(?=[^\r\n]{1,40}\r?\n[A-Z])[^\r\n]*\b(?P<line>\w+)\r?$",
    re.MULTILINE,
)
MAX_SENTENCE = 400
"""The most tokens of a sentence; a longer one is not prose, and is read in pieces."""
_STOPS, _CLOSERS = ".!?", "\"”’')]»"


class Token(NamedTuple):
    """A word or a mark at the characters `start` up to `end` of the text."""

    word: Word
    start: int
    end: int


def sentences(text: str) -> Iterator[list[Token]]:
    """Yield the sentences of `text` in order, each a list of one to `MAX_SENTENCE` tokens."""
    breaks = _breaks(text)
    gap = next(breaks, len(text))
    sentence: list[Token] = []
    for match in TOKEN.finditer(text):
        if (found := match.group()).isspace():
            continue
        token = Token(word_of(found), *match.span())
        if sentence and (token.start >= gap or len(sentence) == MAX_SENTENCE or _is_end(sentence, token)):
            yield sentence
            sentence = []
        while token.start >= gap and gap < len(text):
            gap = next(breaks, len(text))
        sentence.append(token)
    if sentence:
        yield sentence


def _breaks(text: str) -> Iterator[int]:
    """Yield where the layout ends a sentence: at empty lines, at bullets, and after headings and lines of a list.

    A line is a heading or part of a list if it is far shorter than wrapped prose and does not end in a function word.
    """
    for match in _BREAK.finditer(text):
        last = match.group("line")
        if last is None or "<function>" not in word_of(last).features:
            yield match.start() if last is None else match.end()


def _is_end(sentence: Sequence[Token], following: Token) -> bool:
    """Return whether a sentence ends with the tokens so far."""
    last = sentence[-1].word.text
    if last not in _STOPS + _CLOSERS or following.start == sentence[-1].end or following.word.text in ",;:)":
        return False
    if last in _CLOSERS:
        return len(sentence) > 1 and sentence[-2].word.text in _STOPS
    return (
        last != "."
        or len(sentence) == 1
        or not _is_abbreviation([token.word for token in sentence[-3:]], following.word)
    )


def _is_abbreviation(words: Sequence[Word], following: Word) -> bool:
    """Return whether the full stop, which is the last of the two or three `words`, marks an abbreviation."""
    word = words[-2].features
    if "<title>" in word or "[word]" not in following.features:
        return "<title>" in word
    if "[begins_upper]" not in following.features:
        return "<abbreviation>" in word or ("[brief]" in word and "[alpha]" in following.features)
    by_name = len(words) > 2 and not words[-3].features.isdisjoint({"[begins_upper]", "by"})
    return "<abbreviation_of_words>" in word or ("[initial]" in word and by_name)
