"""Whether feedback speaks for a skill or against it."""

import re
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.cues import is_courtesy
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.outcomes import Outcome, outcome_of
from toolsets.skills.extraction.reports import without_irony
from toolsets.skills.extraction.short_replies import verdict_abroad
from toolsets.skills.form_answers import without_empty_answers
from toolsets.skills.skill import Judgement

_LEXICON = lexicon("feedback")
_RATING = re.compile(
    r"(?i)(?<![\d./])(?<!step )(?P<given>10|\d(?:\.\d)?)\s?(?:/|out of|of(?=\s?\d+(?:\W*$|[.,;:!?)\n]| points| stars)))"
    r"\s?(?P<most>5|10)\b(?!\s?/)"
    rf"|(?P<stars>[1-5]|one|two|three|four|five)[ -]?stars?(?=\W*$|[.,;:!?)\n]|\W+{_LEXICON.any_of('after_stars')}\b)"
)
_POSITIVE = re.compile(rf"{_LEXICON.pattern('positive').pattern}|{_LEXICON.any_of('positive_signs')}")
_NEGATIVE = re.compile(rf"{_LEXICON.pattern('negative').pattern}|{_LEXICON.any_of('negative_signs')}")
_VOTE = re.compile(
    r"(?i)(?:(?:^|[.,;:!?(\n])\s*|\b(?:a|give(?: it| this)?|it|score|vote|voted) )(?P<vote>[\u2212-]\s?1)\b(?!\.?\d)"
    r"|(?<![\w.])(?P<praise>\+\s?1)\b(?!\.?\d)"
)
"""A vote. A minus before a 1 within a sentence is mostly something else, as in "exit code -1" and "ls -1"."""
_BARE_RATING = re.compile(
    r"(?i)\W*(?:my )?(?:(?:grade|note|rating|score)\W+)?(?P<number>\d{1,3})\s?(?P<percent>%|percent)?"
    r"(?: (?:accurate|correct|helpful|right|useful))?\W*"
)
_SHOWN_STARS = re.compile("(?P<full>[★⭐🌟]️?)|(?P<empty>☆)")
_TURN = re.compile(
    r"(?i)\b(?:not|n't|never|hardly|barely|cannot|can't|didn't|doesn't|don't|wasn't|isn't|aren't|won't|couldn't"
    r"|wouldn't|without|nothing|no longer|no more)\W+(?:\w+\W+){0,2}$"
)
_TURN_BEHIND = re.compile(r"(?i)\s+(?:absolutely |exactly )?(?:nothing|nobody|no one|none)\b")
"""A negation after the praise: "solved nothing"."""
_SHORT_LIVED = re.compile(
    r"(?i)\b(?:(?:only|just) (?:briefly|once|temporarily|for)|for (?:only|just)) ?(?:(?:an?|one|two|three|some|several"
    r"|\d+) )?(?:few |short )?"
    r"(?:(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|moments?|time|while)\b)?(?=\W|$)"
)
_ANNOUNCED_STEP = re.compile(
    rf"(?i)(?:(?<=[.!?]\s)|(?<=\n)|^)\W{{0,3}}{_LEXICON.any_of('missing')}\s*[^\s.!?][^.!?\n]*[.!?]?"
)
"""A step that the skill lacks, which is no blame of those that it has."""
_WITHOUT_FAULT = _LEXICON.pattern("without_fault")
_ASKED_AND_DENIED = re.compile(
    r"(?i)\b(?:accurate|correct|help(?:s|ed|ful)?|resolved|right|solved|useful|work(?:s|ed)?)\s?\?\W*(?:nah|no|nope"
    r"|not)\b[^.!?\n]*"
)
"""A question of a form with its answer: "Helpful? No"."""
LIMITED_BLAME = re.compile(
    rf"(?i)\W{{0,3}}(?:the )?(?P<step>{_LEXICON.any_of('step')}) {_LEXICON.any_of('limited_blame')}"
    r" (?P<scope>(?:for|if|in|on|to|when|with) (?!me\b|us\b)(?:[^.,;:!?]|[.,](?=\S)){3,80}?)"
    r"(?:(?:,| -|;) (?P<reason>[^.!?]{3,200}?))?(?:[.!]|: |$)"
)
"""A step that is wrong in some cases only, with the reason."""
HARM = re.compile(rf"(?i)(?:the )?(?P<step>{_LEXICON.any_of('step')}) {_LEXICON.any_of('harm')}")
"""A step that did harm."""
_IN_TIME = re.compile(r"(?i)\b(?:again|at first|first|for (?:a|an|some|two|\d+) \w+|initially|later|then)\b")
_CONTRAST = re.compile(
    r"(?i)\b(?:although|apart from|aside from|besides|but|except|however|only|other than|though|yet|step \d{1,2}|steps)\b"
)
"""Words by which praise is restricted."""
MAX_FEEDBACK: Final = 10_000
"""The number of code points of the feedback that are judged."""


