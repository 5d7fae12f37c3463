"""Exponential backoff: how long to wait before an attempt that failed is repeated."""

_MAX_DOUBLINGS = 64
"""Above any bound in seconds, and far below the largest float."""


def backoff_s(failures: int, *, first_s: float, longest_s: float) -> float:
    """Return the seconds to wait after `failures` failures in a row, 1 or more.

    That is `first_s` after the first one and twice as long after each further one, but at most `longest_s`. Callers that
    compete for one thing wait a random part of it.
    """
    return min(first_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), longest_s)
