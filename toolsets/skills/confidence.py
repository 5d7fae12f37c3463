"""How feedback changes the confidence in a skill."""

import re
from typing import Final, Literal, TypeAlias

from toolsets.skills.extraction.outcomes import Outcome

Judgement: TypeAlias = Literal["positive", "negative", "neutral"]

STEPS: Final[dict[Judgement, float]] = {"positive": 0.1, "negative": -0.2, "neutral": 0.0}
"""One conversation that a skill misled outweighs two that it helped."""
_RATING = re.compile(
    r"(?i)(?<![\d.])(?P<given>10|\d(?:\.\d)?)\s?(?:/|out of|of)\s?(?P<most>5|10)\b|(?P<stars>[1-5])\s?stars?\b"
)
_POSITIVE = re.compile(
    r"(?i)\b(?:work(?:s|ed|ing)?|help(?:s|ed|ful)|correct|accurate|great|perfect(?:ly)?|solv(?:ed|es)|fix(?:ed"
    r"|es)|resolved|excellent|good"
    r"|confirm(?:ed|s)|right|spot on|useful|thanks?|thank you|clear|up to date|valid|reliable|easy|nice|awesome"
    r"|success(?:ful(?:ly)?)?"
    r"|yes|still applies|precise|recommend(?:ed)?)\b|👍|✅|🎉"
)
_NEGATIVE = re.compile(
    r"(?i)\b(?:wrong|incorrect|inaccurate|outdated|out of date|obsolete|deprecated|unhelpful|useless"
    r"|mislead(?:ing|s)?|misled|bad|fail(?:s|ed|ure)?"
    r"|broken|breaks|broke|incomplete|confusing|unclear|invalid|missing|worse|poor|terrible|unusable|no longer"
    r"|doesn'?t apply|error(?:s)? (?:again|still)"
    r"|dangerous|harmful|irrelevant|unrelated|false|nonsense|no)\b|👎|❌"
)
_TURN = re.compile(
    r"(?i)\b(?:not|n't|never|hardly|barely|cannot|can't|didn't|doesn't|don't|wasn't|isn't|aren't|won't|couldn't"
    r"|wouldn't|without|nothing)\W+(?:\w+\W+){0,2}$"
)
_WITHOUT_FAULT = re.compile(
    r"(?i)\b(?:no (?:problems?|issues?|errors?|complaints?|changes? needed)|nothing (?:wrong|missing)|not bad"
    r"|never fails|no doubt)\b"
)
_ASKED_AND_DENIED = re.compile(
    r"(?i)\b(?:accurate|correct|help(?:s|ed|ful)?|resolved|right|solved|useful|work(?:s|ed)?)\s?\?\W*(?:nah|no|nope|not)\b[^.!?\n]*"
)
"""A question of a form with its answer: "Helpful? No"."""
_CONTRAST = re.compile(
    r"(?i)\b(?:although|apart from|aside from|besides|but|except|however|only|other than|though|yet|step \d{1,2}|steps)\b"
)
"""Words by which praise is restricted."""
MAX_FEEDBACK: Final = 10_000
"""The number of code points of the feedback that are judged."""


def changed_by(confidence: float, judgement: Judgement) -> float:
    """Return a confidence after a judgement: 0.1 more for a positive, 0.2 less for a negative one, within 0..1."""
    return round(min(1.0, max(0.0, confidence + STEPS[judgement])), 2)


def judge(feedback: str, outcome: Outcome = "none") -> Judgement:
    """Return the judgement that feedback expresses: by its rating, such as 4/5 or 2 stars, or else by its words.

    Praise that is restricted, as in "worked, except that step 2 is outdated", is neutral.
    Without feedback the outcome of the conversation decides: `worked` is positive, `failed` negative.
    """
    text = feedback[:MAX_FEEDBACK].replace("’", "'").strip()
    if not text:
        return "positive" if outcome == "worked" else "negative" if outcome == "failed" else "neutral"
    if (rating := _rating(text)) is not None:
        return "positive" if rating >= 0.7 else "negative" if rating <= 0.4 else "neutral"
    good, bad = 2 * len(_WITHOUT_FAULT.findall(text)), 2 * len(_ASKED_AND_DENIED.findall(text))
    text = _ASKED_AND_DENIED.sub(" ", _WITHOUT_FAULT.sub(" ", text))
    for pattern, praises in ((_POSITIVE, True), (_NEGATIVE, False)):
        for match in pattern.finditer(text):
            turned = _TURN.search(text, max(0, match.start() - 40), match.start()) is not None
            good, bad = (good + 1, bad) if praises != turned else (good, bad + 1)
    if good > bad:
        return "neutral" if bad and _CONTRAST.search(text) is not None else "positive"
    return "negative" if bad > good else "neutral"


def _rating(text: str) -> float | None:
    """Return the rating in a text, in 0..1, None if there is none."""
    match = _RATING.search(text)
    if match is None:
        return None
    if match["stars"] is not None:
        return int(match["stars"]) / 5
    return min(1.0, float(match["given"]) / int(match["most"]))
