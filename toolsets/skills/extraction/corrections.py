"""Applies what helpers correct in what they said: "Sorry, I meant 4 seconds", "Correction: /dev/sdb, not /dev/sda"."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolsets.bm25 import STOP_WORDS
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon

_LEXICON = lexicon("answers")
SENTENCE_START: Final = r"(?im)(?:^|(?<=[.!?:]\s))[^\w\n]{0,3}"
OPENING: Final = r"(?:(?:actually|ah|but|hi|hm+|no|oh|ok(?:ay)?|oops|right|so|sorry|wait|well|yes)[,.!:]?\s+){0,3}?"
APOLOGY: Final = (
    r"(?:(?:(?:apologies|my (?:bad|fault|mistake)|oops|sorry)[,.!:]?|wait(?:[,.!:]|(?= no\b)))\s+(?:no[,.!]?\s+)?)"
)
_BODY: Final = r"(?P<body>(?:[^.!?\n]|[.!?](?=[^\s])){1,300})(?P<end>[.!?]?)"
_FRAGMENT: Final = r"(?:[^\s.!?,]+ ){0,4}[^\s!?,]+?[.!]?[^\S\n]*$"
"""A few words up to the end of the line."""
_CUE = re.compile(
    rf"{SENTENCE_START}{OPENING}(?:"
    rf"(?P<label>{_LEXICON.any_of('correction')})(?: {_LEXICON.any_of('in_step')})?(?:\s?[:,]|\s(?:->|=>|→|[-–—]))\s*"
    rf"|(?P<apology>{APOLOGY})(?:(?P<sorry>{_LEXICON.any_of('meant')}:?\s+)|(?={_LEXICON.any_of('right')}\b)"
    rf"|{_LEXICON.any_of('wrong_thing')}(?:[:,.;]|\s[-–—])\s*)"
    rf"|{APOLOGY}(?=not [^.!?\n]{{1,60}} but |[^.!?\n]{{1,60}}[ ,]{_LEXICON.any_of('instead')}\b|{_FRAGMENT})"
    rf"|(?P<meant>{_LEXICON.any_of('meant')}:? )|(?P<edit>{_LEXICON.any_of('edit')}\s?:\s*)){_BODY}"
)
_STARRED = re.compile(r"(?m)^\s*(?:\*(?=[^\s*])(?P<body>[^*\n]{1,60}?)\*?|(?P<body2>[^*\n]{1,60}?[^\s*])\*)[^\S\n]*$")
"""A line that is only the right word, with the asterisk of chats."""
_DENIED: Final = r"(?![^,.\n]{0,40}?(?:\b(?:are|is|was|were)|['’](?:re|s)) not\b)"
_BARE = re.compile(rf"(?im)^[^\S\n]*{OPENING}{_DENIED}{_BODY}")
_STEP = re.compile(rf"(?i)\b{_LEXICON.any_of('in_step')}[,:]?\s*")
_NUMBER = re.compile(r"\d{1,2}")
_LEAD = re.compile(rf"(?i)(?:(?:please|just)\s+)*{_LEXICON.any_of('right')}:?\s+(?=\S)")
_PAIRS: Final = tuple(
    re.compile(rf"(?i){form}")
    for form in (
        r"s/(?P<wrong>[^/]{1,80})/(?P<right>[^/]{1,80})/?g?",
        r"not (?P<wrong>.{1,80}?),? but(?: rather)? (?P<right>.{1,80})",
        rf"(?P<right>.{{1,120}}?)[,;]?(?:\s[-–—])? {_LEXICON.any_of('instead')} (?P<wrong>.{{1,160}})",
        rf"{_LEXICON.any_of('exchange')} (?P<wrong>.{{1,80}}?) {_LEXICON.any_of('exchange_by')} (?P<right>.{{1,80}})",
        rf"(?!{_LEXICON.any_of('pronoun_subject')} )(?P<wrong>.{{1,80}}?)\s{_LEXICON.any_of('should_be')}\s(?P<right>.{{1,80}})",
    )
)
"""What is right and what is wrong, in either order."""
_WRONG_ENDS = re.compile(r"(?i)[,;]\s|\s[-–—(]|\s(?:as|because|since|so|that|which|who)\s")
_RIGHT_ENDS = re.compile(r"(?i)[,;]\s|\s[-–—(]|\s(?:as|at|because|for|here|in|on|since|so|there|which)\b")
_AMOUNT = re.compile(r"(?<![\w.-])(?P<number>\d[\d.,]*(?<=\d))(?P<unit>(?:\s|-)?(?:[A-Za-z]+|%|°\w?))?")
_NUMBERED = re.compile(r"(?P<noun>[A-Za-z][A-Za-z-]{1,30}) (?P<number>\d[\w.]{0,20})")
_LINK: Final = r"(?:\s?[:=]\s?|\s(?:(?:is|number|to)\s){0,2})"
_ARTICLE = re.compile(r"(?i)(?:the|an?|your)\s+")
_QUOTES: Final = "`\"'“”‘’ "
_SENTENCE_MARKS: Final = (". ", "! ", "? ", ": ", "\n")
_PLAIN = re.compile(r"[^\W\d_]+|\d[\d.,]*")
"""A word or number that may mean something else where it stands a second time."""
_ALIKE: Final = 0.6
_SHORTEST_ALIKE: Final = 6
MAX_CORRECTIONS: Final = 8
"""The most corrections of a turn that are applied."""
_REACH: Final = 4_000
"""The number of characters before a correction in which what it corrects is."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence in which a helper takes back or corrects something, from `start` to `stop` in the turn."""

    start: int
    stop: int
    wording: str
    """What it says, without "Correction:" and without an apology."""
    right: str
    wrong: str | None
    """What is wrong, if it names that."""
    named: bool
    """Whether that may be the name of what is wrong, as in "the port should be 22"."""
    step: int | None
    """The number of the step that it names."""
    sure: bool
    """Whether it is one by its words, wherever it stands."""
    meant: bool
    """Whether it says what the helper meant to say instead."""

    def applied(self, said: str, steps: Sequence[str] = ()) -> str | None:
        """Return a text corrected; None if it is unclear what is to be replaced. `steps` are those of the text."""
        if self.step is not None and 0 < self.step <= len(steps):
            first = steps[self.step - 1].split("\n", 1)[0].rstrip(".:")
            at = said.casefold().find(first.casefold())
            if at >= 0:
                stop = said.find("\n", at + len(first))
                stop = len(said) if stop < 0 else stop
                better = self._applied(said[at:stop])
                return None if better is None else f"{said[:at]}{better}{said[stop:]}"
        return self._applied(said)

    def _applied(self, said: str) -> str | None:
        if self.wrong is not None:
            return (_renamed if self.named else _exchanged)(said, self.right, self.wrong)
        if is_order(self.right):
            spans = _alike(said, self.right)
            return _spliced(said, spans, self.right) if len(spans) == 1 else None
        cut = self.right if not self.sure and not self.meant else _RIGHT_ENDS.split(self.right, maxsplit=1)[0]
        for right in dict.fromkeys((self.right, cut.strip(_QUOTES))):
            if right and (better := _valued(said, right, self.wording)) is not None:
                return better
        return None

    def replaces(self, steps: Sequence[str]) -> int | None:
        """Return the number of the step, from 0, that an order replaces; None if that is unclear or it is no order."""
        if self.wrong is not None or not is_order(self.right):
            return None
        if self.step is not None:
            return self.step - 1 if 0 < self.step <= len(steps) else None
        verb = _verb(self.right)
        same = [at for at, step in enumerate(steps) if _verb(step) == verb]
        found = same if same or not self.meant or len(steps) != 1 else [0]
        return found[0] if len(found) == 1 and "\n" not in steps[found[0]] else None

    def order(self) -> str:
        """Return its order as a step."""
        return f"{self.right[0].upper()}{self.right[1:]}."


