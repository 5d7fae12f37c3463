"""Puts what is right in a text in the place of what is wrong, or of the only thing of its kind."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from toolsets.lexical_scores import STOP_WORDS

AMOUNT = re.compile(r"(?<![\w.-])(?P<number>\d[\d.,]*(?<=\d))(?P<unit>(?:\s|-)?(?:[A-Za-z]+|%|°\w?))?")
_NUMBERED = re.compile(r"(?P<noun>[A-Za-z][A-Za-z-]{1,30}) (?P<number>\d[\w.]{0,20})")
_LINK: Final = r"(?:\s?[:=]\s?|\s(?:(?:is|number|to)\s){0,2})"
_ARTICLE = re.compile(r"(?i)(?:the|an?|your)\s+")
_SETS_IT = re.compile(rf"(?i)[a-z]+ (?:it|that|this|them)(?: (?:at|by|for|on|to))? (?P<amount>{AMOUNT.pattern})")
"""An order that names nothing but an amount: "set it to 300 dpi"."""
PLAIN = re.compile(r"[^\W\d_]+|\d[\d.,]*")
"""A word or number that may mean something else where it stands a second time."""
_ALIKE: Final = 0.6
"""The least likeness of two spellings; with less, a correction would replace words that it does not mean."""
_SHORTEST_ALIKE: Final = 6
"""Characters; short words are alike by accident."""


def with_replacement(said: str, right: str, wrong: str) -> str | None:
    """Return a text with what is right in the place of what is wrong; None if that is not there or it is unclear where."""
    if AMOUNT.fullmatch(wrong) is not None and (order := _SETS_IT.fullmatch(right)) is not None:
        right = order["amount"]
    bare = _ARTICLE.sub("", wrong, count=1)
    for form, better in ((wrong, right), (bare, _ARTICLE.sub("", right, count=1))):
        spans = [match.span() for match in _whole(form).finditer(said)]
        if spans:
            return _replaced(said, spans, better, form)
    amount, better = AMOUNT.fullmatch(wrong), AMOUNT.fullmatch(right)
    if amount is not None and better is not None and amount["unit"]:
        spans = [match.span() for match in _whole(amount["number"]).finditer(said)]
        return _replaced(said, spans, better["number"], amount["number"]) if spans else None
    return None


def with_new_name(said: str, right: str, name: str) -> str | None:
    """Return a text with what is right in the place of a name of its kind, or of the amount after the name."""
    if (AMOUNT.fullmatch(right) is None) == (AMOUNT.fullmatch(name) is None):
        return (
            with_replacement(said, right, name) if _likeness(name.casefold(), right.casefold()) >= _ALIKE / 2 else None
        )
    found = [
        AMOUNT.search(said, match.end(), match.end() + _NEAR) for match in _whole(_ARTICLE.sub("", name)).finditer(said)
    ]
    spans = [match.span() for match in found if match is not None]
    return splice(said, spans, right) if len(spans) == 1 else None


_NEAR: Final = 30
"""The number of characters after a name in which its amount is."""


def _whole(text: str) -> re.Pattern[str]:
    """Return a pattern for a text as whole words; a blank may be missing before a unit, and stand for a line break."""
    body = (r"\s?" if AMOUNT.fullmatch(text) else r"\s+").join(map(re.escape, text.split()))
    # A path may be the end of an address.
    before = r"(?<![\w.])" if text[0].isalnum() else "" if text[0] == "/" else r"(?<!\w)"
    after = r"(?!\w|\.\d)" if text[-1].isalnum() else ""
    return re.compile(f"{before}{body}{after}", re.IGNORECASE)


def _replaced(said: str, spans: Sequence[tuple[int, int]], right: str, wrong: str) -> str | None:
    """Return a text with another one in some places; None if a plain word or number stands in several."""
    if len(spans) > 1 and PLAIN.fullmatch(wrong) is not None:
        return None
    parts: list[str] = []
    done = 0
    for start, stop in spans:
        before, after = said[done:start], said[stop:]
        parts += (before, _fitting(right, wrong, said[:start], after))
        done = stop + _same_unit(right, wrong, after)
    return "".join((*parts, said[done:]))


def _fitting(right: str, wrong: str, before: str, after: str) -> str:
    """Return what is right without the words that already stand around its place, and with the unit that it lacks."""
    amount, better = AMOUNT.fullmatch(wrong), AMOUNT.fullmatch(right)
    if amount is not None and better is not None and amount["unit"] and not better["unit"]:
        return f"{right}{amount['unit']}"
    words, spoken = right.split(), wrong.casefold().split()
    for size in range(len(words) - 1, 0, -1):
        lead = " ".join(words[:size]).casefold()
        if before.rstrip().casefold().endswith(lead) and spoken[:1] != words[0].casefold().split():
            words = words[size:]
            break
    for size in range(len(words) - 1, 0, -1):
        tail = " ".join(words[-size:]).casefold()
        if spoken[-1:] != [words[-1].casefold()] and re.match(rf"\s+{re.escape(tail)}(?!\w)", after.casefold()):
            return " ".join(words[:-size])
    return " ".join(words)


def _same_unit(right: str, wrong: str, after: str) -> int:
    """Return the length of a unit after a number that what is right names in another form: "s" before "seconds"."""
    better = AMOUNT.fullmatch(right)
    if better is None or not better["unit"] or AMOUNT.fullmatch(wrong) is None or wrong[-1:].isalpha():
        return 0
    unit = re.match(r"(?:\s|-)?([A-Za-z]+|%|°\w?)", after)
    same = unit is not None and _are_same(unit[1], better["unit"]) and unit[1].casefold() != _unit(better["unit"])
    return unit.end() if unit is not None and same else 0


def _unit(text: str | None) -> str:
    bare = (text or "").strip(" -").casefold()
    return "" if bare in STOP_WORDS else bare


def _are_same(one: str | None, other: str | None) -> bool:
    """Return whether two units are the same, one of them perhaps abbreviated or in the plural."""
    shorter, longer = sorted((_unit(one), _unit(other)), key=len)
    return bool(shorter) and longer.startswith(shorter)


def with_value(said: str, right: str, wording: str) -> str | None:
    """Return a text with a value in the place of the only one of its kind; None if there is none, or several."""
    for kind in (_amounts, _numbered, _nouns, alike):
        if spans := kind(said, right):
            values = {said[start:stop].casefold() for start, stop in spans} - {right.casefold()}
            if len(values) > 1:
                # "It should be 44, 36 is taken" says which of several it replaces.
                other = set(re.findall(r"\d[\w.]*", wording)) - set(re.findall(r"\d[\w.]*", right))
                values = {value for value in values if other & set(re.findall(r"\d[\w.]*", value))}
            spans = [span for span in spans if said[slice(*span)].casefold() in values]
            named = _NUMBERED.fullmatch(right) if kind is _numbered else None
            return splice(said, spans, right if named is None else named["number"]) if len(values) == 1 else None
    return None


def splice(said: str, spans: Sequence[tuple[int, int]], right: str) -> str:
    """Return a text with another one in some places."""
    parts: list[str] = []
    done = 0
    for start, stop in spans:
        parts += (said[done:start], right)
        done = stop
    return "".join((*parts, said[done:]))


_Kind = Callable[[str, str], Sequence[tuple[int, int]]]


def _amounts(said: str, right: str) -> list[tuple[int, int]]:
    """Return where amounts are: with the unit of the right one, or the only one there is."""
    better = AMOUNT.fullmatch(right)
    if better is None:
        return []
    found = list(AMOUNT.finditer(said))
    if not better["unit"]:
        return [match.span("number") for match in found]
    same = [match.span() for match in found if _are_same(match["unit"], better["unit"])]
    return same or ([found[0].span("number")] if len(found) == 1 and not _unit(found[0]["unit"]) else [])


def _numbered(said: str, right: str) -> list[tuple[int, int]]:
    """Return where the numbers of things are: that of "channel 36" or "the channel to 36" for "channel 44"."""
    named = _NUMBERED.fullmatch(right)
    if named is None:
        return []
    form = re.compile(rf"(?i)(?<!\w){re.escape(named['noun'])}{_LINK}(\d(?:\w|\.(?=\w))*)")
    return [match.span(1) for match in form.finditer(said)]


def _nouns(said: str, right: str) -> list[tuple[int, int]]:
    """Return where things with the same noun are: "the green button" for "the red button"."""
    noun = right.rsplit(None, 1)[-1]
    if _ARTICLE.match(right) is None or not noun.isalpha():
        return []
    form = re.compile(rf"(?i)\b(?:the|an?|your) (?:[\w-]+ ){{0,2}}?{re.escape(noun)}\b")
    return [match.span() for match in form.finditer(said)]


def alike(said: str, right: str) -> list[tuple[int, int]]:
    """Return where words are that are written almost like others: "/dev/sda" for "/dev/sdb"."""
    size = len(right.split())
    if len(right) < _SHORTEST_ALIKE or size > _MOST_WORDS:
        return []
    words = list(islice(re.finditer(r"\S+", said), _MOST_ALIKE))
    spans = ((words[at].start(), words[at + size - 1].end()) for at in range(len(words) - size + 1))
    bare = [_stripped(said, *span) for span in spans if _ENDS.search(said, *span) is None]
    numbered = _DIGIT.search(right) is not None
    bare = [span for span in bare if (_DIGIT.search(said, *span) is not None) is numbered]
    return [span for span in bare if _likeness(said[slice(*span)].casefold(), right.casefold()) >= _ALIKE]


_ENDS = re.compile(r"[.!?:;,]\s|\n")
_DIGIT = re.compile(r"\d")
_MOST_WORDS: Final = 6
"""Words of a name; a longer correction is a sentence."""
_MOST_ALIKE: Final = 700
"""Words that are compared; each takes as long as a comparison of two names."""


def _stripped(said: str, start: int, stop: int) -> tuple[int, int]:
    text = said[start:stop]
    return start + len(text) - len(text.lstrip("`\"'“(")), start + len(text.rstrip("`\"'”.,;:!?)"))


def _likeness(one: str, other: str) -> float:
    """Return the part of two texts that they have in common at their beginnings and ends."""
    shortest = min(len(one), len(other))
    head = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    tail = next((at for at in range(shortest - head) if one[-1 - at] != other[-1 - at]), shortest - head)
    return (head + tail) / max(len(one), len(other), 1)
