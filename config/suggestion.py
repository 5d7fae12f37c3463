"""A hint at the intended name when a name does not exist."""

from collections.abc import Iterable

MAX_LENGTH = 100
"""Longer names get no hint: comparing takes quadratic time, and they are not typing mistakes."""

CUTOFF = 0.7
"""How similar the names must be; with a lower value, short names get misleading hints."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean NAME?`, or an empty text if no known name is similar."""
    close = closest(name, known)
    return "" if close is None else f"; did you mean {close}?"


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar, None if none is similar enough."""
    from difflib import get_close_matches  # only a mistake needs it

    close = get_close_matches(name, [*known], n=1, cutoff=CUTOFF) if len(name) <= MAX_LENGTH else []
    return close[0] if close else None