def judge(feedback: str, outcome: Outcome = "none") -> Judgement:
    """Return the judgement that feedback expresses: by its rating, such as 4/5 or 2 stars, or else by its words.

    Praise that is restricted, as in "worked, except that step 2 is outdated", is neutral, and praise of damage, as in
    "great, now it is broken", counts for nothing.
    Blame of a step for some cases only, as in "step 2 is wrong for older models", is none. Praise beside a step that did
    harm, or of a success that did not last, is neutral. A step that is announced as missing is no blame, and the answer
    "missing step: none" counts for nothing.
    Without feedback the outcome of the conversation decides: `worked` is positive, `failed` negative.
    """
    text = without_empty_answers(feedback[:MAX_FEEDBACK].replace("’", "'")).strip()
    if text and not (text := LIMITED_BLAME.sub(" ", text).strip()):
        return "neutral"
    if text and not (text := _ANNOUNCED_STEP.sub(" ", text).strip()):
        return "neutral"
    if not text:
        return "positive" if outcome == "worked" else "negative" if outcome == "failed" else "neutral"
    if (rating := _rating(text)) is not None:
        return "positive" if rating >= 0.7 else "negative" if rating <= 0.4 else "neutral"
    ending = outcome_of(text)
    good, bad = 2 * len(_WITHOUT_FAULT.findall(text)), 2 * len(_ASKED_AND_DENIED.findall(text))
    text = _ASKED_AND_DENIED.sub(" ", _WITHOUT_FAULT.sub(" ", without_irony(text)))
    faults = bad
    for pattern, praises in ((_POSITIVE, True), (_NEGATIVE, False)):
        for match in pattern.finditer(text):
            turned = _TURN.search(text, max(0, match.start() - 40), match.start()) is not None
            turned = turned or (praises and _TURN_BEHIND.match(text, match.end()) is not None)
            good, bad = (good + 1, bad) if praises != turned else (good, bad + 1)
            faults += not praises and not turned
    changing = good == bad == 0 or (_IN_TIME.search(text) is not None and (not faults or good == bad))
    if ending in {"worked", "failed"} and changing and (bad in {good, 0} or good == 0):
        # "It did not work at first, but then it did": the last verdict counts.
        return "negative" if ending == "failed" else "neutral" if _SHORT_LIVED.search(text) is not None else "positive"
    if good > bad:
        harmed = HARM.search(text) is not None or _SHORT_LIVED.search(text) is not None
        return "neutral" if harmed or (bad and _CONTRAST.search(text) is not None) else "positive"
    return "negative" if bad > good else "neutral"


def is_verdict(feedback: str) -> bool:
    """Return whether a sentence of feedback only praises, blames or greets, and tells nothing that could be added."""
    if _A_STEP.search(feedback) is not None:
        return False
    return all(map(_only_judges, filter(str.strip, _PARTS.split(feedback[:MAX_FEEDBACK].replace("’", "'")))))


def _only_judges(text: str) -> bool:
    if is_courtesy(text) or _rating(text) is not None or verdict_abroad(text) is not None:
        return True
    bare = _NEGATIVE.sub(" ", _POSITIVE.sub(" ", text))
    left = len(terms(_VERDICT_THING.sub(" ", bare)))
    judged = bare != text or outcome_of(text) != "none"
    starts = _VERDICT_START.match(text) is not None or text.lstrip()[:1] != bare.lstrip()[:1]
    return not terms(text) or (judged and left <= (_MOST_BESIDE if starts else 0))


_PARTS = re.compile(r"(?i)[,;]\s+|\s[-–—]\s|,? \b(?:but|except|however)\b,?|(?<=[.!?])\s")
_A_STEP = re.compile(rf"(?i)\b{_LEXICON.any_of('step')}")
_VERDICT_THING = _LEXICON.pattern("verdict_thing")
_VERDICT_START = re.compile(rf"(?i)\W*{_LEXICON.any_of('verdict_start')}\b")
_MOST_BESIDE: Final = 4
"""The most terms that a verdict has in addition to the words that praise or blame."""


def _rating(text: str) -> float | None:
    """Return the rating in a text, in 0..1, None if there is none."""
    if (vote := _VOTE.search(text)) is not None:
        return 0.0 if vote["praise"] is None else 1.0
    if shown := list(_SHOWN_STARS.finditer(text)):
        full = sum(match["full"] is not None for match in shown)
        return full / max(5, len(shown))
    if (bare := _BARE_RATING.fullmatch(text)) is not None:
        number = int(bare["number"])
        most = 100 if bare["percent"] else 5 if number <= 5 else 10
        return number / most if number <= most else None
    match = _RATING.search(text)
    if match is None:
        return None
    if (stars := match["stars"]) is not None:
        return (int(stars) if stars.isdigit() else _NUMBERS.index(stars.casefold())) / 5
    return min(1.0, float(match["given"]) / int(match["most"]))


_NUMBERS: Final = _LEXICON.phrases["number"]
