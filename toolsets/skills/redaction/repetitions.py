"""Removes a secret wherever it is said again, once a rule has found it in words that name it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from toolsets.bm25 import STOP_WORDS
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
    replaced,
)
from toolsets.skills.redaction.values import is_value, looks_secret

_SAID_AGAIN: Final = frozenset((PASSWORD, CREDENTIALS, CODE, TOKEN, LICENCE_KEY, ACCOUNT, CARD, PHONE, SOCIAL_SECURITY))
_SHORTEST: Final = 4
_SHORTEST_WORD: Final = 5
"""Of a value that reads like a word."""
_OFTEN: Final = 6
_ANY_CASE: Final = 6
"""From this length on a value is found whatever its capitals: people repeat it as they like."""
MOST: Final = 500
"""Values that are looked for in one text, the first ones; each takes a pass of the text."""
_EVERYBODYS: Final = STOP_WORDS | frozenset(
    """account admin administrator android apple application browser bluetooth button cable change click client code computer
    connect customer debian default desktop device disabled domain driver email enabled error example false file firefox
    folder google guest home internet iphone keyboard laptop linux localhost login mobile monitor mouse network none null
    number office online outlook page passphrase password phone please power printer private product program public reset
    restart root router screen secret secure security select server service settings start support system test token true
    ubuntu update user username version welcome wifi window windows work""".split()
)
"""Words that steps are full of; as passwords they are nobody's secret."""


def without_repetitions(text: str, removed: Iterable[tuple[str, str]]) -> str:
    """Return a text without the values that were removed from it elsewhere; `removed` holds each with its placeholder."""
    for placeholder, values in _by_placeholder(removed).items():
        spans = sorted(span for value in values for span in _said_again(text, value))
        text = replaced(text, spans, placeholder)
    return text


def _by_placeholder(removed: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    found: dict[str, str] = {}
    for value, placeholder in removed:
        secret = re.split(r"[:/]\s?", value)[-1] if placeholder == CREDENTIALS else value
        if placeholder in _SAID_AGAIN and len(found) < MOST and _is_telling(secret):
            found.setdefault(secret, placeholder)
    grouped: dict[str, list[str]] = {}
    for value, placeholder in found.items():
        grouped.setdefault(placeholder, []).append(value)
    return grouped


def _is_telling(value: str) -> bool:
    """Return whether a value said elsewhere is the secret again, not a word of the language."""
    if not _SHORTEST <= len(value) <= 200 or "[" in value or not is_value(value, (0, len(value))):
        return False
    if looks_secret(value, at_least=_SHORTEST):
        return True
    return len(value) >= _SHORTEST_WORD and value.casefold() not in _EVERYBODYS


def _said_again(text: str, value: str) -> list[Span]:
    """Return where a value is said; of one that reads like a word nothing when it is said so often that it is one."""
    spans = list(_spans(text, value))
    return [] if len(spans) > _OFTEN and not looks_secret(value, at_least=_SHORTEST) else spans


def _spans(text: str, value: str) -> Iterator[Span]:
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)"
    flags = re.IGNORECASE if len(value) >= _ANY_CASE else re.NOFLAG
    for match in re.compile(pattern, flags).finditer(text):
        if not is_placeholder(text, match.start() - 1):
            yield match.span()
