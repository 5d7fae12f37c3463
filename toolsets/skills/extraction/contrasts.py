"""Finds sentences that set what is right against what is wrong: "The port is 2222, not 2022"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from toolsets.lexical_scores import STOP_WORDS
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.replacements import AMOUNT

_LEXICON = lexicon("answers")
_TURNING = re.compile(r"(?i)(?:^|(?<=\s))(?P<turn>(?:and |but )?not|instead of|rather than)\s(?=\S)")
_SAID: Final = r"(?:[^.!?\n]|[.!?](?=\S))"
_BUT = re.compile(rf"(?i)(?P<wrong>{_SAID}{{1,80}}?),? but(?: rather)? (?P<right>{_SAID}{{1,80}})")
_PROPER = re.compile(rf"(?i)\b{_LEXICON.any_of('proper_one')}:? (?P<value>{_SAID}{{1,60}})")
_AUXILIARY = re.compile(rf"(?i)\b{_LEXICON.any_of('auxiliary')}\s*$")
_ADMITS = re.compile(rf"(?i)\b{_LEXICON.any_of('admits')}(?!\w)")
_SORRY = re.compile(rf"(?i)\b{_LEXICON.any_of('apologizes')}(?!\w)")
_STATES = re.compile(rf"(?i)\W*(?:(?:\w+|you are right[^.!?]{{0,20}}),? )?{_LEXICON.any_of('states_value')}\s")
_STARTS = re.compile(r"[.!?][\"'”)]?\s+|\n\s*\n|\n(?=\s*(?:\(?\d{1,2}[.)]|[-*•])\s)")
_ENDS = re.compile(r"[.!?](?=\s|$)|\n\s*\n|\Z")
WRONG_ENDS: Final = re.compile(
    r"(?i)[,;]\s|\s[-–—(]|\s(?:as|because|since|so|that|which|who)\s|\s(?:in (?:my|your|the) (?:last|previous)|as i)\b"
)
RIGHT_ENDS: Final = re.compile(r"(?i)[,;]\s|\s[-–—(]|\s(?:as|at|because|for|here|in|on|since|so|there|which)\b")
_ASIDE = re.compile(rf"(?i)[\s,]+(?:{_LEXICON.any_of('value_aside')})$")
_CONDITION = re.compile(r"(?i)\W*(?:and |but |so )?(?:as soon as|if|once|unless|until|when(?:ever)?|while)\b")
_GOES_ON = re.compile(r"(?i),? (?:and then|and|then) (?P<order>[a-z][^.!?\n]*)")
_SENTENCE_WORDS: Final = frozenset(
    """am are be been called can could did do does had has have he i is it its may means might must named need needs
    reads says should that these they this those want wants was we were will would you your""".split()
)
"""Words of a sentence that are no part of a value."""
_MARKED = re.compile(r"[\d/\\@#$%&*+=~_:<>^|]|^-|\w[.-]\w")
_QUOTED_LAST = re.compile(r"(?<!\w)[\"“`'‘](?P<value>[^\"”`'’\n]{1,60})[\"”`'’][ ,;]{0,3}\Z")
_PAUSES: Final = tuple(",;-–—")
_QUOTES: Final = "`\"'“”‘’ ,;"
_MOST_WORDS: Final = 8
"""The words of a value; more are a clause."""
_REACH: Final = 400
"""The most characters before and after a turning word that are read."""
_MOST: Final = 20
"""Corrections in one answer; a person makes one or two, and a hostile text any number."""
_SENTENCES: Final = 2
"""The sentences before one that may admit a mistake."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A sentence with what is right and what is wrong, with the sentences before it that only admit a mistake."""

    start: int
    stop: int
    wording: str
    right: str
    """Empty if it is unclear what is right."""
    wrong: str | None
    """None if only what is right is named: "The correct one is 2222"."""
    sure: bool
    """Whether it is said to be a correction, not only to be regretted."""


def counterpart(said: str, wrong: str) -> str | None:
    """Return the value at the end of a clause that is in the place of a wrong one: of its kind, the nearest one.

    None if there is no plain value, so that a sentence is never put into a step.
    """
    quoted = _QUOTED_LAST.search(said)
    unquoted = said.strip(_QUOTES)
    said = without_asides(unquoted)
    if AMOUNT.fullmatch(wrong) is not None:
        found = list(AMOUNT.finditer(said))
        if found:
            unit = found[-1]["unit"]
            return found[-1]["number" if unit is None or unit.strip(" -").casefold() in STOP_WORDS else 0]
    elif quoted is not None:
        return quoted["value"]
    elif _is_marked(wrong) and " " not in wrong:
        marked = [bare for word in said.split() if _is_marked(bare := word.strip(_QUOTES))]
        if marked:
            return marked[-1]
    spoken, whole = wrong.split(), unquoted.split()
    alike = [at for at, word in enumerate(whole) if word.casefold() == spoken[0].casefold()]
    words = said.split()
    if alike and len(whole) - alike[-1] <= len(spoken) + 2:
        value = without_asides(" ".join(whole[alike[-1] :]))
    elif is_plain(said) and not is_order(said):
        value = said
    else:
        first = next((at for at in reversed(range(len(words))) if _is_of_sentence(words[at])), -1) + 1
        value = " ".join(words[first if len(words) - first <= len(spoken) + 1 else -len(spoken) :])
    return value.strip(_QUOTES) if is_plain(value) else None


