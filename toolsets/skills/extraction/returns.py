"""Judges what is back or happens again: whether it is the fault, or what the customer had lost."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from toolsets.lexical_scores import STOP_WORDS, terms
from toolsets.skills.extraction.clauses import Clause, words_of
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.short_replies import Verdict

_LEXICON = lexicon("outcomes")
_SUCCESS, _RUNS, _TROUBLE = _LEXICON.words("success"), _LEXICON.words("runs"), _LEXICON.words("trouble")
_COMPLAINT = _LEXICON.words("complaint")
_PRONOUNS: Final = frozenset({"it", "that", "these", "they", "this", "those"})
_NAMED_COMPLAINT = (_COMPLAINT - _PRONOUNS - {"light"}) | _LEXICON.words("regrets")
_RETURNED, _REAPPEARED = _LEXICON.words("returned"), frozenset({"reappeared", "reappears"})
_BAD = (
    _LEXICON.words("bad_states")
    | _LEXICON.words("bad_habits")
    | _LEXICON.words("weak_states")
    | (_TROUBLE - {"here", "there"})
    | {"0", "zero"}
)
_BACK = re.compile(r"(?i)\b(?:came|come|comes|coming|go|goes|went|is|are|was|were|'s|'re)(?: all| both)? back\b")
_WELL_AGAIN = re.compile(rf"(?i)(?:\b(?:are|is)|'s|'re) (?:\w+ )?{_LEXICON.any_of('good_states')} again\b")
_QUITS = re.compile(r"(?i)\b(?:ceas|quit|refus|stop)\w* (?:to )?work")
_WENT = re.compile(r"(?i)\b(?:go|goes|went) back\b")
_HERE_AGAIN = re.compile(
    r"(?i)\b(?:here|there)(?: it| they|'s)?(?: is| are)?(?: it)? again\b|\bit's (?:here|there) again\b"
)
_PART = re.compile(r"(?<=[.!?:;,])\s+|\n")
_LOST = _LEXICON.pattern("lost")
_MISSED = _LEXICON.pattern("missed")
_IS_GONE = _LEXICON.pattern("is_gone")
_SHOWN, _PERSISTS = _LEXICON.pattern("shown"), _LEXICON.pattern("persists")
_DENIALS, _LIGHTS = _LEXICON.words("denials"), _LEXICON.words("lights")
_FAILING = _LEXICON.words("failing")
_NOUNS_OF_FAULTS = _LEXICON.words("bad_habits") | {word for word in _FAILING if f"{word}s" in _FAILING}
"""What is a fault by its name: "the flashing", "the hum"."""
_NAME = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_AFTER_BACK = re.compile(r"\bback\b.*", re.DOTALL)
_OWNED = re.compile(
    r"(?i)\W*(?:(?:dear|good|hello|hey|hi|help|so|since|when|whenever)\W+(?:\w+\W+)??)?(?:my|our|the|this|that|his|her)\s+(?P<thing>[\w'’-]+(?:\s+[\w-]+)?)"
)
"""The thing at the beginning of a problem that someone has: "my printer", not "white lines"."""


def verdict_of_return(clause: Clause) -> Verdict | None:
    """Return "worked" if what is back is what the customer had lost, "failed" if it is the fault; None if unclear."""
    if _HERE_AGAIN.search(clause.text) is not None or _recurs(clause):
        return "failed"
    back, again = _BACK.search(clause.text) is not None, "again" in clause.words
    if again and clause.names(_SUCCESS):
        return "failed" if clause.denied or _QUITS.search(clause.text) is not None else "worked"
    if again and not clause.denied and (clause.names(_RUNS) or _WELL_AGAIN.search(clause.text) is not None):
        return "worked"
    if back and "back" in clause.words and (known := _of_what_was_lost(clause)) is not None:
        return known
    returned = (clause.names(_RETURNED) and clause.names(_NAMED_COMPLAINT)) or clause.names(_REAPPEARED)
    # "It is back" complains; "the menu is back with Debian in it" does not.
    subject = clause.words[: clause.words.index("back")] if "back" in clause.words else clause.words
    faulty = not (_COMPLAINT | _NOUNS_OF_FAULTS).isdisjoint(subject)
    if returned or (back and faulty) or (again and clause.names(_TROUBLE)):
        return "worked" if clause.denied else "failed"
    if not back or clause.denied or _WENT.search(clause.text) is not None:
        return None
    return "failed" if clause.contrasted and clause.followed else "worked"


def _recurs(clause: Clause) -> bool:
    """Return whether a clause counts the fault once more, or repeats its code: "just got 3 more", "E18 again"."""
    if clause.denied or not (_repeats_code(clause) or _counts_fault(clause)):
        return False
    return "now" in clause.words or not clause.glad


def _repeats_code(clause: Clause) -> bool:
    code = _CODE_AGAIN.fullmatch(clause.text)
    return code is not None and code["code"].casefold() in _names_in(clause.problem)


def _counts_fault(clause: Clause) -> bool:
    if (oftener := _OFTENER.search(clause.text)) is not None:
        return _happens(frozenset(terms(oftener["did"])), clause.problem, named=False)
    if (more := _MORE.fullmatch(clause.text)) is None:
        return False
    what = [word for word in words_of(more["what"]) if word not in STOP_WORDS]
    if not what:
        return not more["what"].strip() and _happens(_NONE, clause.problem, named=False)
    return _happens(frozenset(terms(" ".join(what))), clause.problem, named=more["when"] is None)


_NONE: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=16)
def _names_in(problem: str) -> frozenset[str]:
    return frozenset(_NAME.findall(problem.casefold()))


@lru_cache(maxsize=128)
def _happens(stems: frozenset[str], problem: str, *, named: bool) -> bool:
    """Return whether a problem says that something happens too often; not what is missing or too rare.

    `named`: nothing says when it happened, so that it may be another thing of the same name: "I got another camera".
    """
    parts = [part for part in _PART.split(problem) if not stems or not stems.isdisjoint(terms(part))]
    things = " ".join(owned["thing"] for part in parts if (owned := _OWNED.match(part)) is not None)
    if not parts or (named and things and not stems.isdisjoint(terms(things))):
        return False
    return not any(
        _TOO_FEW.search(part) is not None or _LOST.search(part) is not None or not _DENIALS.isdisjoint(words_of(part))
        for part in parts
    )


_CODE_AGAIN = re.compile(
    rf"(?i)\W*(?:{_LEXICON.any_of('before_code')}\W+){{0,4}}(?P<code>(?=\w{{0,19}}\d)\w{{1,20}})\W+{_LEXICON.any_of('once_more')}\W*"
)
_OFTENER = re.compile(rf"(?i)\b(?<!i )(?<!we )(?P<did>[a-z]{{3,20}}) {_LEXICON.any_of('oftener')}(?!\w)")
_MORE = re.compile(
    rf"(?i)\W*(?:{_LEXICON.any_of('before_more')}\W+){{0,6}}{_LEXICON.any_of('more')}(?!\w)"
    rf"(?P<what>(?:\W+(?!{_LEXICON.any_of('when_more')}(?!\w))[\w'-]+){{0,3}}?)(?P<when>\W+{_LEXICON.any_of('when_more')}(?!\w).*)?\W*",
    re.DOTALL,
)
_TOO_FEW = re.compile(r"(?i)\b(?:only|enough|fewer|less|just|missing)\b")


def is_back(clause: Clause) -> bool:
    """Return whether a clause only says that something is back, and not that it is so now: "then the lamp came back"."""
    return _BACK.search(clause.text) is not None and not clause.names(_SUCCESS | {"now", "finally"})


def restores_what_was_lost(clause: Clause) -> bool:
    """Return whether what a clause calls back is what the customer had lost, or two things: "both sides were back"."""
    return clause.words[:1] == ["both"] or _of_what_was_lost(clause) == "worked"


def still_as_reported(clause: Clause) -> bool:
    """Return whether a clause says that a thing is still as the problem says: "left still quiet", "no, still in the middle".

    Where "still" begins the clause, it is enough that one of the words after it is a word of the problem.
    """
    match = _STILL.search(clause.text)
    if match is None or not clause.problem or len(clause.words) > _LONGEST_STILL:
        return False
    if not _FINE_STILL.isdisjoint(clause.words):
        return False
    said = [match["how"].casefold(), *(words_of(clause.text[match.end() :]) if match["begins"] is not None else ())]
    reported = _reported_words(clause.problem)
    return any(
        _is_reported(how, reported) for how in said[:_AFTER_STILL] if how not in STOP_WORDS and not how.endswith("ing")
    )


def _is_reported(how: str, reported: Sequence[str]) -> bool:
    at = reported.index(how) if how in reported else -1
    return at >= 0 and _DENIALS.isdisjoint(reported[max(at - 2, 0) : at])


_STILL = re.compile(
    r"(?i)(?:(?P<begins>\A\W*(?:(?:ah|but|hmm?|mh+m|nah|no|nope|oh|well)\W+){0,2}"
    r"(?:(?:he|it|she|that|they)(?:'s|'re| is| are)? )?)"
    r"|(?<!\bi )(?<!\bwe ))\bstill (?:(?:as|just|quite|rather|so|too|very) )?(?P<how>[a-z]+)(?!\w)"
)
_AFTER_STILL: Final = 5
"""The number of words after "still" that may say what is so."""
_FINE_STILL: Final = _SUCCESS | _RUNS | {"working"}
_LONGEST_STILL: Final = 10
"""Words; a longer clause with "still" tells of another problem."""


def _of_what_was_lost(clause: Clause) -> Verdict | None:
    """Judge what is back by its state and by the problem; None if the problem does not name it."""
    at = clause.words.index("back")
    subject, state = clause.words[:at], frozenset(clause.words[at + 1 :])
    if not clause.denied and not state.isdisjoint(_BAD) and state.isdisjoint(_SUCCESS):
        return "failed"
    if not clause.problem or _WENT.search(clause.text) is not None:
        return None
    about = _terms_of(clause.problem)
    words = _NAME.findall(_AFTER_BACK.sub("", clause.text.casefold()))
    named = [word for word in words if word not in STOP_WORDS and not about.isdisjoint(_stems(word))]
    if named:
        lost = any(_was_lost(word, clause.problem) for word in named)
        return "worked" if lost is not clause.denied else "failed"
    if clause.denied or clause.contrasted or _PRONOUNS.isdisjoint(subject):
        return None
    return "worked" if _IS_GONE.search(clause.problem) is not None else None


def _named_as(word: str) -> frozenset[str]:
    """Return the words for the thing that a word names; a lamp, an LED and a light are the same."""
    return _LIGHTS if word in _LIGHTS else frozenset({word})


def _stems(word: str) -> frozenset[str]:
    return frozenset(terms(" ".join(_named_as(word))))


@lru_cache(maxsize=16)
def _reported_words(problem: str) -> Sequence[str]:
    return tuple(words_of(problem))


@lru_cache(maxsize=16)
def _terms_of(problem: str) -> frozenset[str]:
    return frozenset(terms(problem))


@lru_cache(maxsize=128)
def _was_lost(word: str, problem: str) -> bool:
    """Return whether a problem says that a thing is missing or not working: "no sound", "my printer is offline".

    A thing that appears, flashes or does not go away is not lost, even if it is the customer's own.
    """
    stems = _stems(word)
    for part in _PART.split(problem):
        if stems.isdisjoint(terms(part)) or _PERSISTS.search(part) is not None:
            continue
        if _LOST.search(part) is not None or _lacks(stems, part):
            return True
        owned = _OWNED.match(part)
        shown = _SHOWN.search(part) is not None and _DENIALS.isdisjoint(words_of(part))
        if owned is not None and not shown and not _named_as(word).isdisjoint(_NAME.findall(owned["thing"].casefold())):
            return True
    return False


def _lacks(stems: frozenset[str], part: str) -> bool:
    """Return whether a part of a problem says that something is missed: "no sound", "I can't see the toolbar"."""
    for match in _MISSED.finditer(part):
        near = words_of(part[match.end() :])[:_NEAR]
        if any(stems.intersection(terms(each)) for each in near):
            return True
    return False


_NEAR: Final = 3
"""The number of words after "no" or "can't see" among which the thing is that is missed."""
