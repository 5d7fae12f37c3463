"""Judges replies that are not English sentences: other languages, signs, a plain no, and a complaint that is repeated."""

import re
from typing import Final, Literal, TypeAlias

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.reports import after_report
from toolsets.skills.extraction.sentences import sentences

Verdict: TypeAlias = Literal["worked", "failed"]

_LEXICON = lexicon("outcomes")
_BARE = _LEXICON.words("bare")
_BARE_REFUSALS = _LEXICON.words("bare_refusals")
_CUES: Final = _LEXICON.letters["abroad"]
_FAILED_ABROAD = _LEXICON.pattern("failed_abroad")
_WORKED_ABROAD = _LEXICON.pattern("worked_abroad")
_FAILED_UNSPACED = re.compile(_LEXICON.any_of("failed_unspaced"))
_WORKED_UNSPACED = re.compile(_LEXICON.any_of("worked_unspaced"))
_FAILED_SIGNS = re.compile(_LEXICON.any_of("failed_signs"))
_WORKED_SIGNS = re.compile(_LEXICON.any_of("worked_signs"))
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_STILL_DOES_IT = re.compile(rf"(?i){_LEXICON.any_of('still_does_it')}(?!\w)")
_FOLLOWED = re.compile(rf"(?i)^\W*(?:(?:i|we)(?:'ve| have)? )?{_LEXICON.any_of('followed')}\b")
_REPEATS = re.compile(rf"(?i){_LEXICON.any_of('repeats')}(?!\w)")
_OFFERS_HELP = re.compile(
    rf"(?i)\b{_LEXICON.any_of('offers_help')}\b[^.!?\n]*\?|(?:^|[.!?\n])\W*anything (?:else|more)\b"
)
_NO = re.compile(rf"(?i)(?:\W*(?P<last>{_LEXICON.any_of('no')})\b(?!'))+(?P<mark>[\s,.!;:–-]*)")
_SAYS_MORE = re.compile(rf"(?i){_LEXICON.any_of('after_no')}(?!\w)")
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+")
_LONGEST_REPETITION: Final = 80
"""Characters; a longer reply has news."""


def verdict_abroad(text: str) -> Verdict | None:
    """Return the verdict of a clause in another language, None if it has none or is in English."""
    if _UNSPACED.search(text) is not None:
        failed, worked = _FAILED_UNSPACED, _WORKED_UNSPACED
    elif _may_be_foreign(text):
        failed, worked = _FAILED_ABROAD, _WORKED_ABROAD
    else:
        return None
    if failed.search(text) is not None:
        return "failed"
    return "worked" if worked.search(text) is not None else None


def _may_be_foreign(text: str) -> bool:
    folded = text.casefold()
    return not folded.isascii() or _CUES.are_in(folded)


def verdict_of_signs(text: str) -> Verdict | None:
    """Return the verdict of the signs in a text, such as a thumb that points down."""
    if text.isascii():
        return None
    if _FAILED_SIGNS.search(text) is not None:
        return "failed"
    return "worked" if _WORKED_SIGNS.search(text) is not None else None


def is_bare_refusal(text: str) -> bool:
    """Return whether a reply is a plain no, which answers the last question."""
    words = _TOKEN.findall(text.casefold().replace("’", "'"))
    return bool(words) and not _BARE_REFUSALS.isdisjoint(words) and _BARE.issuperset(words)


def offers_more_help(text: str) -> bool:
    """Return whether a helper's turn ends with an offer of further help: "Is there anything else?"."""
    return _OFFERS_HELP.search(text[-_END:].replace("’", "'")) is not None


_END: Final = 160
"""The number of characters at the end of a turn that may have its last question."""


def asks_how_it_went(text: str) -> bool | None:
    """Return whether a turn ends with a question about the result, None if it ends with none."""
    last = next((part.text.rstrip() for part in sentences(text)[-1:]), "")
    return _HOW_IT_WENT.search(last) is not None if last.endswith("?") else None


_HOW_IT_WENT = re.compile(r"(?i)\b(?:help|work|fix|solve|resolve|better|gone|change|differen|still|now)\w*")


def after_no(reply: str) -> str:
    """Return a reply without the no that begins it."""
    return reply if (said := _NO.match(reply)) is None else reply[said.end() :]


def only_declines(reply: str) -> bool:
    """Return whether the no that begins a reply is a whole answer, as in "nope that's it", not part of "none of it worked"."""
    said = _NO.match(reply)
    if said is None:
        return False
    return bool(said["mark"].strip()) or (
        said["last"].casefold() not in _PARTS and _SAYS_MORE.match(reply, said.end()) is not None
    )


_PARTS: Final = frozenset({"none", "not", "nothing"})
"""Words that deny what follows them."""


def denies_after_trying(clauses: "list[str]") -> bool:
    """Return whether a sentence says that a step was followed, and ends with a plain no: "Tried that, no"."""
    return len(clauses) > 1 and _FOLLOWED.match(clauses[0]) is not None and is_bare_refusal(clauses[-1])


def still_complains(clause: str) -> bool:
    """Return whether a clause without a subject says what still happens: "Still drifts"."""
    return _STILL_DOES_IT.search(clause) is not None


def repeats_complaint(reply: str, complaint: frozenset[str]) -> bool:
    """Return whether a short reply only says what is wrong once more, as "It drifts again"; `complaint` are its terms.

    It may tell before that a step was followed: "I replaced the nut, but the tap drips".
    """
    if "?" in reply or len(reply) > 2 * _LONGEST_REPETITION:
        return False
    rest = after_report(reply)
    if len(rest) > _LONGEST_REPETITION or (rest == reply and _REPEATS.search(reply) is None):
        return False
    words = {word for word in terms(rest) if word != "again" and not word.isdigit()}
    return bool(words) and words <= complaint
