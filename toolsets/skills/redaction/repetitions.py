"""Removes the repetitions of a secret, once a rule has found it next to its name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.redaction.replacement import (
    ACCOUNT,
    CARD,
    CODE,
    CREDENTIALS,
    LICENCE_KEY,
    PASSWORD,
    PHONE,
    SOCIAL_SECURITY,
    TOKEN,
    Span,
    is_placeholder,
    replace_spans,
)
from toolsets.skills.redaction.values import is_value, looks_secret

_SAID_AGAIN: Final = frozenset((PASSWORD, CREDENTIALS, CODE, TOKEN, LICENCE_KEY, ACCOUNT, CARD, PHONE, SOCIAL_SECURITY))
_SHORTEST: Final = 4
"""The length of most PINs; shorter values recur by accident."""
_SHORTEST_WORD: Final = 5
"""The fewest characters of a value that reads like a word."""
_OFTEN: Final = 6
"""A value that reads like a word and recurs more often is one."""
_ANY_CASE: Final = 6
"""From this length on, a value is found in any case, because people vary it."""
MOST: Final = 500
"""The most values, the first ones, that are searched in one text; each needs a pass over the text."""
_COMMON_WORDS: Final = STOP_WORDS | frozenset(
    """account admin administrator android apple application browser bluetooth button cable change click client code computer
    connect customer debian default desktop device disabled domain driver email enabled error example false file firefox
    folder google guest home internet iphone keyboard laptop linux localhost login mobile monitor mouse network none null
    number office online outlook page passphrase password phone please power printer private product program public reset
    restart root router screen secret secure security select server service settings start support system test token true
    ubuntu update user username version welcome wifi window windows work""".split()
)
"""Common words of steps; as passwords they are not secret."""


def without_repetitions(text: str, removed: Iterable[tuple[str, str]]) -> str:
    """Return a text without values that were removed elsewhere in it; `removed` holds each with its placeholder."""
    for placeholder, values in _by_placeholder(removed).items():
        spans = sorted(span for value in values for span in _occurrences(text, value))
        text = replace_spans(text, spans, placeholder)
    return text


def _by_placeholder(removed: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: dict[str, str] = {}
    for value, placeholder in removed:
        secret = re.split(r"[:/]\s?", value)[-1] if placeholder == CREDENTIALS else value
        if placeholder in _SAID_AGAIN and len(found) < MOST and _is_distinctive(secret):
            found.setdefault(secret, placeholder)
    grouped: dict[str, list[str]] = {}
    for value, placeholder in found.items():
        grouped.setdefault(placeholder, []).append(value)
    return grouped


def _is_distinctive(value: str) -> bool:
    """Return whether another occurrence of a value is the secret again, not an ordinary word."""
    if not _SHORTEST <= len(value) <= 200 or "[" in value or not is_value(value, (0, len(value))):
        return False
    if looks_secret(value, at_least=_SHORTEST):
        return True
    return len(value) >= _SHORTEST_WORD and value.casefold() not in _COMMON_WORDS


def _occurrences(text: str, value: str) -> list[Span]:
    """Return the occurrences of a value; none if it reads like a word and is so frequent that it is one."""
    spans = list(_spans(text, value))
    return [] if len(spans) > _OFTEN and not looks_secret(value, at_least=_SHORTEST) else spans


def _spans(text: str, value: str) -> Iterator[Span]:
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)"
    flags = re.IGNORECASE if len(value) >= _ANY_CASE else re.NOFLAG
    for match in re.compile(pattern, flags).finditer(text):
        if not is_placeholder(text, match.start() - 1):
            yield match.span()
