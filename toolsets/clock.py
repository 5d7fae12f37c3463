"""Times: the system clock, and the formats in which replies print a time."""

import time
from datetime import datetime, timedelta

from backends.ports.values import Micros

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- without a zone: the formats print their own

SECOND = 1_000_000
"""Microseconds in a second."""


def system_now() -> Micros:
    """Return the current time."""
    return Micros(time.time_ns() // 1_000)


def iso_millis(at: Micros) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.mmmZ`, truncated to milliseconds."""
    return f"{(_EPOCH + timedelta(microseconds=at)).isoformat(timespec='milliseconds')}Z"


def iso_naive(at: Micros) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.ffffff` in UTC, without an offset."""
    return (_EPOCH + timedelta(microseconds=at)).isoformat(timespec="microseconds")


def iso_date(at: Micros) -> str:
    """Return `YYYY-MM-DD` in UTC."""
    return f"{_EPOCH + timedelta(microseconds=at):%Y-%m-%d}"
