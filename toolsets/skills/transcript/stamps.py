"""Times as people and programs write them, above a message or in it."""

import re
from typing import Final, Literal, TypeAlias

from toolsets.skills.transcript.words import any_of

CLOCK: Final = (
    r"\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,6})?)?(?:[ \u00a0\u202f]?[AaPp]\.?[Mm]\.?|[ \u00a0]?(?:h|Uhr)\b)?"
)
_MONTH: Final = rf"(?:(?i:de )?(?i:{any_of('months')})(?![^\W\d_])\.?(?: de)?)"
_WEEKDAY: Final = rf"(?:(?i:{any_of('weekdays')})[.,]{{0,2}} )"
DAY: Final = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}年\s?\d{1,2}月\s?\d{1,2}日|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}[-/][A-Z][a-z]{{2}}[-/]\d{{2,4}}"
    rf"|{_WEEKDAY}?(?:\d{{1,2}}(?:\.|st|nd|rd|th)? {_MONTH},?(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)"
    rf"|(?i:{any_of('days')})"
    r"|\d{1,2}[/.]\d{1,2}\.?(?=,? \d{1,2}:\d\d))"
)
_JOIN: Final = rf"(?:,|T| ?(?:{any_of('at')}|[-–—|·•]))? {{0,2}}"
_ZONE: Final = r"(?:Z| ?\(?(?:UTC|GMT|[A-Z]{2,3}T)\)?(?:[+-]\d\d?:?(?:\d\d)?)?| ?[+-]\d\d:?\d\d)?"
_TIME_OF_DAY: Final = rf"{CLOCK}{_ZONE}"
STAMP: Final = rf"(?:{DAY}{_JOIN}{_TIME_OF_DAY}|{_TIME_OF_DAY}(?:,? {DAY})?)"
"""A time of day, with or without a date."""
AGO: Final = rf"(?i:{any_of('ago')})"
"""A time in words, such as "3 hours ago"."""
MOMENT: Final = rf"(?:{DAY}(?:{_JOIN}{_TIME_OF_DAY})?|{_TIME_OF_DAY}(?:,? {DAY})?|{AGO})"
"""A time of day, a date or a time in words."""
TIME_AHEAD: Final = r"(?=\d|[^\W\d_]{3,12}[.,]{0,2} (?:[^\W\d_]{2,3} )?\d)"
"""A condition before `MOMENT` that rejects most words sooner."""
_ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[-.](\d{1,2})[-.](\d{4}|\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)(?![\d/])")
_NAMED = re.compile(
    r"(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th)?[ /-](?:de )?([^\W\d_]{3,10})\.?,?[ /-](?:de )?(\d{4}|\d\d)(?!\d)"
)
_NAMED_FIRST = re.compile(r"([^\W\d_]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_TIME = re.compile(
    r"(?<![\d.:])(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?(?!\d|[.:]\d)(?:\s?([AaPp])\.?[Mm]\b)?"
)
_MONTHS: Final = (
    "jan gen ene", "feb fév fev", "mar mär mrt maa", "apr avr abr", "may mai mag mei maj", "jun jui giu",
    "jul lug", "aug aoû ago", "sep set", "oct okt ott out", "nov", "dec dez déc dic",
)  # fmt: skip
_NUMBERS: Final = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
"""The number of a month by its first three letters; French July has those of June."""


SlashedDate: TypeAlias = Literal["day first", "month first"]
"""The order of a date such as 05/04/2026."""


def moment_in(text: str, *, slashed: SlashedDate | None = None) -> tuple[int, ...] | None:
    """Return year, month, day and, if it has them, hour, minute and second of the first date in a text that has a year.

    Returns None if there is none. A date such as 05/04/2026 counts as none unless `slashed` says what comes first.
    """
    date = _date_in(text) or (_slashed_in(text, slashed) if slashed is not None else None)
    if date is None:
        return None
    year, month, day, end = date
    clock = _TIME.search(text, end) or _TIME.search(text[:end])
    if clock is None:
        return (year, month, day)
    hour = int(clock[1]) % 12 + (12 if clock[4] in {"p", "P"} else 0) if clock[4] else int(clock[1])
    return (year, month, day, hour, int(clock[2]), int(clock[3] or 0))


def _date_in(text: str) -> tuple[int, int, int, int] | None:
    if (match := _ISO.search(text)) is not None:
        return int(match[1]), int(match[2]), int(match[3]), match.end()
    if (match := _NUMERIC.search(text)) is not None:
        day, month = int(match[1]), int(match[2])
        return (_year(match[3]), *((day, month) if month > len(_MONTHS) else (month, day)), match.end())
    for match in (*_NAMED.finditer(text), *_NAMED_FIRST.finditer(text)):
        day, name = (match[1], match[2]) if match[1].isdigit() else (match[2], match[1])
        if (month := _month(name)) is not None:
            return _year(match[3]), month, int(day), match.end()
    return None


def _slashed_in(text: str, order: SlashedDate) -> tuple[int, int, int, int] | None:
    match = _SLASHED.search(text)
    if match is None:
        return None
    first, second = int(match[1]), int(match[2])
    day, month = (first, second) if order == "day first" else (second, first)
    return (_year(match[3]), month, day, match.end()) if month <= len(_MONTHS) else None


def _month(name: str) -> int | None:
    folded = name.casefold()
    return 7 if folded.startswith("juil") else _NUMBERS.get(folded[:3])


def _year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == len("26") else 0)