def corrected(text: str) -> str:
    """Return a turn in which corrections have changed what stands before them, where it is clear what they change."""
    parts: list[str] = []
    done = 0
    for found in corrections_in(text):
        head = text[max(done, found.start - _REACH) : found.start]
        better = _corrected_head(head.rstrip(), found)
        if better is not None:
            parts += (text[done : found.start].removesuffix(head), better, text[found.stop : found.stop + 1])
            done = found.stop + 1
    return "".join((*parts, text[done:])) if parts else text


def _corrected_head(head: str, found: Correction) -> str | None:
    """Return what stands before a correction corrected, its last sentence if that is clear, or any other."""
    ends = (head.rstrip(".!?").rfind(mark) for mark in _SENTENCE_MARKS)
    last = head[max((at + 1 for at in ends if at >= 0), default=0) :].lstrip()
    if not last:
        return None
    said = head.removesuffix(last)
    if found.step is None and (better := found.applied(last)) is not None:
        return f"{said}{better}"
    if is_order(found.right) and found.wrong is None and found.step is None:
        return f"{said}{found.order()}" if found.meant or _verb(found.right) == _verb(last) else None
    return found.applied(head) if found.step is None else None


def corrections_in(text: str) -> list[Correction]:
    """Return the corrections of a turn, in order; one that is not sure has something before it or begins the turn."""
    folded = text.casefold()
    found: list[Correction] = []
    if _LEXICON.letters["correction"].are_in(folded):
        found += (
            each for match in islice(_CUE.finditer(text), MAX_CORRECTIONS) if (each := _read(text, match)) is not None
        )
    return found or list(islice(_brief(text, folded), MAX_CORRECTIONS))


