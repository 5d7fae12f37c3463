"""The placeholders for removed values, and the functions that replace parts of a text."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Final, TypeAlias

from toolsets.skills.literals import Literals

EMAIL: Final = "[email]"
PHONE: Final = "[phone number]"
IP_ADDRESS: Final = "[IP address]"
CARD: Final = "[card number]"
EXPIRY: Final = "[expiry date]"
ACCOUNT: Final = "[account number]"
SOCIAL_SECURITY: Final = "[social security number]"
BIRTH_DATE: Final = "[date of birth]"
PASSWORD: Final = "[password]"  # noqa: S105  (what stands for a password)
CREDENTIALS: Final = "[credentials]"
CODE: Final = "[code]"
TOKEN: Final = "[token]"  # noqa: S105  (what stands for a token)
LICENCE_KEY: Final = "[licence key]"
PRIVATE_KEY: Final = "[private key]"

PLACEHOLDERS: Final = (
    EMAIL,
    PHONE,
    IP_ADDRESS,
    CARD,
    EXPIRY,
    ACCOUNT,
    SOCIAL_SECURITY,
    BIRTH_DATE,
    PASSWORD,
    CREDENTIALS,
    CODE,
    TOKEN,
    LICENCE_KEY,
    PRIVATE_KEY,
)

Rule: TypeAlias = Callable[[str], str]
"""Returns the text without one family of secrets, in time linear in its length."""

Span: TypeAlias = tuple[int, int]

_removals: ContextVar[list[tuple[str, str]] | None] = ContextVar("_removals", default=None)

_PLACEHOLDER = re.compile("|".join(map(re.escape, PLACEHOLDERS)))
_WHOLE_PLACEHOLDER = re.compile(rf"(?:{'|'.join(map(re.escape, PLACEHOLDERS))})(?![\w@#$%*^~+=/-])")

_LED_TO = re.compile(
    rf"(?i)(?:\s(?:to|at|from|for|with|by|via|as|on|of|under|called|named|and|or|is)(?: the)?)?\s?(?:{_PLACEHOLDER.pattern})"
)
_BEFORE_MARK = re.compile(r"[ ]+(?=[.,;:!?])")


def is_placeholder(text: str, at: int) -> bool:
    """Return whether there is a placeholder at `at` with nothing attached that could be the rest of a secret."""
    return _WHOLE_PLACEHOLDER.match(text, at) is not None


def without_placeholders(text: str) -> str:
    """Return the text with a blank for each placeholder, for a search of its words."""
    return _PLACEHOLDER.sub(" ", text)


def without_holes(text: str) -> str:
    """Return the text without its placeholders and the words that lead to one, so that a title has no gap."""
    return _BEFORE_MARK.sub("", _LED_TO.sub(" ", text)) if "[" in text else text


@contextmanager
def removals() -> Generator[list[tuple[str, str]]]:
    """Collect the replacements inside the block: each value with its placeholder, in order."""
    found: list[tuple[str, str]] = []
    token = _removals.set(found)
    try:
        yield found
    finally:
        _removals.reset(token)


def replace_spans(text: str, spans: Iterable[Span], placeholder: str) -> str:
    """Return the text with a placeholder for each span; the spans are in ascending order, and overlapping ones are joined."""
    parts: list[str] = []
    end = 0
    for start, stop in _joined(spans):
        parts += (text[end:start], placeholder)
        end = stop
        if (found := _removals.get()) is not None:
            found.append((text[start:stop], placeholder))
    return "".join((*parts, text[end:])) if parts else text


def group_rule(pattern: re.Pattern[str], placeholder: str, *, group: int | None = None) -> Rule:
    """Return the rule that replaces a group of each match: by default the first, or the whole match if there are no groups."""
    group = min(1, pattern.groups) if group is None else group

    def rule(text: str) -> str:
        spans = (match.span(group) for match in pattern.finditer(text))
        return replace_spans(
            text, ((start, stop) for start, stop in spans if not is_placeholder(text, start)), placeholder
        )

    return rule


def number_rule(
    pattern: re.Pattern[str], placeholder: str, *, accepts: Callable[[str, re.Match[str]], bool] | None = None
) -> Rule:
    """Return the rule that replaces the matches of a pattern, or those that `accepts` a text and the match.

    The pattern stays on one line and matches at least `FEWEST_DIGITS` digits, so that only lines with so many are searched.
    """

    def spans(text: str) -> Iterator[Span]:
        for start, stop in _lines_with_digits(text):
            for match in pattern.finditer(text, start, stop):
                if accepts is None or accepts(text, match):
                    yield match.span()

    return lambda text: replace_spans(text, spans(text), placeholder)


FEWEST_DIGITS: Final = 6
"""The fewest of the rules for numbers: lines with less need not be searched."""
_DIGITS = re.compile(rf"(?m)^(?:[^\n\d]*+\d){{{FEWEST_DIGITS}}}[^\n]*+")


@lru_cache(maxsize=4)
def _lines_with_digits(text: str) -> Sequence[Span]:
    """Return the spans of the lines with at least `FEWEST_DIGITS` digits."""
    return tuple(match.span() for match in _DIGITS.finditer(text))


def in_long_words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that stay within a word of at least `LONG_WORD` characters, up to the next blank."""
    for start, stop in _long_words(text):
        yield from pattern.finditer(text, start, stop)


