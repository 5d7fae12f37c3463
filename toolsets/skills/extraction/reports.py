"""Judges what a reply tells of a step: that it was followed in vain, could not be followed, or did damage.

"Done, but there is no sound" complains because a step was followed before; alone, "there is no sound" may answer a
question.
"""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon

_LEXICON = lexicon("outcomes")
_LACKED = re.compile(rf"(?i){_LEXICON.any_of('lacked')}(?!\w)")
_AS_BEFORE = _LEXICON.pattern("as_before")
_ERROR_SHOWN = _LEXICON.pattern("error_shown")
_SHOWING: Final = _LEXICON.letters["error_shown"]
_BARE_FAILURE = re.compile(rf"(?i)\W*{_LEXICON.any_of('bare_failure')}\W*")
_REST = re.compile(rf"(?i)\W*{_LEXICON.any_of('rest')}\W*")
_REFUSES = _LEXICON.pattern("refuses_now")
_GOES_ON = _LEXICON.pattern("goes_on")
_STILL_GOES_ON = _LEXICON.pattern("still_goes_on")
_FAILING = _LEXICON.words("failing")
_TROUBLE = (_LEXICON.words("trouble") | _LEXICON.words("weak_states")) - {"here", "there"}
_FAULTS = (_LEXICON.words("complaint") - {"light"}) | _FAILING | _LEXICON.words("trouble")
_NEW_FAULTS = _LEXICON.words("trouble") - {"closed", "gone", "here", "red", "stop", "stopped", "stops", "there"}
_FINE = _LEXICON.words("success") | _LEXICON.words("well")
_PAST = frozenset(
    f"{word}{sign}" for word in _LEXICON.words("past") | _LEXICON.words("participles") for sign in ("", *".,!:")
)
_DENIALS = _LEXICON.words("denials")
_HINDRANCES: Final = _LEXICON.letters["hindered"]
_HINDERED = _LEXICON.pattern("hindered")
_NOW_REFUSES = _LEXICON.pattern("now_refuses")
_STILL_DOES = _LEXICON.pattern("still_does")
_AT_ALL: Final = frozenset({"now", "all", "anymore", "more"})
_ALL_FINE = _FINE | _LEXICON.words("runs") | _LEXICON.words("good_states")
_REPORT = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('before_report')}\W+){{0,3}}{_LEXICON.any_of('report')}(?!['\w])")
_CONTRAST: Final = r"(?:but|however|yet|though|nevertheless|unfortunately|sadly)"
_INSPECTION = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('before_report')}\W+){{0,3}}{_LEXICON.any_of('inspection')}\b")
_RESULT = re.compile(rf"(?i)\W*(?:{_LEXICON.any_of('before_report')}\W+|{_CONTRAST}\W+){{0,3}}(?:now|then)\b(?!['’\w])")
CONTRAST = re.compile(rf"(?i)\W*(?:and )?{_CONTRAST}\b")
"""The word by which a clause begins that restricts or denies what was said before."""
_AFTER_REPORT = re.compile(rf"(?i)[.!;,:\s]+{_CONTRAST}\b\W*|[.!;]+\s+|,\s+")
_PRAISE = re.compile(
    rf"(?i)\W*(?:(?:ah|and|just|oh|ok(?:ay)?|well|yeah)\W+){{0,2}}{_LEXICON.any_of('praise')}(?!\w)\W*"
)
_DONE_BEFORE = _LEXICON.pattern("done_before")
_MANY_TIMES = re.compile(rf"(?i){_LEXICON.any_of('many_times')}")
_SAME_THING = re.compile(rf"(?i){_LEXICON.any_of('same_thing')}")
_SAME_ELSEWHERE = re.compile(rf"(?i){_LEXICON.any_of('same_elsewhere')}")
_DAMAGE = _LEXICON.pattern("damage")
_UNDONE: Final = frozenset("no not nothing never neither longer anymore".split())


def names_a_hindrance(text: str) -> bool:
    """Return whether a reply says that a step cannot be followed, or quotes the program that refuses it."""
    folded = text.casefold()
    return _HINDRANCES.are_in(folded) and _HINDERED.search(text) is not None


def is_hindered(clause: str, words: frozenset[str]) -> bool:
    """Return whether a clause, which has `words`, says that a step could not be followed, or has made it worse."""
    return (
        names_a_hindrance(clause)
        or shows_an_error(clause)
        or ("still" in words and _STILL_DOES.search(clause) is not None)
        or (not _AT_ALL.isdisjoint(words) and _NOW_REFUSES.search(clause) is not None)
    )


