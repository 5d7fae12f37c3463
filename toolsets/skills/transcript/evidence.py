"""Weighs what speakers with names say: who offers help, asks for details and instructs, and who has a problem and is thankful."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from toolsets.skills.transcript.words import any_of

_ANSWERS = re.compile(
    r"(?i)\b(?:thank(?:s| you) for (?:reaching out|contacting|your (?:message|patience|question|report|e-?mail)"
    r"|getting in touch|writing"
    r"|calling)|happy to help|glad to (?:help|hear)|how (?:can|may) i help|let me (?:check|look|see|know if"
    r"|walk you)|i(?:'ll| will) (?:check"
    r"|look into|escalate|walk you)|you(?:'ll| will)? (?:can|could|need to|should|have to|must|may"
    r"|might want to|will want to)"
    r"|please (?:try|go|open|click|check|make sure|run|restart|update|send|confirm|follow|use|note|let)"
    r"|try (?:to|the|this|these|a|an|re|clear|\w+ing)"
    r"|could you (?:please|try|send|check|tell|confirm)|can you (?:please|try|send|check|tell|confirm)"
    r"|have you tried|did you try"
    r"|which (?:version|browser|model|device|operating)|what (?:version|browser|model|device|operating)|apologi[sz]e"
    r"|sorry (?:to hear|for the (?:inconvenience|trouble|delay))|we(?:'ve| have) |our (?:team|engineers|side)"
    r"|anything else|you're welcome|no problem"
    r"|no worries|glad (?:that|it)|does that (?:help|work)|is there anything)"
)
_ASKS = re.compile(
    r"(?i)\b(?:i (?:can't|cannot|can not|couldn't|get|got|keep|am (?:getting|trying|unable|having|not able)"
    r"|tried|have (?:a|an|the|tried|been)|don't"
    r"|need|want|forgot|just|bought|installed|use|did)|i'm (?:getting|trying|unable|having|not able|stuck)"
    r"|how (?:do|can|should|would) (?:i|we|you)"
    r"|my |our |we (?:can't|cannot|get|are)|(?:it|that|this) (?:works|worked|did it|fixed|solved|still|doesn't"
    r"|does not|didn't)|still (?:not|the same|get)"
    r"|why (?:is|does|do|can't)|(?:please|any|need|some) help|help me|not working|doesn't work|thanks,? that"
    r"|thank you so much|perfect)"
)
_OFFERS, _INVITES, _WELCOMES = (re.compile(rf"(?i)\b{any_of(name)}") for name in ("offers", "invites", "welcomes"))
_LEAD: Final = (
    r"\W*(?:(?:ah|and|fine|good|great|hello|hey|hi|hm+|no|nice|now|ok(?:ay)?|oh|perfect|please|right|so|then|well|yes)\b"
    r"[,.!:–-]* ?){0,4}"
)
_OFFICE, _INTRODUCTION = (re.compile(rf"(?i){_LEAD}{any_of(name)}") for name in ("offices", "introductions"))
_REQUEST = re.compile(rf"(?i)\b{any_of('requests')}")
_SOLVED, _RESULT = (re.compile(rf"(?i){_LEAD}{any_of(name)}") for name in ("solved", "results"))
_THANKS_FOR_HELP, _THANKS = (re.compile(rf"(?i)\b{any_of(name)}") for name in ("thanks_for_help", "thanks"))
_ORDER = re.compile(
    rf"(?i){_LEAD}(?:(?:first|next|just|also|kindly|simply|finally|once|afterwards),? ){{0,3}}{any_of('orders')}\b"
    r"(?!(?: \w+)? (?:is|are|was|were|has|had|does|did|fails?|failed|crash(?:es|ed)?|stop(?:s|ped))\b)"
)
"""An instruction, unlike "Print is grey"."""
_SUPPOSED = re.compile(r"(?i)\b(?:should|will|if|when|may|might|please|try|can you|could you)\b")
_OWN = re.compile(r"(?i)\b(?:i|me|my|mine|we|us|our|ours|any(?:one|body)|some(?:one|body))\b")
_SMALL_TALK = re.compile(r"(?i)\bhow (?:are|is|was|do) (?:you|your|things)\b|\bhow's\b|\bwhat's up\b")
_GREETING = re.compile(
    r"(?i)(?:\W*\b(?:hi|hello|hey|good|morning|afternoon|evening|day|there|hallo|guten|tag|bonjour|hola|ciao)\b){0,4}"
    r"(?:\W+[\w'-]+)?\W*"
)
_YES_OR_NO = re.compile(r"(?i)\W*(?:yes|yep|yeah|no|nope|it (?:does|is|doesn't|isn't)|not really|ja|nein)\b")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_READ: Final = 4_000
"""The characters of a message that are weighed."""
_MOST_SENTENCES: Final = 60
"""More than so many characters usually have; it bounds the work on a text of full stops."""

_CERTAIN: Final = 4.0
_STRONG: Final = 3.0
_PLAIN: Final = 1.0
_WEAK: Final = 0.5
"""Weights of what a sentence says about who helps: from an offer of help to a plain yes or no."""
_ORDERS: Final = 2.0
"""The weight of a message with instructions."""
_MOST_ORDERS: Final = 4.0
"""The most for instructions, so that a customer who tells what was tried does not become the helper."""
_MOST_CUES: Final = 4
"""The most for words of one message, so that a long message does not outweigh all others."""
_MOST_QUESTIONS: Final = 2
"""The most of one message that count, so that a list of questions does not outweigh all others."""
_SHORT: Final = 3
"""The words beside its greeting that a message may have that is no more than an invitation to tell the problem."""


def weigh(said: Iterable[tuple[str | None, str]], *, described: bool = False) -> Mapping[str | None, float]:
    """Return for each speaker of these messages the evidence of answering minus the evidence of asking.

    An offer of help and thanks for a solution outweigh other signs. A question about the problem is one of a helper until
    someone instructs; then it may ask for the meaning of an instruction. The first message that is more than a greeting
    has the problem, unless it offers help or the problem is `described` above the messages.
    """
    scores: dict[str | None, float] = defaultdict(float)
    orders: dict[str | None, float] = defaultdict(float)
    opened, instructed = described, False
    for speaker, message in said:
        text = message[:_READ].replace("’", "'")
        sentences = [match.group().strip() for match in islice(_SENTENCE.finditer(text), _MOST_SENTENCES)]
        score = float(min(_MOST_CUES, len(_ANSWERS.findall(text))) - min(_MOST_CUES, len(_ASKS.findall(text))))
        score += _of_a_helper(sentences, first=speaker not in scores)
        score += _of_questions(sentences, diagnoses=opened and not instructed)
        if not opened:
            opened = _GREETING.fullmatch(text) is None
            score -= _PLAIN if opened else 0
        else:
            if not instructed and _YES_OR_NO.match(text) is not None:
                score -= _WEAK
            score -= _of_a_thankful(sentences, instructed=instructed)
            if any(_ORDER.match(sentence) and not sentence.endswith("?") for sentence in sentences):
                orders[speaker] += _ORDERS
                instructed = True
        scores[speaker] += score
    return {name: score + min(_MOST_ORDERS, orders[name]) for name, score in scores.items()}


def _of_a_helper(sentences: Sequence[str], *, first: bool) -> float:
    """Return the weight of the surest sign of a helper: an offer, an invitation, an introduction, an answer to thanks."""
    stated_words = sum(len(_GREETING.sub("", part, count=1).split()) for part in sentences if not part.endswith("?"))
    score = 0.0
    for sentence in sentences:
        if _OFFERS.search(sentence) is not None:
            return _CERTAIN
        if (_OFFICE if first else _WELCOMES).match(sentence) is not None:
            score = _STRONG
        elif _INVITES.search(sentence) is not None and _OWN.search(sentence) is None:
            score = max(score, _STRONG if stated_words <= _SHORT else 0)
        elif _REQUEST.search(sentence) is not None or (first and _INTRODUCTION.match(sentence) is not None):
            score = max(score, _PLAIN)
    return score


def _of_a_thankful(sentences: Sequence[str], *, instructed: bool) -> float:
    """Return the weight of the surest sign of one who was helped: thanks, or the news that a problem is solved."""
    score = 0.0
    for sentence in sentences:
        if sentence.endswith("?"):
            continue
        supposed = _SUPPOSED.search(sentence) is not None
        if _THANKS_FOR_HELP.search(sentence) is not None or (not supposed and _SOLVED.match(sentence) is not None):
            return _STRONG
        if instructed and (
            _THANKS.search(sentence) is not None
            or (not supposed and _RESULT.match(sentence) is not None and _ORDER.match(sentence) is None)
        ):
            score = _PLAIN
    return score


def _of_questions(sentences: Sequence[str], *, diagnoses: bool) -> float:
    """Return the weight of questions: in favour of answering if they are about the other one's problem."""
    asked = [
        _PLAIN if diagnoses and _OWN.search(sentence) is None else -_WEAK
        for sentence in sentences
        if sentence.endswith("?") and _SMALL_TALK.search(sentence) is None and _OFFERS.search(sentence) is None
    ]
    return sum(asked[:_MOST_QUESTIONS])
