"""Removes a password next to the name of a user: in brackets, after an e-mail address, or on the next line."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.replacement import EMAIL, PASSWORD, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_value, looks_secret, value_span

_LOGIN = (
    r"(?=[lscaz])(?:log(?:ged|s|ging)?[ -]?[io]n|logins|sign(?:ed|s|ing)?[ -]?in"
    r"|credentials?|creds|access data|account|zugangsdaten)"
)
_SEPARATOR = r"\s?(?://?|\||:|;|,|\s[-–]\s|\s)\s?"
_BRACKETED = re.compile(
    rf"(?i)\b{_LOGIN}\b[^\n()\[\]]{{0,60}}?[(\[](?:[\w.@+-]{{2,60}}|\[email\]){_SEPARATOR}([^\s()\[\]]{{5,80}})[)\]]"
)
_ARROWED = re.compile(
    rf"(?i)\b{_LOGIN}\b(?: details| data)?\s?(?:=>|->|→|:|=|-|–)?\s{{0,2}}(?:[\w.+-]{{2,60}}|\[email\])"
    r"\s?(?:///?|\||/|;|\s[-–]\s)\s?([^\s,;|]{5,80})"
)
_BEHIND_EMAIL = re.compile(r"\[email\](?:\s?[:/|;,]\s?|\s[-–]\s)([^\s,;|/\[]{6,80})(?=[\s.,;:?!)\]>\"'`”…*]|\Z)")
_LISTED = re.compile(
    r"(?im)\b(?=[lsauczp])(?:(?:log-?in|sign-?in|account|access|user) (?:details|data|info(?:rmation)?|credentials)"
    r"|credentials|creds|logins|zugangsdaten"
    r"|(?:user(?:name)?|e-?mail)[ ,&/+]{1,3}(?:and |und )?pass(?:word)?)\b[^\n]{0,40}\n(?:[ \t]*\n)?"
    r"[ \t>*-]{0,6}(?P<name>\[(?:email|password)\]|[\w.@+-]{2,60})[ \t]*\n(?:[ \t]*\n)?[ \t>*-]{0,6}(?P<value>\S{5,80})"
    r"(?P<more>(?<=[.,;:!?])[ \t]+\S[^\n]*|[ \t]+[-–—][ \t][^\n]*)?[ \t]*$"
)
"""A heading that announces a login, and two lines: the name and the password."""
_NO_PASSWORD = re.compile(
    r"(?i)(?:(?:ctrl|strg|alt|shift|cmd|win|fn|f\d{1,2})\b\W?){1,4}\w?"
    r"|[\w-]{1,60}(?:\.[\w-]{2,60}){1,6}(?::\d{1,5})?|[\w-]{2,30}=.*"
)
"""A combination of keys, the name of a host, or a setting."""


def _beside(pattern: re.Pattern[str]) -> Rule:
    def rule(text: str) -> str:
        spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
        return replace_spans(text, (span for span in spans if _is_password(text, span)), PASSWORD)

    return rule


def _is_password(text: str, span: Span) -> bool:
    """Return whether a value reads unlike a word, a host, a setting and a combination of keys."""
    value = text[slice(*span)]
    return (
        is_value(text, span) and looks_secret(value) and _NO_PASSWORD.fullmatch(value) is None and not value.isdigit()
    )


def _listed(text: str) -> str:
    return replace_spans(text, _listed_spans(text), PASSWORD)


def _listed_spans(text: str) -> Iterator[Span]:
    for match in _LISTED.finditer(text):
        span = value_span(text, match.span("value"))
        any_word = match["name"].startswith("[") and match["more"] is None
        if (any_word and is_value(text, span)) or _is_password(text, span):
            yield span


_LOGIN_CUES: Final = ("log", "sign", "cred", "account", "access data", "zugangsdaten")
_LISTED_CUES: Final = (
    *"cred details logins zugangsdaten /pass".split(),
    *(" data", " info", "and pass", "und pass", "/ pass", "& pass", "+ pass", ", pass"),
)
BESIDE_NAMES: Final[tuple[Rule, ...]] = (
    near_cues(_beside(_BRACKETED), *_LOGIN_CUES),
    near_cues(_beside(_ARROWED), *_LOGIN_CUES),
    near_cues(_beside(_BEHIND_EMAIL), EMAIL),
    near_cues(_listed, *_LISTED_CUES, after=5),
)
"""Run after the rule for e-mail addresses, whose placeholder they meet."""