def without_asides(said: str) -> str:
    """Return a text without words at its end such as "of course" and "for now"."""
    while (aside := _ASIDE.search(said)) is not None:
        said = said[: aside.start()].rstrip(_QUOTES)
    return said


def is_plain(value: str) -> bool:
    """Return whether a text may be a value: it is short and has no words of a sentence."""
    words = value.split()
    plain = 0 < len(words) <= _MOST_WORDS and not any(map(_is_of_sentence, words))
    return plain and re.search(r"[.!?:;]\s", value) is None


def _is_of_sentence(word: str) -> bool:
    return re.split("['’]", word.casefold(), maxsplit=1)[0] in _SENTENCE_WORDS


def contrasts_in(text: str) -> Iterator[Contrast]:
    """Yield the sentences that correct a value, in order: those that admit a mistake, and "It is 2.5 bar, not 2.2"."""
    done = 0
    for turning in islice(_TURNING.finditer(text), _MOST):
        at = turning.start("turn")
        found = None if at < done else _read(text, _starts(text, done, at), turning, _end(text, turning.end()))
        if found is not None:
            yield found
            done = found.stop


def proper_ones_in(text: str) -> Iterator[Contrast]:
    """Yield the sentences that name only what is right, after those that admit a mistake: "The correct one is 2222"."""
    for proper in islice(_PROPER.finditer(text), _MOST):
        starts, stop = _starts(text, 0, proper.start()), _end(text, proper.start("value"))
        first, sure = _admission(text, starts, stop)
        value = RIGHT_ENDS.split(proper["value"], maxsplit=1)[0].strip(_QUOTES)
        if first is not None and is_plain(value) and text[stop - 1 : stop] != "?":
            yield Contrast(first, stop, " ".join(text[starts[-1] : stop].split()).rstrip("."), value, None, sure)


def _is_marked(value: str) -> bool:
    """Return whether a value has a digit or a mark, unlike words."""
    return _MARKED.search(value) is not None


def _starts(text: str, done: int, at: int) -> list[int]:
    """Return where the sentences up to a place begin, not before `done`."""
    return [done, *(match.end() for match in _STARTS.finditer(text, max(done, at - _REACH), at))]


def _end(text: str, at: int) -> int:
    end = _ENDS.search(text, at, at + _REACH)
    return min(len(text), at + _REACH) if end is None else end.end()


def _read(text: str, starts: Sequence[int], turning: re.Match[str], stop: int) -> Contrast | None:
    start = starts[-1]
    before, following = text[start : turning.start()].rstrip(), text[turning.end() : stop].rstrip(".!")
    denies = turning["turn"].casefold() == "not"
    if text[stop - 1 : stop] == "?":
        return None
    if (pair := _BUT.match(" ".join(following.split()))) is not None and denies:
        right, wrong, after = WRONG_ENDS.split(pair["right"], maxsplit=1)[0], pair["wrong"], len(following)
    else:
        ended = WRONG_ENDS.search(following)
        after = len(following) if ended is None else ended.start()
        right, wrong = before, " ".join(following[:after].split())
    if _AUXILIARY.search(right.rstrip(_QUOTES)) is not None:
        return None
    first, sure = _admission(text, starts, stop)
    wrong = without_asides(wrong.strip(_QUOTES))
    if not wrong or wrong.casefold() in STOP_WORDS or _CONDITION.match(before) is not None:
        return None
    if first is None and not _states(before, wrong):
        return None
    goes_on = _GOES_ON.match(following, after)
    if goes_on is not None and is_order(goes_on["order"]):
        stop = turning.end() + goes_on.start("order")
    value = counterpart(" ".join(right.split()), wrong) or ""
    if denies and pair is None and before[-1:] not in _PAUSES and not (_is_marked(value) and _is_marked(wrong)):
        # "Do not open it" and "it is not red" set nothing against something, unlike "2222 not 2022".
        return None
    wording = " ".join(text[start : turning.end() + after].split())
    return Contrast(start if first is None else first, stop, wording, value, wrong, sure)


def _states(before: str, wrong: str) -> bool:
    """Return whether a sentence says what a value is, without an apology: "It is 2.5 bar, not 2.2"."""
    return _is_marked(wrong) and _STATES.match(before) is not None


def _admission(text: str, starts: Sequence[int], stop: int) -> tuple[int | None, bool]:
    """Return where the sentences that admit a mistake begin, and whether one says that something was wrong.

    One may stand before the sentence from the last of the starts, in it or after it.
    """
    start = starts[-1]
    own = text[start:stop]
    following = text[stop : stop + _LONGEST_AFTER]
    sure = _ADMITS.search(own) is not None
    found = start if sure or _SORRY.search(own) is not None or _SORRY.match(following.lstrip()) is not None else None
    bounds = starts[-1 - _SENTENCES :]
    for at, (first, last) in enumerate(pairwise(bounds)):
        said = text[first:last]
        admits = _ADMITS.search(said) is not None
        if admits or _SORRY.search(said) is not None:
            between = [text[one:other].strip() for one, other in zip(bounds[at + 1 :], bounds[at + 2 :], strict=False)]
            return (start if any(map(is_order, between)) else first), sure or admits
    return found, sure


_LONGEST_AFTER: Final = 60
"""Characters after a correction in which it is admitted."""
