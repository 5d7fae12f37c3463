"""Cuts a text into sentences of tokens, in one pass and in linear time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolsets.agent_graph.extraction.words import FUNCTION_WORDS

# Each branch starts with another kind of character and none can fail after its first repetition, so nothing is read twice.
_TOKEN = re.compile(
    r"""
    https?://[^\s<>"')\]]+
    | (?<![\w+#.)])/\w[\w.+-]*(?:/[\w.+-]+)*            # a path
    | \#\d+
    | (?<![\w.])\.[A-Z]\w+                              # .NET
    | ['’]s\b
    | -(?:based|derived|like|powered|compatible|oriented|related|style|driven|specific|aware|only|hosted|backed|led)\b
    | \w+(?:
        (?:[.@\#&] | :: | ['’](?!s\b)
         | -(?!(?:based|derived|like|powered|compatible|oriented|related|style|driven|specific|aware|only|hosted|backed|led)\b))
        \w+)*(?:\+\+[0-9]{0,2}(?!\w)|\+(?![\w+])|\#(?!\w))?
    | [^\w\s]
    """,
    re.VERBOSE,
)
_BREAK = re.compile(
    r"\n[ \t]*(?:\n|[-*•+][ \t]|\#+[ \t]|[=~^*_-]{3})|^(?=[^\n]{1,40}\n[A-Z])[^\n]*\b(?P<line>\w+)$", re.MULTILINE
)
_TITLES = frozenset("mr mrs ms dr prof st mt gen col capt lt sgt rev".split())
_SHORT = frozenset("eg e.g ie i.e cf vs approx no fig inc corp ltd co etc al jr sr dept est".split())
MAX_SENTENCE = 400
"""Tokens; what goes on for longer is no prose, and is read in pieces."""
_LONGEST_SHORT = 4
"""Longer words are hardly cut short, even before a word in lower case."""
_CLOSERS = frozenset("\"”’')]»")
_ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark; `start` and `end` are offsets in the text, `lower` is its case-folded form with straight apostrophes."""

    text: str
    lower: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()

    @property
    def word(self) -> bool:
        """Whether it is a word, not a mark."""
        return self.text[0].isalnum() or self.text[0] == "_"


def tokenise(text: str) -> Iterator[Token]:
    """Yield the tokens of `text` in order."""
    for match in _TOKEN.finditer(text):
        found = match.group()
        yield Token(found, found.casefold().replace("’", "'"), match.start(), match.end())


def sentences(text: str) -> Iterator[list[Token]]:
    """Yield the sentences of `text` in order, each a list of one to `MAX_SENTENCE` tokens."""
    breaks = _breaks(text)
    gap = next(breaks, len(text))
    tokens = list(tokenise(text))
    sentence: list[Token] = []
    for place, token in enumerate(tokens):
        if token.start >= gap:
            if sentence:
                yield sentence
            sentence = []
            while token.start >= gap and gap < len(text):
                gap = next(breaks, len(text))
        sentence.append(token)
        if len(sentence) == MAX_SENTENCE or _ends_sentence(tokens, place, text):
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _breaks(text: str) -> Iterator[int]:
    """Yield where a sentence ends whatever its words say: at empty lines, at bullets, behind headings and lines of a list.

    A line far shorter than prose is wrapped at is one of the latter, unless its last word calls for more.
    """
    for match in _BREAK.finditer(text):
        last = match.group("line")
        if last is None:
            yield match.start()
        elif last.casefold() not in FUNCTION_WORDS:
            yield match.end()


def _ends_sentence(tokens: list[Token], place: int, text: str) -> bool:
    """Say whether a sentence ends after the token at `place`."""
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None:
        return True
    if token.text in _CLOSERS and place and tokens[place - 1].text in _ENDS:
        return _starts_anew(token, following)
    if token.text not in _ENDS or not _starts_anew(token, following):
        return False
    return token.text != "." or place == 0 or not _is_abbreviation(tokens, place - 1, following)


def _starts_anew(token: Token, following: Token) -> bool:
    return following.start > token.end and following.text not in ",;:)"


def _is_abbreviation(tokens: list[Token], place: int, following: Token) -> bool:
    """Say whether the word at `place` wears its full stop as an abbreviation before `following`."""
    word = tokens[place]
    if word.lower in _TITLES or not following.text[0].isalnum():
        return word.lower in _TITLES
    if word.lower in _SHORT:
        return not following.capital or word.lower in {"e.g", "i.e", "eg", "ie", "cf", "vs"}
    before = tokens[place - 1] if place else None
    is_initial = (
        len(word.text) == 1 and word.capital and before is not None and (before.capital or before.lower == "by")
    )
    return (is_initial and following.capital) or (
        not following.capital and following.text.isalpha() and len(word.text) <= _LONGEST_SHORT
    )