_MAY_BEGIN: Final = frozenset({"a", "an", "not", "the"})


def _read(text: str, match: re.Match[str]) -> Correction | None:
    if match["end"] == "?" or text.count("```", 0, match.start()) % 2 == 1:
        return None
    meant = match["sorry"] is not None or match["meant"] is not None
    plain = not meant and all(match[name] is None for name in ("label", "apology", "edit"))
    if plain and match["body"].split(None, 1)[0].casefold() in STOP_WORDS - _MAY_BEGIN:
        # "Sorry for the delay" corrects nothing.
        return None
    named = _NUMBER.search(step.group()) if (step := _STEP.search(match.group())) is not None else None
    return _correction(
        match,
        match["body"],
        step=None if named is None else int(named.group()),
        sure=match["label"] is not None or match["apology"] is not None,
        meant=meant,
    )


def _brief(text: str, folded: str) -> Iterator[Correction]:
    """Yield corrections that are a line: "*300 dpi", or that begin one: "300 dpi, not 600 dpi"."""
    if "*" in text:
        for starred in _STARRED.finditer(text):
            yield _correction(starred, starred["body"] or starred["body2"])
    if _LEXICON.letters["instead"].are_in(folded):
        for bare in _BARE.finditer(text):
            if len(bare["body"]) > _LONGEST_BRIEF or bare["end"] == "?" or is_order(bare["body"]):
                continue
            found = _correction(bare, bare["body"])
            if found.wrong is not None and (found.wrong[:1].isdigit() or _PLAIN.fullmatch(found.wrong) is None):
                yield found


_LONGEST_BRIEF: Final = 100


def _correction(
    match: re.Match[str], body: str, *, step: int | None = None, sure: bool = False, meant: bool = False
) -> Correction:
    told = _STEP.sub("", body, count=1).strip() if step is not None else body.strip()
    told = told[lead.end() :] if (lead := _LEAD.match(told)) is not None else told
    right, wrong, named = told, None, False
    for pair in _PAIRS:
        if (parts := pair.fullmatch(told)) is not None:
            right = parts["right"].strip(_QUOTES + ",")
            right = right[lead.end() :] if (lead := _LEAD.match(right)) is not None else right
            named = pair is _PAIRS[-1]
            wrong = _WRONG_ENDS.split(parts["wrong"], maxsplit=1)[0].strip(_QUOTES + ",")
            break
    wording = f"I meant {body}" if meant else body
    return Correction(*match.span(), wording.strip(), right.strip(_QUOTES), wrong or None, named, step, sure, meant)


def _verb(text: str) -> str:
    return text.lstrip(_QUOTES).split(None, 1)[0].casefold() if text.strip(_QUOTES) else ""


def _exchanged(said: str, right: str, wrong: str) -> str | None:
    """Return a text with what is right in the place of what is wrong; None if that is not there or it is unclear where."""
    bare = _ARTICLE.sub("", wrong, count=1)
    for form, better in ((wrong, right), (bare, _ARTICLE.sub("", right, count=1))):
        spans = [match.span() for match in _whole(form).finditer(said)]
        if spans:
            return _replaced(said, spans, better, form)
    amount, better = _AMOUNT.fullmatch(wrong), _AMOUNT.fullmatch(right)
    if amount is not None and better is not None and amount["unit"]:
        spans = [match.span() for match in _whole(amount["number"]).finditer(said)]
        return _replaced(said, spans, better["number"], amount["number"]) if spans else None
    return None


