"""Cuts a text into sentences of tokens, in one pass and in linear time."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from toolsets.agent_graph.extraction.cues import Edges, edges_of
from toolsets.agent_graph.extraction.lexicon import classes_of

_SUFFIX = (
    r"-(?:based|derived|like|powered|compatible|oriented|related|style|driven|specific|aware|only|hosted|backed|led)\b"
)
# Each branch starts with another kind of character and none can fail after its first repetition, so nothing is read twice.
_TOKEN = re.compile(
    rf"""
    https?://[^\s<>"')\]]+
    | (?<![\w+#.)])/\w[\w.+-]*(?:/[\w.+-]+)*            # a path
    | \#\d+
    | (?<![\w.])\.[A-Z]\w+                              # .NET
    | ['’]s\b
    | {_SUFFIX}
    | \w+(?:(?:[.@\#&] | :: | ['’](?!s\b) | (?!{_SUFFIX})-)\w+)*(?:\+\+[0-9]{{0,2}}(?!\w)|\+(?![\w+])|\#(?!\w))?
    | [^\w\s]
    """,
    re.VERBOSE,
)
_BREAK = re.compile(
    r"\n[ \t]*(?:\n|[-*•+][ \t]|\#+[ \t]|[=~^*_-]{3})|^(?=[^\n]{1,40}\n[A-Z])[^\n]*\b(?P<line>\w+)$", re.MULTILINE
)
MAX_SENTENCE = 400
"""The most tokens of a sentence; a longer one is not prose, and is read in pieces."""
_LONGEST_SHORT = 4
"""Longer words are rarely abbreviations, even before a word in lower case."""


@dataclass(slots=True)
class Token:
    """A word or a mark; `start` and `end` are offsets in the text, `lower` is its case-folded form with straight apostrophes."""

    text: str
    lower: str
    start: int
    end: int
    classes: frozenset[str] = field(init=False, repr=False)
    """The word classes it belongs to."""
    edges: Edges = field(init=False, repr=False)
    word: bool = field(init=False, repr=False)
    """Whether it is a word, not a mark."""

    def __post_init__(self) -> None:
        """Look the word up."""
        self.classes, self.edges = classes_of(self.lower), edges_of(self.lower)
        self.word = self.text[0].isalnum() or self.text[0] == "_"

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


def tokenise(text: str) -> Iterator[Token]:
    """Yield the tokens of `text` in order."""
    for match in _TOKEN.finditer(text):
        found = match.group()
        yield Token(found, found.casefold().replace("’", "'"), match.start(), match.end())


def is_shaped(word: str) -> bool:
    """Return whether a word has capitals inside, or letters and digits mixed, as names of technologies have."""
    if not word[:1].isalpha() or "/" in word or "@" in word or (word.isalpha() and word[1:].islower()):
        return False
    mixed = any(character.isupper() for character in word[1:]) and any(character.islower() for character in word)
    return mixed or (word[0].isupper() and any(character.isdigit() for character in word))


def is_acronym(word: str) -> bool:
    """Return whether a word is two to six capitals, ignoring digits."""
    letters = [character for character in word if character.isalpha()]
    return 2 <= len(letters) <= 6 and all(character.isupper() for character in letters)


def sentences(text: str) -> Iterator[list[Token]]:
    """Yield the sentences of `text` in order, each a list of one to `MAX_SENTENCE` tokens."""
    breaks = _breaks(text)
    gap = next(breaks, len(text))
    recent: deque[Token] = deque(maxlen=4)
    sentence: list[Token] = []
    for token in tokenise(text):
        recent.append(token)
        if sentence and (
            token.start >= gap or len(sentence) == MAX_SENTENCE or _ends_sentence(recent, len(recent) - 2)
        ):
            yield sentence
            sentence = []
        while token.start >= gap and gap < len(text):
            gap = next(breaks, len(text))
        sentence.append(token)
    if sentence:
        yield sentence


def _breaks(text: str) -> Iterator[int]:
    """Yield where a sentence ends whatever its words say: at empty lines, at bullets, behind headings and lines of a list.

    A line far shorter than prose is wrapped at is one of the latter, unless its last word calls for more.
    """
    for match in _BREAK.finditer(text):
        last = match.group("line")
        if last is None or "function" not in classes_of(last.casefold()):
            yield match.start() if last is None else match.end()


def _ends_sentence(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a sentence ends after the token at `place`, which is not the last."""
    token, following = tokens[place], tokens[place + 1]
    if following.start == token.end or following.text in ",;:)":
        return False
    if token.text in "\"”’')]»":
        return place > 0 and tokens[place - 1].text in ".!?"
    return token.text in "!?" or (token.text == "." and not (place and _is_abbreviation(tokens, place - 1)))


def _is_abbreviation(tokens: Sequence[Token], place: int) -> bool:
    """Return whether the full stop after the word at `place` marks an abbreviation and does not end a sentence."""
    word, following = tokens[place], tokens[place + 2]
    if "title" in word.classes or not following.text[0].isalnum():
        return "title" in word.classes
    if "abbreviation" in word.classes:
        return not following.capital or "abbreviation_of_words" in word.classes
    if following.capital:
        before = tokens[place - 1] if place else word
        return len(word.text) == 1 and word.capital and place > 0 and (before.capital or before.lower == "by")
    return following.text.isalpha() and len(word.text) <= _LONGEST_SHORT
