"""Times: the system's clock, and the forms in which documents print a time."""

import time
from datetime import UTC, datetime, timedelta

from backends.ports.values import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SECOND = 1_000_000
"""Microseconds in a second."""


def system_now() -> Micros:
    """Return the present time."""
    return Micros(time.time_ns() // 1_000)


def iso_millis(at: Micros) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.mmmZ`; what is finer than a millisecond is cut off."""
    moment = _EPOCH + timedelta(microseconds=at)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def iso_naive(at: Micros) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.ffffff`, in UTC but without saying so."""
    return (_EPOCH + timedelta(microseconds=at)).replace(tzinfo=None).isoformat(timespec="microseconds")


def iso_date(at: Micros) -> str:
    """Return `YYYY-MM-DD`, the day in UTC."""
    return f"{_EPOCH + timedelta(microseconds=at):%Y-%m-%d}"
