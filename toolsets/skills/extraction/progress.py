"""Judges what replies say of single steps: that one changed something, though not everything, is being tried, or gave a fact."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from toolsets.lexical_scores import STOP_WORDS, terms
from toolsets.skills.extraction.answers import explanations
from toolsets.skills.extraction.clauses import words_of
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.outcomes import outcome_of
from toolsets.skills.extraction.steps import Answer
from toolsets.skills.extraction.verbs import base_of_gerund

_LEXICON = lexicon("progress")
_NO_THING = _LEXICON.words("no_thing")
_NOW, _FINE_NOW = _LEXICON.pattern("now"), _LEXICON.pattern("fine_now")
_WRONG_STATE, _CHANGED = _LEXICON.pattern("wrong_state"), _LEXICON.pattern("changed")
_RELAPSE = lexicon("outcomes").pattern("relapse")
_JOINT = re.compile(
    r"(?i)[.!?;]+\s+|\n+|,?\s(?=(?:and )?(?:but|except|however|only|though|whereas|while|yet)\b)|,\s+(?=(?:the|my|our)\b)"
)
_LEAD = re.compile(
    r"(?i)(?:(?:ah|and|but|hm+|however|just|now|ok(?:ay)?|only|sadly|so|though|unfortunately|well|while|yet)\W+)+"
)
_PLACE = re.compile(r"(?i)\b(?:at|in|on) (?:(?:my|our|the) )?[\w-]{3,}")
_SUPPOSED = re.compile(r"(?i)\b(?:could|if|maybe|perhaps|should|would)\b")
_PLANNED = re.compile(r"(?i)\b(?:going to|gonna|i['’]?ll|will|we['’]?ll) (?P<base>[a-z]+)\b")
_LOOKS = re.compile(
    r"(?i)(?:[^,.!?]{1,80}, )?(?:check|click|enter|execute|find|go|issue|launch|look|open|press|read|run|see|type|use|view)\b"
)
"""The verb of a step that changes nothing."""
_TELL_ME = re.compile(
    r"(?i)\b(?:and|then)(?: then)?(?: please)? (?:give|read|send|show|tell) (?:me|us) (?:"
    r"(?:how (?:big|long|many|much|old)|what|when|where|which|who)\b(?! (?:happens|changes))|(?:its|the|your) [\w /-]{1,60})"
    r"[^.!?]{0,120}[.!?]*$"
)
"""The end of a step that asks for a fact, unlike "and tell me whether it works"."""
_LONGEST: Final = 600
"""Characters from the end of a reply, which bound the work; the present state is described there."""
_MOST_CLAUSES: Final = 24
"""More clauses than so many characters usually have; it bounds the work on a list of commas."""
_FEWEST_SHARED: Final = 2
"""A verb and one more word: one alone, such as "press", may mean any step."""


def asks_for_report(pending: Sequence[Answer]) -> bool:
    """Return whether the last answer with steps only has the customer look something up: "Run lsusb and tell me its name"."""
    last = next((answer for answer in reversed(pending) if answer.instructs), None)
    return last is not None and all(_LOOKS.match(step) and _TELL_ME.search(step) for step in last.steps)


def improves_a_thing(reply: str) -> bool:
    """Return whether a reply says that one thing is well now, or was wrong and is changed, and then that another still fails.

    "The light is steady now, but the laptop still says offline"; not "It works now, but it still says offline".
    """
    ending = reply[-_LONGEST:].replace("’", "'")
    better = wrong = False
    for clause in islice(_clauses(ending), _MOST_CLAUSES):
        words = words_of(_LEAD.sub("", clause, count=1))
        if not words or _SUPPOSED.search(clause) is not None:
            continue
        failed = "still" in words or outcome_of(clause) == "failed"
        if (better or wrong) and failed and (wrong or words[0] not in _NO_THING):
            return True
        wrong = wrong or _tells_a_wrong_state(ending, clause)
        names = words[0] not in _NO_THING or _PLACE.match(_LEAD.sub("", clause, count=1)) is not None
        if not failed and _is_well_now(clause):
            better = better or names
        elif _RELAPSE.search(clause) is not None:
            return False
    return False


def _is_well_now(clause: str) -> bool:
    return _FINE_NOW.search(clause) is not None or (_NOW.search(clause) is not None and outcome_of(clause) == "worked")


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for joint in _JOINT.finditer(text):
        yield text[start : joint.start()]
        start = joint.end()
    yield text[start:]


def _tells_a_wrong_state(reply: str, clause: str) -> bool:
    """Return whether a clause says that a thing was in a wrong state, which the reply then says is changed."""
    match = _WRONG_STATE.search(clause)
    return match is not None and _CHANGED.search(reply, reply.find(clause) + match.end()) is not None


def with_taken_up(settled: Sequence[Answer], reply: str, failed: Sequence[Answer]) -> list[Answer]:
    """Return the answers that worked, and the steps of answers that failed which the reply says are followed now.

    "The pin did it. Updating the firmware right now" says so by the verb and a word of the step, in a clause of its own.
    """
    more = _taken_up(reply, failed)
    if not more or any(answer.instructs for answer in settled):
        return [*settled, *more]
    return [*(Answer(answer.text, explanations(answer.text)) for answer in settled), *more]


def _taken_up(reply: str, failed: Sequence[Answer]) -> list[Answer]:
    doing = [
        (frozenset(verbs), frozenset(terms(clause)))
        for clause in _clauses(reply[-_LONGEST:])
        if (verbs := _verbs(clause))
    ]
    found: list[Answer] = []
    for answer in failed if doing else ():
        steps = [step for step in answer.steps if any(_is_meant(step, verbs, said) for verbs, said in doing)]
        found += [Answer(answer.text, steps)] if steps and len(steps) < len(answer.steps) else []
    return found


def _verbs(clause: str) -> list[str]:
    """Return the verbs of what someone is doing or going to do, in their base forms; none in a clause about a failure."""
    if outcome_of(clause) == "failed" or clause.rstrip().endswith("?"):
        return []
    verbs = [base for word in words_of(clause) if word.endswith("ing") and (base := base_of_gerund(word)) is not None]
    return [*verbs, *(match["base"].casefold() for match in _PLANNED.finditer(clause))]


def _is_meant(step: str, verbs: frozenset[str], said: frozenset[str]) -> bool:
    known = frozenset(terms(" ".join(word for word in words_of(step) if word not in STOP_WORDS)))
    return not verbs.isdisjoint(words_of(step)) and len(known & said) >= _FEWEST_SHARED
