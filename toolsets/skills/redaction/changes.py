"""Removes the two values of a changed secret: "from X to Y", "was X, now it is Y", "not X but Y"."""

import re
from collections.abc import Iterator
from typing import Final

from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import CODE, PASSWORD, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_setting, is_value, looks_secret, value_span

_NAME: Final = (
    rf"(?:{STRONG}|(?:api |access |auth |refresh |bot )?(?:token|secret|api key|access key)|heslo|adgangskode|passord"
    r"|palavra-passe|senha|salasana|jelszó|parola)"
)
_CODE_NAME: Final = (
    r"(?:pin(?:-?code)?|passcode|puk"
    r"|(?:door|gate|alarm|access|entry|unlock|safe|key ?pad|lock|security|voicemail) (?:code|pin))"
)
_VALUE: Final = r"[\"'`“«]?(?=\S{0,60}[\w!#$%&*?])\S{3,100}"
_FROM: Final = r"(?:from|von|vom|de|du|da|dal|van|från|fra|z|od)"
_TO: Final = r"(?:to|into|auf|in|zu|nach|a|à|en|al|para|per|naar|till|til|na)"
_NOW: Final = r"(?:now|currently|today|since \w{2,12}|jetzt|nun|maintenant|ahora|adesso|agora|nu)"
_CHANGED: Final = (
    r"(?:chang|reset|rotat|switch|updat|renam|replac|set|ge[aä]ndert|gewechsel|umgestellt|gesetzt|gewijzig|verander|aangepast"
    r"|mud|alterad|pas[só]|cambi|modifi|ändra|ændre|endre|zmien|změn)\w*"
)
_NEW_ONE: Final = (
    r"(?:(?:the|my|our|your|his|her)\s)?(?:new|current|present|other|next|second|latest)(?:\s(?:one|password|pin|code))?"
    r"\s?(?:is|was|:|=)?\s{1,2}"
)
_IT_IS: Final = (
    rf"(?:{_NEW_ONE}|(?:{_NOW}\s)?(?:it|that|es|c|het|ora)?(?:['’]s|\s?(?:is|ist|est|was))?\s?(?:{_NOW}\s)?(?:the\s)?)"
)
_STRICT = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)(?=\S*[!#$%^&*?])\S{6,100}")
"""The form that hardly anything but a password has: letters, digits and a symbol."""


_FORMS: Final = tuple(
    re.compile(rf"(?i){form}")
    for form in (
        rf"\s{_FROM}\s{{1,2}}(?P<old>{_VALUE})\s{{1,2}}{_TO}\s{{1,2}}(?P<new>{_VALUE})",
        rf"\s(?:was|used to be|had been|war|était|era)\s{{1,2}}(?P<old>{_VALUE})\s{{1,2}}"
        rf"(?:(?:and|but|und|et|y|e|en)\s)?{_IT_IS}(?P<new>(?!{_NOW}\b){_VALUE})",
        rf"\s?[:=]\s{{0,3}}(?P<old>{_VALUE})[,;|]?\s{{1,2}}(?:(?:and|but)\s)?{_NEW_ONE}(?P<new>{_VALUE})",
        rf"\s(?:not|no longer|nicht(?: mehr)?|non|plus|no|ya no|niet(?: meer)?)\s{{1,2}}(?P<old>{_VALUE})"
        rf"\s{{1,2}}(?:but|sondern|mais|sino|ma|maar|mas|bensì)\s{{1,2}}(?P<new>{_VALUE})",
        rf"\s(?:before|old|previous|formerly|vorher|alt|avant|antes)\s?[:=]\s{{0,3}}(?P<old>{_VALUE})[\s,;|]{{1,3}}(?:and )?"
        rf"(?:after|new|now|nachher|neu|après|después|ahora)\s?[:=]\s{{0,3}}(?P<new>{_VALUE})",
        rf"\s{_CHANGED}\s(?:[\w'’]{{1,12}}\s){{0,2}}?{_TO}\s{{1,2}}(?P<new>{_VALUE})",
        rf"\s(?P<old>{_VALUE})\s(?:with|by|for|against)\s(?P<new>{_VALUE})",
    )
)
"""The forms in which people tell what a secret was, what it is, or both; the last needs a verb before the name."""
_UNNAMED = re.compile(
    rf"(?i)\b(?:changed|reset|switched|updated|set) (?:it|mine|this|that) from\s{{1,2}}(?P<old>{_VALUE})\s{{1,2}}to\s{{1,2}}"
    rf"(?P<new>{_VALUE})"
)


def _changed(name: str, placeholder: str) -> Rule:
    """Return the rule for the values after such a name. The forms are found first, because names have many alternatives."""
    named = re.compile(rf"(?i)(?<![\w-]){name}(?![\w-])[^\n!?]{{0,40}}\Z")
    exchanged = re.compile(
        rf"(?i)\b(?:replace|swap|swapp|exchange)(?:d|ed)?\s(?:the |my |our |his |her )?(?:old |former )?{name}\Z"
    )

    def spans(text: str, form: re.Pattern[str]) -> Iterator[Span]:
        before = exchanged if form is _FORMS[-1] else named
        for match in form.finditer(text):
            value_spans = sorted(value_span(text, match.span(group)) for group in match.re.groupindex)
            values = [text[slice(*span)] for span in value_spans]
            if (
                any(looks_secret(value, at_least=4) for value in values)
                and not any(is_setting(text, span) for span in value_spans)
                and before.search(text, max(0, match.start() - _REACH), match.start()) is not None
            ):
                yield from (span for span in value_spans if is_value(text, span))

    def rule(text: str) -> str:
        for form in _FORMS:
            text = replace_spans(text, spans(text, form), placeholder)
        return text

    return rule


_REACH: Final = 80
"""The number of characters before a form that are searched for the name of a secret."""


def _unnamed(text: str) -> str:
    """Replace both values of "changed it from X to Y" if each can hardly be anything but a password."""
    found: list[Span] = []
    for match in _UNNAMED.finditer(text):
        value_spans = [value_span(text, match.span(group)) for group in ("old", "new")]
        if all(_STRICT.fullmatch(text, *span) is not None for span in value_spans):
            found += value_spans
    return replace_spans(text, found, PASSWORD)


_CUES: Final = (*STRONG_CUES, *"token heslo adgangskode passord palavra senha salasana jelszó parola".split())
CHANGES: Final[tuple[Rule, ...]] = (
    near_cues(_changed(_NAME, PASSWORD), *_CUES),
    near_cues(_changed(_CODE_NAME, CODE), "pin", "passcode", "puk", "code"),
    near_cues(_unnamed, " from "),
)
"""Run before the rules for one value, which would leave the other one."""
