"""Removes the answers to questions for a secret: the question names it, and a later line contains nothing else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolsets.skills.redaction.passwords import STRONG, STRONG_CUES
from toolsets.skills.redaction.replacement import (
    ACCOUNT,
    BIRTH_DATE,
    CARD,
    CODE,
    CREDENTIALS,
    EXPIRY,
    PASSWORD,
    PHONE,
    TOKEN,
    Rule,
    Span,
    known_cues,
    lines_with_cues,
    replace_spans,
)
from toolsets.skills.redaction.values import VALUE, is_value, looks_secret, value_span

_DEMAND = re.compile(
    r"(?i)(?<!\S)(?:please|pls|plz|bitte|(?:tell|give|send|read|show|nennen) (?:me|us|sie)|(?<!you )need|(?:type|enter"
    r"|provide|confirm|share|state)"
    r"(?: in)? (?:your|the|me)|what(?:'s|’s)?|wie (?:lautet|ist|heißt)|quel\w*|cu[aá]l|geben sie|may i have|can i have)\b"
)
"""Words of a request, which may end with any mark or none."""
_GIVES = re.compile(rf"(?i)\b(?:{STRONG})(?:\s(?:is|was)|\s?[:=])\s{{1,2}}{VALUE}")
_REPLY_LINES: Final = 4
"""The number of lines with text after a question that are searched for its answer."""
_LABEL = re.compile(r"(?:[ \t]{0,8}>|[^\n:>\]]{0,40}(?::|(?<![ \t])>)|\[[^\[\]\n]{1,30}\][^\n:>]{0,40}[:>])[ \t]+")
_FILLER: Final = (
    r"(?:(?:sure|yes|yeah|yep|ok|okay|of course|well|um+|u[hm]+|er+m?|hm+|it|its|it's|it’s|it is|it was|that's|that is|that was"
    r"|they are|this is|this one|here|here it is|here you go|here you are|there you go|the (?:old|new|current"
    r"|last|temporary) one|should be|must be|would be|my|the|is"
    r"|was|i think|i guess|i believe|i used|i use|i typed|i have|i set|i type|i enter|i entered|i put|i chose|i always|ja"
    r"|es ist|das ist)\b[,.:;!]?\s{0,2}){0,6}"
)
_MARKS: Final = r"[.,;:!?…)\]>\"'`”*]"
_TRAILER: Final = (
    rf"{_MARKS}{{0,4}}(?:[,;]?\s{{1,2}}(?:i think|i guess|i believe|thanks|thank you|please|btw|for now|if i remember right"
    r"|maybe|probably|(?:all |in |with |without )*(?:lower ?case|upper ?case|small|caps|capitals?|spaces?"
    r"|one word)(?: letters?)?|danke|bitte))?[.!]?"
    rf"(?P<more>(?:(?<={_MARKS})\s{{1,2}}|\s{{1,2}}(?:[-–—]|but|and|which|is|was)\s)[^\n]{{1,400}})?"
)
"""The text after an answer: marks, a courtesy, and more that is said in the same line."""
_NO_MEMBER = (
    r"(?:the|a|an|and|or|but|so|same|one|ones|usual|default|standard|old|new|both|all|any|none|nothing|no|not|yes|my|mine"
    r"|your|it|its|this|that|of|for"
    r"|from|to|in|on|at|as|with|without|by|i|we|you|they|he|she|is|was|are|do|does|did|have|has|had|what|which|why|how|who"
    r"|when|where|if|just"
    r"|only|always|never|sorry|thanks|thank|please|don|dont|can|cannot|cant|still|works?|worked|login|user|admin|account"
    r"|pass\w*|pin|code"
    r"|windows|google|microsoft|apple|email|mail|computer|laptop|phone|tablet|wifi|router|network|company|office|work|domain"
    r"|local|bank|e)\b"
)
"""Words that speak of a password and are none."""
_WORD = r"[\"'`“«]?\S{3,200}"
_SEVERAL = rf"(?!{_NO_MEMBER})[a-z]{{3,14}}(?: (?!{_NO_MEMBER})[a-z]{{2,14}}){{1,3}}"
"""A password of several words."""
_NAMES = (
    r"(?!(?:i|we|no|not|none|never|nothing|sorry|why|what|do|does|don['’]t|how|is|are|you|please|can|could|that"
    r"|this)\b)(?:(?:an?|the|in|at) )?"
    r"[\w'’&-]{2,30}(?: [\w'’&-]{1,30}){0,3}"
)
"""The name of a pet, a school or a city."""
_DIGITS = r"[A-Z]{0,4}[ -]?\d(?:[ .\-–/]?\d){2,32}"
_DATE = (
    r"\d{1,4}[./ -]\d{1,2}[./ -]\d{1,4}|\d{1,2}(?:st|nd|rd|th|\.)?(?: of)? [A-Za-z]{3,9}\.?,? \d{4}"
    r"|[A-Za-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{6,8}"
)
_ONLY_FILLER = re.compile(
    r"(?i)\W*(?:(?:sure|yes|yeah|yep|ok|okay|of course|one|a|just|moment|second|sec|wait|hold on|let|me|look|see|check|here|it"
    r"|is|you|go|hm+|um+|well|thanks|ja|moment mal|gladly|certainly|no problem)\b\W*){1,6}"
)


@dataclass(frozen=True, slots=True)
class _Question:
    """A kind of secret: the names that a question uses for it, and the form of the answer."""

    name: re.Pattern[str]
    answer: re.Pattern[str]
    placeholder: str
    words: bool
    """Whether any word may be the answer."""
    at_least: int
    """The fewest characters of an answer that reads unlike a word."""


def _question(name: str, answer: str, placeholder: str, *, words: bool = False, at_least: int = 3) -> _Question:
    return _Question(
        re.compile(rf"(?i)(?<![\w-])(?:{name})(?![\w-])"),
        re.compile(rf"(?i){_FILLER}(?P<answer>{answer}){_TRAILER}[ \t]*"),
        placeholder,
        words,
        at_least,
    )


_PET_OR_PLACE = (
    r"(?:(?:first|childhood|oldest|best) (?:pet|dog|cat|school|car|teacher|friend|street|boss|job)"
    r"|favou?rite (?:pet|teacher|book|movie|film|food|city|hero|band|team|colou?r))(?:['’]s name)?"
    r"(?=\W*$|\s(?:called|named|was|is|you|as|and|when|in)\b)"
    r"|(?:what|which) (?:car|pet|dog|cat|school) [^?\n]{0,20}\byou\b[^?\n]{0,20}\bfirst|where were you born|(?:pet|dog"
    r"|cat)(?:['’]s)? name|name of (?:your|the) (?:pet|dog|cat|school|street|mother|father)"
    r"|(?:city|town|village|place|hospital|street) (?:were|was|did) you (?:born|grow up|raised)|grow up|(?:were )?you born in"
)
"""What the usual questions for the security of an account ask for."""
_CUES: Final = known_cues(
    *STRONG_CUES,
    *"pet dog cat school car teacher friend street book movie film food city hero boss job born grow".split(),
    *"pin code card digits cvv cvc birth expir account phone number token login log-in".split(),
)
_QUESTIONS: Final = (
    _question(
        rf"(?:{STRONG})(?![ -](?:age|entry|error|field|format|length|manager|message|policy|prompt|reset|rule|screen"
        rf"|type)s?\b)|maiden name|security question",
        _WORD,
        PASSWORD,
        words=True,
    ),
    _question(
        rf"(?:what|which|tell me the|say the|give me the) (?:is |was )?(?:(?:the|your|that|exact|whole|current|new|old"
        rf"|first) ){{0,3}}"
        rf"(?:{STRONG})(?= (?:(?:do|did|are|have) you|that you|you|is it|was it|it is)\b|\s?[?.,])",
        _SEVERAL,
        PASSWORD,
        words=True,
    ),
    _question(_PET_OR_PLACE, _NAMES, PASSWORD, words=True),
    _question(
        r"(?:pin|code|passcode|otp|puk|cvv2?|cvc2?)s?|(?:four|six|eight|[468])[ -]digits?"
        r"|(?:last|final) (?:four|4|six|6)(?: digits)?",
        rf"{_DIGITS}|(?-i:(?=[A-Z-]{{0,24}}\d)[A-Z0-9]{{3,12}}(?:-[A-Z0-9]{{2,12}}){{0,5}})|(?=[a-z]{{0,8}}\d)[a-z0-9]{{4,12}}",
        CODE,
    ),
    _question(r"log-?ins?|credentials|user ?name and password", r"[^\s/:,]{2,60}\s?[/:,]\s?\S{3,200}", CREDENTIALS),
    _question(r"date of birth|birth ?date|birthday|dob|born", _DATE, BIRTH_DATE),
    _question(r"expir(?:y|ation)(?: date)?|valid until", r"\d{1,2}\s?[/.-]\s?\d{2,4}", EXPIRY),
    _question(r"(?:credit |debit |bank )?card(?: number| no\.?)?", _DIGITS, CARD),
    _question(
        r"(?:account|customer|member(?:ship)?|policy|passport|licen[cs]e|iban|sort|routing)(?: (?:number|no|code|id)\b\.?)?",
        rf"{_DIGITS}|[A-Z]{{2}}\d{{2}}(?:[ -]?[A-Z0-9]{{1,4}}){{3,8}}|(?=[A-Z]{{0,12}}\d)[A-Z0-9]{{5,34}}",
        ACCOUNT,
    ),
    _question(
        r"(?:phone|mobile|cell|telephone|contact|fax|call)\b[^\n]{0,12}\b(?:number|no|you)|number", _DIGITS, PHONE
    ),
    _question(
        r"(?:api|access|secret|licen[cs]e|product|activation|serial) ?(?:key|token|code)|token",
        _WORD,
        TOKEN,
        at_least=8,
    ),
)
_WHETHER = re.compile(
    r"(?i)(?:(?:and|so|ok|okay|but),? )?(?:did|have|has|had|is|was|are|were|does|do|will|should) (?:you|it|the"
    r"|your|they|i|we|that|this)\b"
)
"""The beginning of a yes-or-no question; a word after it is not a secret."""


def _answered(text: str) -> str:
    """Replace the answers to all questions for a secret."""
    found = [answer for line in lines_with_cues(text, _CUES) for answer in _answers(text, *line)]
    end = len(text)
    # From the last one to the first, so that positions stay valid.
    for placeholder, (start, stop) in sorted(found, key=lambda each: each[1], reverse=True):
        if stop <= end:
            text = replace_spans(text, [(start, stop)], placeholder)
            end = start
    return text


def _answers(text: str, start: int, stop: int) -> Iterator[tuple[str, Span]]:
    """Yield the answer to the question in a line, with its placeholder."""
    if (label := _LABEL.match(text, start, stop)) is not None:
        start = label.end()
    start = max(start, stop - _LONGEST_QUESTION)
    asks = text[start:stop].rstrip("\"') \t").endswith("?")
    if not asks and (_DEMAND.search(text, start, stop) is None or _gives_it(text, start, stop)):
        return
    whether = _WHETHER.match(text, start, stop) is not None
    for question in _QUESTIONS:
        if question.name.search(text, start, stop) is None or (span := _reply(text, stop + 1, question)) is None:
            continue
        if question.placeholder == CODE and _is_fault_code(text, (start, stop), span):
            continue
        if (question.words and not whether) or looks_secret(text[slice(*span)], at_least=question.at_least):
            yield question.placeholder, span
            return


def _is_fault_code(text: str, asked: Span, span: Span) -> bool:
    """Return whether a display is asked about and shows a code such as E24."""
    return _FAULT.search(text, *asked) is not None and _FAULT_CODE.fullmatch(text, *span) is not None


_FAULT = re.compile(r"(?i)\b(?:error|exit|fault|status|display|panel|screen|led)\b")
_FAULT_CODE = re.compile(r"[A-Za-z]{1,3}[ -]?\d{1,3}")


def _gives_it(text: str, start: int, stop: int) -> bool:
    """Return whether a line tells a password itself: "my password is Xa9!b, please have a look"."""
    given = _GIVES.search(text, start, stop)
    return given is not None and looks_secret(text[slice(*value_span(text, given.span(1)))], at_least=_GIVEN)


_GIVEN: Final = 4
"""The fewest characters of a password that reads unlike a word."""


def _reply(text: str, at: int, question: _Question) -> Span | None:
    """Return the answer in the first line from `at` on that is more than a courtesy."""
    lines = 0
    while at < len(text) and lines < _REPLY_LINES:
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        start = label.end() if (label := _LABEL.match(text, at, stop)) is not None else at
        bare = text[start:stop].strip()
        if bare:
            lines += 1
            start += len(text[start:stop]) - len(text[start:stop].lstrip())
            if (found := question.answer.fullmatch(text, start, stop)) is not None:
                span = value_span(text, found.span("answer"))
                if is_value(text, span) and (found["more"] is None or _is_apart(text, span, question)):
                    return span
            colon = text.rfind(": ", start, stop) + 1
            if colon > 0 and (found := question.answer.fullmatch(text, colon + 1, stop)) is not None:
                span = value_span(text, found.span("answer"))
                if is_value(text, span) and looks_secret(text[slice(*span)], at_least=_AFTER_COLON):
                    return span
            if len(bare) > _LONGEST_COURTESY or _ONLY_FILLER.fullmatch(bare) is None:
                return None
        at = stop + 1
    return None


def _is_apart(text: str, span: Span, question: _Question) -> bool:
    """Return whether the beginning of a longer reply is the answer: by its form, or as a word that is a sentence."""
    value = text[slice(*span)]
    if _SECTION.fullmatch(value):
        return False
    if not question.words or looks_secret(value, at_least=4):
        return True
    ends = _CLAUSE_ENDS.match(text, span[1]) is not None
    return ends and (len(value) >= 5 or value[:1].isupper()) and value.casefold() not in _REMARKS


_CLAUSE_ENDS = re.compile(r"[.!\"']|\s[-–—]|,\s(?:but|and|which|it|all|with)\b")
_SECTION = re.compile(r"[A-Za-z]{0,4}\d{1,2}(?:\.\d{1,2}){1,2}|\d{1,2}(?:\.\d){1,5}")
_REMARKS: Final = frozenset(
    "forgot forgotten dunno really maybe wait hmm nothing sorry moment unsure yesterday exactly".split()
)
"""Words of a reply that are a sentence of their own."""
_AFTER_COLON: Final = 6
"""The fewest characters of an answer after a colon in a longer reply; an error message may stand there, too."""
_LONGEST_QUESTION: Final = 400
"""Characters; what asks for a secret stands at the end of a message."""
_LONGEST_COURTESY: Final = 60
"""Characters; a longer line before a value is no filler, so that the value answers something else."""
ANSWERS: Final[tuple[Rule, ...]] = (_answered,)
"""Runs before the other rules that find a secret by its context, which may put a placeholder into the question."""