LONG_WORD: Final = 11
"""Most words of a text are shorter and are not searched for keys, which are longer."""


@lru_cache(maxsize=4)
def _long_words(text: str) -> Sequence[Span]:
    """Return the spans of the words with at least `LONG_WORD` characters."""
    found: list[Span] = []
    stop = 0
    for word in text.split():
        if len(word) >= LONG_WORD:
            # The words in between are shorter, so that none of them contains it.
            start = text.index(word, stop)
            stop = start + len(word)
            found.append((start, stop))
    return tuple(found)


def near_cues(rule: Rule, *cues: str, before: int = 0, after: int = 3) -> Rule:
    """Return a rule that searches only the lines around the cues, which are in lower case.

    Each match of the rule contains a cue, begins at most `before` lines above it and ends at most `after` lines below.
    Searching for a few fixed texts takes a hundredth of the time of a pattern with many alternatives.
    """
    sought = known_cues(*cues)

    def near(text: str) -> str:
        present = _cues_in(text)
        if present is None:
            return rule(text)
        if present.isdisjoint(sought):
            return text
        parts: list[str] = []
        end = 0
        for start, stop in _lines_around(_lowered(text), present & sought, before, after):
            parts += (text[end:start], rule(text[start:stop]))
            end = stop
        return "".join((*parts, text[end:])) if parts else text

    return near


def known_cues(*cues: str) -> frozenset[str]:
    """Return cues, in lower case, after adding them to those that one pass over a text looks for."""
    _all_cues.add(cues)
    _placeholder_cues.update(cue for cue in cues if "[" in cue or "]" in cue or cue in _LOWERED_PLACEHOLDERS)
    return frozenset(cues)


def lines_with_cues(text: str, cues: frozenset[str]) -> list[Span]:
    """Return the spans of the lines that contain one of the known cues, in ascending order."""
    present = _cues_in(text)
    lowered = text if present is None else _lowered(text)
    found: set[Span] = set()
    for cue in cues if present is None else present & cues:
        at = lowered.find(cue)
        while at >= 0:
            stop = lowered.find("\n", at)
            stop = len(lowered) if stop < 0 else stop
            found.add((lowered.rfind("\n", 0, at) + 1, stop))
            at = lowered.find(cue, stop)
    return sorted(found)


# Cached, because some ninety rules search the same text one after the other, and few of them change it.
@lru_cache(maxsize=4)
def _lowered(text: str) -> str:
    lowered = text.lower()
    # Case-insensitive patterns match these two letters with an ASCII letter, but `lower` does not map them to it.
    return lowered if text.isascii() else lowered.replace("\u017f", "s").replace("\u0131", "i")


class _Cues:
    """The cues of all rules, which add theirs when they are made."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._literals: Literals | None = None

    def add(self, cues: Iterable[str]) -> None:
        self._known.update(cues)
        self._literals = None

    def found_in(self, text: str) -> frozenset[str]:
        """Return those that a text contains."""
        self._literals = literals = self._literals or Literals(self._known)
        return literals.found_in(text)


_all_cues: Final = _Cues()
_placeholder_cues: Final[set[str]] = set()
"""Those that a replacement can bring into a text."""
_LOWERED_PLACEHOLDERS: Final = " ".join(PLACEHOLDERS).lower()


@contextmanager
def with_cues_of(text: str) -> Generator[None]:
    """Search texts inside the block only for the cues of this one, of which they are parts with placeholders."""
    present = _cues_in(text)
    token = _possible_cues.set(None if present is None else present | _placeholder_cues)
    try:
        yield
    finally:
        _possible_cues.reset(token)


_possible_cues: ContextVar[frozenset[str] | None] = ContextVar("_possible_cues", default=None)


@lru_cache(maxsize=4)
def _cues_in(text: str) -> frozenset[str] | None:
    """Return the cues, of any rule, that a text contains; None if its places are not those of the text in lower case."""
    lowered = _lowered(text)
    if len(lowered) != len(text):
        return None
    possible = _possible_cues.get()
    return _all_cues.found_in(lowered) if possible is None else frozenset(cue for cue in possible if cue in lowered)


@lru_cache(maxsize=4)
def _lines_around(text: str, cues: frozenset[str], before: int, after: int) -> Sequence[Span]:
    """Return the spans of the lines around the cues, in ascending order."""
    found: list[Span] = []
    for cue in cues:
        at = text.find(cue)
        while at >= 0:
            start, stop = at, at + len(cue)
            for _ in range(before + 1):
                start = max(0, text.rfind("\n", 0, start))
            for _ in range(after + 1):
                stop = text.find("\n", stop) + 1 or len(text)
            found.append((start, stop))
            at = text.find(cue, max(at + 1, stop))
    return tuple(_joined(sorted(found)))


def forget_texts() -> None:
    """Empty the caches, which hold texts whose secrets are not removed yet."""
    for cached in (_lowered, _cues_in, _lines_around, _lines_with_digits, _long_words):
        cached.cache_clear()


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for start, stop in spans:
        if last is not None and start < last[1]:
            last = (last[0], max(last[1], stop))
            continue
        if last is not None:
            yield last
        last = (start, stop)
    if last is not None:
        yield last