def tells_an_inspection(sentence: str) -> bool:
    """Return whether a sentence begins with a look at a thing: "Checked the fuse"."""
    return _INSPECTION.match(sentence) is not None


def was_in_vain(clause: str, *, affirmed: bool) -> bool:
    """Return whether a clause says that a step was followed before, or that it is the same elsewhere.

    `affirmed`: the reply says before that a step was followed, or it begins with a yes.
    """
    bare = clause.strip(_MARKS)
    if affirmed and any(pattern.fullmatch(bare) is not None for pattern in (_MANY_TIMES, _SAME_THING)):
        return True
    return _SAME_ELSEWHERE.fullmatch(bare) is not None or _DONE_BEFORE.search(clause) is not None


_MARKS: Final = " .,;:!()\"'"
_YES = re.compile(r"(?i)\W*(?:already|sure|yea?[hps]*|yup)\b")


def says_yes(sentence: str) -> bool:
    """Return whether a sentence begins with a yes."""
    return _YES.match(sentence) is not None


def reports_following(clause: str) -> bool:
    """Return whether a clause says that a step was followed: "Done", "I cleared it", "The cache is cleared"."""
    folded = clause.casefold()
    return ("ed" in folded or not _PAST.isdisjoint(folded.split())) and _REPORT.match(clause) is not None


def names_new_fault(clause: str, words: frozenset[str], sentence: str) -> bool:
    """Return whether a clause of a sentence about what came of a step names a fault: "Hm, then the sum breaks"."""
    if "?" in sentence or (result := _RESULT.match(sentence)) is None:
        return False
    adverse = re.search(rf"(?i)\b{_CONTRAST}\b", result.group()) is not None
    named = not words.isdisjoint(_NEW_FAULTS) and _DENIALS.isdisjoint(words) and _FINE.isdisjoint(words)
    return named or goes_on(clause, words, followed=True, contrasted=adverse)


def goes_on(clause: str, words: frozenset[str], *, followed: bool, contrasted: bool) -> bool:
    """Return whether a clause, which has `words`, says that the problem goes on.

    `followed`: the reply said before that a step was followed; `contrasted`: a word such as "but" begins the clause.
    """
    if "?" in clause or (not followed and not contrasted):
        return False
    if "still" in words and _FINE.isdisjoint(words) and (contrasted or _ALL_FINE.isdisjoint(words)):
        return _STILL_GOES_ON.search(clause) is not None
    return followed and _complains(clause, words, contrasted=contrasted)


def leaves_a_rest(clause: str) -> bool:
    """Return whether a clause without a verb says for what a step had no effect: "Spotify refreshed, Apple nothing"."""
    return _REST.fullmatch(clause) is not None


def _complains(clause: str, words: frozenset[str], *, contrasted: bool) -> bool:
    """Return whether a clause after a step that was followed says what is wrong."""
    patterns = (_ERROR_SHOWN, _REFUSES)
    if _BARE_FAILURE.fullmatch(clause) is not None or any(pattern.search(clause) is not None for pattern in patterns):
        return True
    if (lacked := _LACKED.match(clause)) is not None:
        return lacked.group().casefold().rsplit(maxsplit=1)[-1] not in _FAULTS
    if not _DENIALS.isdisjoint(words):
        return False
    if _AS_BEFORE.search(clause) is not None and _ALL_FINE.isdisjoint(words):
        return True
    if not _FINE.isdisjoint(words):
        return False
    troubled = not _FAILING.isdisjoint(words) or _GOES_ON.search(clause) is not None
    return troubled or (contrasted and not _TROUBLE.isdisjoint(words) and "was" not in words)


def shows_an_error(text: str) -> bool:
    """Return whether a reply says which error someone gets: "I get an error: 0x80070005"."""
    folded = text.casefold()
    return _SHOWING.are_in(folded) and _ERROR_SHOWN.match(text.lstrip()) is not None


def after_report(reply: str) -> str:
    """Return what a reply says after the report that a step was followed, the whole reply if it has no such report."""
    if not reports_following(reply) or (joint := _AFTER_REPORT.search(reply)) is None:
        return reply
    return reply[joint.end() :]


def without_irony(text: str) -> str:
    """Return a text without the word of praise that begins it, if the same sentence or the next one tells of damage."""
    praise = _PRAISE.match(text)
    if praise is None:
        return text
    rest = text[praise.end() :]
    statement = re.split(r"(?<=[.!?])\s+|,? but ", rest, maxsplit=1)[0]
    damaged = _DAMAGE.search(statement) is not None and _UNDONE.isdisjoint(statement.casefold().split())
    return rest if damaged else text
