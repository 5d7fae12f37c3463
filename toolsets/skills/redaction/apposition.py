"""Removes secrets next to their name without "is": before it, in brackets, or in a list."""

import re
from collections.abc import Callable
from typing import Final

from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import (
    CODE,
    LICENCE_KEY,
    PASSWORD,
    TOKEN,
    Rule,
    group_rule,
    near_cues,
    replace_spans,
)
from toolsets.skills.redaction.values import is_value, looks_secret, value_span

_QUOTED = r"\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|`[^`\n]{1,100}`|“[^”\n]{1,100}”|«[^»\n]{1,100}»"
_BARE = r"[^\s,;:\"'`“”«»()]{3,200}"
_WHOSE = r"(?:my|your|our|his|her|their|the|a|an|mein|dein|unser|ihr|das|mon|votre|mi|su)"
_MINE = re.compile(r"(?i)\s(?:is|was|ist|war|est|es|era|will be) (?:my|your|our|his|her|their|mein|dein|unser|ihr)\b")
_CLAUSE_ENDS = (
    r"(?=\s{0,2}(?:[.,;:!?)\]\n]|\Z)|\s(?:and|but|or|for|to|on|of|now|since|until|at|there|too|in|und|für)\b)"
)
_VALUE_FIRST = re.compile(
    rf"(?i)(?<![^\s(\[>])({_QUOTED}|{_BARE})\s{{1,2}}(?:is|was|ist|war|est|es|era|will be|used to be|became)\s{{1,2}}"
    rf"{_WHOSE}\s{{1,2}}(?:[\w-]{{1,20}}\s){{0,3}}?(?:{STRONG}){_CLAUSE_ENDS}"
)
"""`"hunter2" is my password`."""
_NAMED_BEHIND = re.compile(
    rf"(?i)(?<![^\s(\[>])({_QUOTED}|{_BARE})(?:\s{{1,2}}[(\[]|\s?,\s|\s[-–—]\s)\s?(?:{_WHOSE}\s)?"
    rf"(?:(?!no\s|same\s|without\s|wrong\s)[\w-]{{1,20}}\s)?(?:{STRONG}){_CLAUSE_ENDS}"
)
"""`Blue-Fish-77 (password)`."""
_NAMED_BEFORE = re.compile(
    rf"(?i)\b(?:{STRONG}|pass(?=\s[-–—]\s))(?:\s{{0,2}}[(\[]|\s?,\s|\s[-–—]\s)\s?"
    rf"(?!v?\d+(?:\.\d+)*(?!\w))({_QUOTED}|{_BARE})"
)
"""`the password (Blue-Fish-77)`."""
_BEFORE_IS: Final = frozenset(
    "problem issue question thing trouble concern reason point answer part key field step item cause matter".split()
)
"""Nouns in "the problem is my password"."""
_GROUPED = re.compile(
    r"(?i)\b(?:recovery|licen[cs]e|product|activation|serial|backup|unlock|registration|cd|encryption|bitlocker|setup"
    r"|volume|installation)[ -]?(?:key|code|number)s?\b[^\n.]{0,40}?(?<![\w-])"
    r"(?-i:(?!X+(?:-X+){2,12}(?![\w-]))([A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,12}))(?!\w|-\w)"
)
"""Groups of capitals and digits that the words before them call a key."""
_LICENCE_SAID = re.compile(
    r"(?i)\b(?:licen[cs]e|serial)\b(?:\s(?:key|code|number|no\.?))?(?:\s?[:=#]|\s(?:is|was))?\s{1,2}"
    r"((?-i:(?=[A-Z-]{0,30}\d)[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){2,12}))(?!\w|-\w)"
)
_LIST_ITEM = (
    r"(?:\d(?:[ -]?\d){2,11}|(?=[\w-]{0,40}\d)[A-Za-z0-9]{3,30}(?:-[A-Za-z0-9]{2,30}){0,5}"
    r"|(?=\S{0,40}\d)[^\s,;&/]{6,60})"
)
_LISTED = re.compile(
    rf"(\[(?:code|password|token|licence key)\])((?:(?:\s?[,;/&+]\s?|\s)(?:(?:and|or|und|then|\d{{1,2}}[.)]"
    rf"|[-*•>])\s{{1,2}})?{_LIST_ITEM}"
    r"(?![\w]|-\w)){1,30})"
)
_ITEM = re.compile(rf"(?<![\w-]){_LIST_ITEM}(?![\w]|-\w)")
_MANY = re.compile(r"(?i)(?:codes|pins|passwords|passwörter|kennwörter|keys|tokens|secrets|passcodes)\b[^.!?]{0,160}\Z")
_REACH = 200
"""The number of characters before a list that are searched for its name."""


def _value_first(text: str) -> str:
    spans = (
        (value_span(text, match.span(1)), _MINE.match(text, match.end(1)) is not None)
        for match in _VALUE_FIRST.finditer(text)
    )
    return replace_spans(
        text,
        (span for span, mine in spans if _is_named(text, span, any_word=mine and _begins(text, span[0]))),
        PASSWORD,
    )


def _begins(text: str, at: int) -> bool:
    """Return whether a value begins its clause; after an article it would be a noun."""
    before = text[max(0, at - 12) : at].rstrip("\"'`“« ")
    return not before or before[-1] in ".!?:;,\n>" or before.endswith((" and", " that", "think", "believe"))


def _is_named(text: str, span: tuple[int, int], *, any_word: bool) -> bool:
    """Return whether a value may be the secret that the name next to it stands for: quoted, unlike a word, or `any_word`."""
    start, stop = span
    if not is_value(text, span) or text[start:stop].casefold() in _BEFORE_IS:
        return False
    quoted = start > 0 and text[start - 1] in "\"'`“«"
    return quoted or any_word or looks_secret(text[start:stop], at_least=4)


def _apposed(pattern: re.Pattern[str]) -> Rule:
    def rule(text: str) -> str:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        unlike = (s for s in spans if is_value(text, s) and looks_secret(text[slice(*s)], at_least=4))
        return replace_spans(text, unlike, PASSWORD)

    return rule


def _lists(text: str) -> str:
    """Replace the other members of a list whose first member was replaced."""
    return _LISTED.sub(_rest_of(text), text)


def _rest_of(text: str) -> Callable[[re.Match[str]], str]:
    def rest(match: re.Match[str]) -> str:
        said = text[max(0, match.start() - _REACH) : match.start()]
        return match[1] + (_ITEM.sub(lambda _: match[1], match[2]) if _MANY.search(said) else match[2])

    return rest


GROUPED_KEYS: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_GROUPED, LICENCE_KEY), "key", "code", "number"),
    near_cues(group_rule(_LICENCE_SAID, LICENCE_KEY), "licen", "serial"),
)
"""Run before the rules for the value after a name, which would leave some of the groups."""
APPOSITIONS: Final[tuple[Rule, ...]] = (
    near_cues(_value_first, *STRONG_CUES, before=3),
    near_cues(_apposed(_NAMED_BEHIND), *STRONG_CUES, before=2),
    near_cues(_apposed(_NAMED_BEFORE), *STRONG_CUES),
)
LISTS: Final[tuple[Rule, ...]] = (near_cues(_lists, CODE, PASSWORD, TOKEN, LICENCE_KEY, before=4, after=30),)
"""Run after the rules that replace the first member of a list."""
