"""A hint at what somebody may have meant by a name that does not exist."""

from collections.abc import Iterable

MAX_LENGTH = 100
"""Longer names are compared with nothing: comparing takes quadratic time, and nobody mistypes them."""

CUTOFF = 0.7
"""How much of both names must agree; with less, short names suggest what nobody meant."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean NAME?`, or an empty text where no known name resembles it."""
    from difflib import get_close_matches  # only a mistake needs it

    close = get_close_matches(name, [*known], n=1, cutoff=CUTOFF) if len(name) <= MAX_LENGTH else []
    return f"; did you mean {close[0]}?" if close else ""
