"""Answers in a feedback form that name nothing, such as "Missing step: none" and "Correction: n/a"."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon

_LEXICON = lexicon("feedback")
_END: Final = r"[\"”'’)*_]{0,3}(?=\s{0,3}(?:$|[,;:!?)…\n]|\.(?![\w/])|\s[–—-]\s))\.?"
_DENYING: Final = rf"{_LEXICON.any_of('nothing')}(?:,? {_LEXICON.any_of('beside_nothing')}){{0,4}}"
_NOTHING: Final = rf"[\"“'‘(*_]{{0,3}}(?:{_DENYING}|[-–—/?]{{1,3}}){_END}"
_LABEL: Final = rf"[-*•–#>]{{0,3}} ?{_LEXICON.any_of('form_label')} ?(?:[:?=–—]|-(?=\s))[\s*_]{{0,4}}"
_DENIED = re.compile(rf"(?i){_LABEL}{_NOTHING}")
_DENIAL = re.compile(rf"(?i){_NOTHING}")
_DENIED_IN_FORM = re.compile(rf"(?im)(?:^|(?<=[.!?;,|\t] )){_LABEL}(?:[-*•–] )?{_NOTHING}")
_LEFT_OPEN = re.compile(rf"(?i){_LEXICON.any_of('left_open')}{_END}")
_HINT = re.compile(r"[\[(<{][^\])>}\n]*[\])>}]\W{0,3}")
"""What an unfilled form shows in a field: "[describe the step]"."""
_PRAISE = re.compile(
    rf"(?i)\W{{0,3}}(?:(?:all|everything|is|it|so|this|very|was) ){{0,3}}{_LEXICON.any_of('positive')}"
    r"(?: as (?:described|expected))?(?: for (?:me|us))?\W{0,3}"
)
_WORD = re.compile(r"\w")


def without_empty_answers(feedback: str) -> str:
    """Return feedback without the questions of a form whose answer is that there is nothing."""
    return _DENIED_IN_FORM.sub(" ", feedback)


def after_empty_answer(text: str) -> str:
    """Return a sentence without such an answer at its beginning; nothing is left of an answer without its question."""
    if (match := _DENIED.match(text) or _DENIAL.fullmatch(text)) is None:
        return text
    return text[match.end() :].strip(" ,;:.!?)–—-")


def names_nothing(answer: str) -> bool:
    """Return whether what follows the label "Missing step:" is no step, because it denies one, leaves it open, or praises."""
    bare = answer.strip(" -–—")
    return (
        _WORD.search(bare) is None
        or _PRAISE.fullmatch(bare) is not None
        or _HINT.fullmatch(bare) is not None
        or _DENIAL.match(bare) is not None
        or _LEFT_OPEN.match(bare) is not None
    )
