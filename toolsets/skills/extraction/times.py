"""The days, dates and periods that clauses name."""

import re
from typing import Final

_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_SOME: Final = r"(?:a few|a couple of|several|some|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|an?)"
_PERIOD: Final = r"(?:minutes?|hours?|days?|nights?|weeks?|months?|years?)"
LAPSE: Final = rf"{_SOME} {_PERIOD}"
_NUMERIC_DATE: Final = (
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)"
    r"|\d{1,2}[./]\d{1,2}(?! (?:beta|build|patch|release|update|upgrade|version))\.?(?:\d{2,4})?)"
)
_WHICH: Final = r"(?:last|this|early|late|about|around|the)"
_NAMED_DAY: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|weekend|week|month|(?:new )?year|morning|spring|summer|autumn|winter|christmas|easter"
    r"|(?:start|end|middle|turn) of (?:the )?\w{3,20}"
    rf"|afternoon|evening|noon|night|yesterday|today|beginning of [\w ]{{3,20}}|\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)? (?:of )?{_MONTH}(?: \d{{4}})?"
    rf"|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?)"
)
_PART: Final = r"(?: (?:morning|afternoon|evening|night|noon))?"
TIME: Final = rf"(?:(?:{_WHICH} )*(?:{_NAMED_DAY}|{_NUMERIC_DATE}){_PART}|{LAPSE}(?: ago| now)?)"
IS_TIME: Final = re.compile(rf"(?i){TIME}(?:,|\s|$)")
"""The words after "since" if they are a date, not an event."""
_DATED = re.compile(
    rf"(?i),? (?:(?:back )?(?:at|in|on) (?:{_WHICH} )*(?:{_NAMED_DAY}|{_NUMERIC_DATE})|(?:last|this) {_NAMED_DAY}"
    rf"|yesterday|today|overnight|recently|{LAPSE} ago){_PART}$"
)
_GOES_ON = re.compile(r"(?i)\b(?:and|between|by|for|from|of|or|than|the|till?|to|until|with)$")
_FEWEST_WORDS: Final = 2
"""With a single word left, only the date says which event it is."""


def without_date(event: str) -> str:
    """Return what happened without its date: "we got a new router" of "we got a new router on Monday"."""
    match = _DATED.search(event)
    bare = event if match is None else event[: match.start()]
    return event if _GOES_ON.search(bare) is not None or len(bare.split()) < _FEWEST_WORDS else bare