def _renamed(said: str, right: str, name: str) -> str | None:
    """Return a text with what is right in the place of a name of its kind, or of the amount behind the name."""
    if (_AMOUNT.fullmatch(right) is None) == (_AMOUNT.fullmatch(name) is None):
        return _exchanged(said, right, name) if _likeness(name.casefold(), right.casefold()) >= _ALIKE / 2 else None
    found = [
        _AMOUNT.search(said, match.end(), match.end() + _NEAR)
        for match in _whole(_ARTICLE.sub("", name)).finditer(said)
    ]
    spans = [match.span() for match in found if match is not None]
    return _spliced(said, spans, right) if len(spans) == 1 else None


_NEAR: Final = 30
"""The number of characters behind a name in which its amount is."""


def _whole(text: str) -> re.Pattern[str]:
    """Return a pattern for a text as whole words; a blank may be missing before a unit, and stand for a line break."""
    body = (r"\s?" if _AMOUNT.fullmatch(text) else r"\s+").join(map(re.escape, text.split()))
    before = r"(?<![\w.])" if text[0].isalnum() else r"(?<!\w)"
    after = r"(?!\w|\.\d)" if text[-1].isalnum() else ""
    return re.compile(f"{before}{body}{after}", re.IGNORECASE)


def _replaced(said: str, spans: Sequence[tuple[int, int]], right: str, wrong: str) -> str | None:
    """Return a text with another one in some places; None if a plain word or number stands in several."""
    if len(spans) > 1 and _PLAIN.fullmatch(wrong) is not None:
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
    amount, better = _AMOUNT.fullmatch(wrong), _AMOUNT.fullmatch(right)
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
    """Return the length of a unit behind a number that what is right names in another form: "s" before "seconds"."""
    better = _AMOUNT.fullmatch(right)
    if better is None or not better["unit"] or _AMOUNT.fullmatch(wrong) is None or wrong[-1:].isalpha():
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


def _valued(said: str, right: str, wording: str) -> str | None:
    """Return a text with a value in the place of the only one of its kind; None if there is none, or several."""
    for kind in (_amounts, _numbered, _nouns, _alike):
        if spans := kind(said, right):
            values = {said[start:stop].casefold() for start, stop in spans} - {right.casefold()}
            if len(values) > 1:
                # "It should be 44, 36 is taken" says which of several it replaces.
                other = set(re.findall(r"\d[\w.]*", wording)) - set(re.findall(r"\d[\w.]*", right))
                values = {value for value in values if other & set(re.findall(r"\d[\w.]*", value))}
            spans = [span for span in spans if said[slice(*span)].casefold() in values]
            named = _NUMBERED.fullmatch(right) if kind is _numbered else None
            return _spliced(said, spans, right if named is None else named["number"]) if len(values) == 1 else None
    return None


def _spliced(said: str, spans: Sequence[tuple[int, int]], right: str) -> str:
    parts: list[str] = []
    done = 0
    for start, stop in spans:
        parts += (said[done:start], right)
        done = stop
    return "".join((*parts, said[done:]))


_Kind = Callable[[str, str], Sequence[tuple[int, int]]]


def _amounts(said: str, right: str) -> list[tuple[int, int]]:
    """Return where amounts are: with the unit of the right one, or the only one there is."""
    better = _AMOUNT.fullmatch(right)
    if better is None:
        return []
    found = list(_AMOUNT.finditer(said))
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


def _alike(said: str, right: str) -> list[tuple[int, int]]:
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
_MOST_ALIKE: Final = 700


def _stripped(said: str, start: int, stop: int) -> tuple[int, int]:
    text = said[start:stop]
    return start + len(text) - len(text.lstrip("`\"'“(")), start + len(text.rstrip("`\"'”.,;:!?)"))


def _likeness(one: str, other: str) -> float:
    """Return the part of two texts that they have in common at their beginnings and ends."""
    shortest = min(len(one), len(other))
    head = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    tail = next((at for at in range(shortest - head) if one[-1 - at] != other[-1 - at]), shortest - head)
    return (head + tail) / max(len(one), len(other), 1)
