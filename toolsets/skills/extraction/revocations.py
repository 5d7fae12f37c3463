"""Takes back instructions of helpers that they forbid later: "Correction: do not delete the folder, only restart"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final

from toolsets.lexical_scores import STOP_WORDS, stem
from toolsets.skills.extraction.corrections import CORRECTION, SENTENCE_START
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.instructions import instruction_in
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.sentences import Sentence, sentences
from toolsets.skills.extraction.steps import Answer, steps_in
from toolsets.skills.extraction.verbs import is_verb

_LEXICON = lexicon("answers")
_BAN = re.compile(
    rf"{SENTENCE_START}(?P<lead>(?:(?:(?P<cue>{_LEXICON.any_of('takes_back')})|{_LEXICON.any_of('before_ban')})[\s,.:;!–—-]+){{0,6}})"
    rf"(?P<not>{_LEXICON.any_of('bans')}) (?P<deed>[a-z][^.!?\n]{{1,200}})[.!?]?"
)
"""A sentence that forbids something, with the words before it that take back what was said."""
_MEANT = re.compile(rf"(?i)\s*(?:sorry,? )?{_LEXICON.any_of('meant')}:? (?P<right>[^\s.!?][^.!?\n]{{0,80}})[.!]?")
_JOINT = re.compile(r"(?i),? (?:and|but|or)(?: then)? |,? then |[,;:] |\s[-–—]\s")
_JOINED = re.compile(
    rf"(?i)(?:,? (?:and|but|or)(?: then)?|,? then|[,;]|\s[-–—])(?: {_LEXICON.any_of('before_ban')},?)* $"
)
_SUBORDINATORS = _LEXICON.words("subordinator") - _LEXICON.words("other_pronoun") - {"it"}
_CLAUSE_END = re.compile(rf"(?i)[,;:(]\s|\s[-–—(]|\s(?:or|{'|'.join(sorted(_SUBORDINATORS))})\s")
_ONLY = re.compile(r"(?i)(?:\W*(?:but|instead|just|only|please|rather|simply|so),?\s+)*")
_ONLY_DO = re.compile(r"(?P<before>\s+)only (?P<order>[a-z-]+)(?=[ .!])", re.IGNORECASE)
_ORDER = re.compile(
    r"(?i)\s*(?:(?:instead|just|only|please|rather|simply),? )*(?P<right>[a-z-]+ [^.!?:\n]{1,160})[.!]?(?!\S)"
)
_COMMA = re.compile(r"[,;:] (?:but |just |only |rather |simply )*")
_WORD = re.compile(r"[^\W_](?:[\w./'’-]*\w)?")
_PRONOUN = re.compile(rf"(?i)[a-z-]+(?: {_LEXICON.any_of('particle')})? (?P<it>it|that|them|these|this|those)\b")
_BARE_LINE = re.compile(r"[^\S\n]*(?:\(?\d{1,2}[.)]|[-*•‣◦–])?[^\S\n]*\Z")
_NO_OBJECT = _LEXICON.words("preposition") | _LEXICON.words("particle") | {"of"}
_LEFT_OUT = STOP_WORDS | _LEXICON.words("determiner") | _LEXICON.words("object_pronoun") | {"only", "just"}
_BEFORE_NOUNS = _LEXICON.words("determiner") | _LEXICON.words("other_pronoun")
_LIMITS = _LEXICON.words("limits_ban")
_DENIAL = re.compile(r"(?i)(?:\b(?:avoid|cannot|never|not|without)|n['’]t)\b[^,;:]*$")
_LONGEST_NOUN: Final = 4
"""A short word that ends in "ly" is no adverb: "fly"."""
_MOST_BANS: Final = 8
"""Bans in one answer; a hostile text may have any number, and each is compared with the steps."""
_GAP: Final = 1_000
"""The most characters between two sentences, which are marks, blanks and lines that are no sentences."""
_MOST_LINES: Final = 100
"""Lines of code after a ban; a longer listing is a file."""
_MOST_CLAUSES: Final = 40
"""The most clauses of a text that are compared with a prohibition."""
_LONGEST_ROOT: Final = 4
"""The first letters of a stem that its words have, too."""
_REPEATED: Final = 3
"""The number of sentences after a prohibition that may repeat what is still to be done."""


@dataclass(frozen=True, slots=True)
class _Deed:
    """What a clause says to do: its verb, the stems of its object, and all stems."""

    verb: str
    things: tuple[str, ...]
    stems: frozenset[str]
    limited: bool
    """Whether it has a limit, as in "before it is cold"."""
    named: str
    """Its object as it stands there."""

    def forbids(self, other: "_Deed", *, surely: bool) -> bool:
        """Return whether the prohibition of this deed is one of the other; `surely` if it takes back what was said."""
        if self.limited or not all(word in other.stems for word in self.stems if word[0].isdigit()):
            return False
        if not self.things or not other.things:
            named = bool(self.stems) and not self.things and not other.things and self.stems <= other.stems
            return surely or named
        mine, others = set(self.things), set(other.things)
        alike = self.things[-1] == other.things[-1] and (mine <= others or (surely and others <= mine))
        return alike and (surely or self.stems <= other.stems)

    def repeats(self, other: "_Deed") -> bool:
        """Return whether it says all that the other one says."""
        if not self.things:
            return other.stems - set(other.things) <= self.stems
        return self.things[-1:] == other.things[-1:] and other.stems <= self.stems


def without_revoked(answer: str, places: Sequence[tuple[list[Answer], int]]) -> str:
    """Return a helper's turn; what it forbids is taken out of the turn itself and of the answers at some places before it.

    The rest of their sentences stays, and so does the prohibition as a warning. "I meant ..." after it names the right thing.
    """
    folded = answer.casefold()
    if not _LEXICON.letters["bans"].are_in(folded):
        return answer
    kept, done = "", 0
    for ban in islice(_BAN.finditer(answer), _MOST_BANS):
        forbidden = _deed(ban["deed"])
        if ban.start() < done or forbidden is None or ban.group().endswith("?"):
            continue
        kept += answer[done : ban.start()]
        meant = _MEANT.match(answer, ban.end()) or _other_way(answer, ban.end(), forbidden)
        change = _TextChange(
            forbidden, surely=ban["cue"] is not None, meant=None if meant is None else meant["right"].strip()
        )
        kept = _changed_everywhere(change, kept, places, _orders_after(answer, ban))
        done = ban.start()
        if change.revoked is not None:
            kept += _warning(ban, change.revoked) if meant is None else ""
            done = ban.end() if meant is None else meant.end()
            if (only := _ONLY_DO.match(answer, done)) is not None and is_order(answer[only.start("order") :]):
                kept += f"{only['before']}{only['order'].capitalize()}"
                done = only.end()
    kept += answer[done:]
    for part, at in places[:1] if kept != answer else ():
        if not part[at].instructs:
            # What is left is the reason for what the turn says.
            kept, part[at] = f"{part[at].text.rstrip()}\n{kept}", Answer("")
    for part, _ in places:
        part[:] = [answer for answer in part if answer.text.strip()]
    return kept


def _other_way(answer: str, at: int, forbidden: _Deed) -> re.Match[str] | None:
    """Return the order after a prohibition that says how to do it instead: "Do not wash it at 60 degrees. Wash it at 30"."""
    order = _ORDER.match(answer, at)
    deed = None if order is None or not is_order(order["right"]) else _deed(order["right"])
    return (
        order
        if deed is not None and deed.verb == forbidden.verb and deed.things[-1:] == forbidden.things[-1:]
        else None
    )


def _warning(ban: re.Match[str], revoked: _Deed) -> str:
    """Return a prohibition without the words before it, none if it does not name what it forbids.

    What it says to do instead becomes a sentence: "Do not open it, clean it from outside".
    """
    deed = _naming(ban["deed"], revoked.named)
    if _PRONOUN.fullmatch(deed) is not None:
        return ""
    end = ban.group()[-1] if ban.group()[-1] in ".!" else ""
    if (comma := _COMMA.search(deed)) is not None and (instruction := instruction_in(deed[comma.end() :])) is not None:
        return f"Do not {deed[: comma.start()]}. {instruction[:1].upper()}{instruction[1:]}{end}"
    return f"Do not {deed}{end}"


def _naming(clause: str, thing: str) -> str:
    """Return a clause with a thing in the place of the pronoun after its verb."""
    pronoun = _PRONOUN.match(clause) if thing else None
    return clause if pronoun is None else f"{clause[: pronoun.start('it')]}{thing}{clause[pronoun.end('it') :]}"


@dataclass(slots=True)
class _TextChange:
    """What a prohibition changes in the texts before it."""

    forbidden: _Deed
    surely: bool
    meant: str | None
    revoked: _Deed | None = None
    """What it has taken back."""

    def of(self, text: str) -> str:
        """Return a text without what is forbidden, or with what was meant in its place."""
        for found in _clauses(text, self.forbidden):
            if self.forbidden.forbids(found.deed, surely=self.surely):
                self.revoked = found.deed
                return found.replaced(self.meant) if self.meant is not None else found.removed()
        return text


def _changed_everywhere(
    change: _TextChange, before: str, places: Sequence[tuple[list[Answer], int]], repeated: Sequence[_Deed]
) -> str:
    """Apply a prohibition to what its turn says before it, and to the answers; return the former."""
    better = change.of(before)
    before = better if better == before or change.meant is not None else _without_repeated(better, repeated)
    for part, at in places:
        answer = part[at]
        if (better := change.of(answer.text)) != answer.text:
            better = _without_repeated(better, repeated) if change.meant is None else better
            given = [step for step in answer.steps if step.startswith(CORRECTION)]
            part[at] = Answer(better, [*steps_in(better), *given]) if given else Answer(better)
    return before


def _orders_after(answer: str, ban: re.Match[str]) -> list[_Deed]:
    """Return what a turn says to do in the sentence of a prohibition and after it."""
    said = [clause for clause in _CLAUSE_END.split(ban["deed"])[1:]]
    said += [part.text for part in islice(sentences(answer[ban.end() :].lstrip()), _REPEATED) if part.kind != "code"]
    orders = (instruction_in(text) or text[match.end() :] for text in said if (match := _ONLY.match(text)) is not None)
    return [deed for text in orders if is_order(text) and (deed := _deed(text)) is not None]


def _without_repeated(text: str, repeated: Iterable[_Deed]) -> str:
    """Return a text without what is said again later."""
    for later in repeated:
        for found in _clauses(text, later):
            if later.repeats(found.deed):
                text = found.removed()
                break
    return text


@dataclass(frozen=True, slots=True)
class _OrderClause:
    """A clause that says what to do, in a sentence of a text."""

    deed: _Deed
    text: str
    sentence: str
    at: int
    """Where the sentence begins in the text."""
    start: int
    stop: int
    after: int
    """Where the next clause begins in the sentence, or its end."""
    code: int
    """The length of the code below it."""

    def replaced(self, right: str) -> str:
        """Return the text with another deed, or another thing to do it with."""
        said = self.sentence[self.start : self.stop]
        if self.deed.named and (" " not in right or not is_order(right)):
            right = said.replace(self.deed.named, right, 1)
        elif right.split(None, 1)[0].casefold() == self.deed.verb:
            right = _naming(right, self.deed.named)
        return self._with(f"{self.sentence[: self.start]}{right}{self.sentence[self.stop :]}")

    def removed(self) -> str:
        """Return the text without the clause, and without its sentence if that has no other."""
        before, rest = self.sentence[: self.start], self.sentence[self.after :]
        joint = _JOINED.search(before)
        head = before[: joint.start()] if joint is not None else ""
        head = head if head and instruction_in(head) is not None else ""
        if self.after < len(self.sentence):
            return self._with(
                f"{head}{self.sentence[self.stop :]}" if head else f"{before}{_naming(rest, self.deed.named)}"
            )
        if not head:
            return self._with("")
        if (comma := head.rfind(", ")) >= 0 and is_order(head[comma + 2 :]) and joint is not None and "and" in joint[0]:
            head = f"{head[:comma]} and {head[comma + 2 :]}"
        return self._with(f"{head}.")

    def _with(self, sentence: str) -> str:
        before, after = self.text[: self.at], self.text[self.at + len(self.sentence) :]
        if sentence:
            return f"{before}{sentence[0].upper()}{sentence[1:]}{after[self.code if self.after == len(self.sentence) else 0 :]}"
        after = after[self.code :]
        bare = _BARE_LINE.search(before, before.rfind("\n") + 1)
        before = before[: bare.start()] if bare is not None and after[:1] in {"\n", ""} else before
        return f"{before}{after.lstrip()}" if before[-1:] in {"", "\n", " "} else f"{before}{after}"


def _clauses(text: str, like: _Deed) -> Iterator[_OrderClause]:
    """Yield the first clauses of a text that say to do something with the verb of a deed, or with one that means the same."""
    folded = text.casefold()
    if like.things and like.things[-1][:_LONGEST_ROOT] not in folded:
        return
    form = _verb_form(like.verb)
    if form.search(folded) is not None:
        yield from islice(_all_clauses(text, form), _MOST_CLAUSES)


def _all_clauses(text: str, form: re.Pattern[str]) -> Iterator[_OrderClause]:
    done = 0
    said = sentences(text)
    for number, sentence in enumerate(said):
        at = text.find(sentence.text, done, done + len(sentence.text) + _GAP)
        if at < 0 or sentence.kind in {"code", "caption"}:
            continue
        done = at + len(sentence.text)
        for found in form.finditer(sentence.text):
            clause = sentence.text[found.start() :]
            if not is_order(clause) or not _may_order(sentence.text[: found.start()]):
                continue
            ends = (joint for joint in _JOINT.finditer(clause) if is_order(clause[joint.end() :]))
            end = next(ends, None)
            stop = len(clause.rstrip(".!:")) if end is None else end.start()
            if (deed := _deed(clause[:stop])) is not None:
                after = len(sentence.text) if end is None else found.start() + end.end()
                code = _code_below(text, done, said, number + 1)
                yield _OrderClause(deed, text, sentence.text, at, found.start(), found.start() + stop, after, code)


def _may_order(before: str) -> bool:
    """Return whether a verb with these words before it in its sentence may be an order, and is not denied."""
    last = before.split()[-1:]
    return _DENIAL.search(before) is None and (not last or last[0].casefold() not in _BEFORE_NOUNS)


def _code_below(text: str, at: int, said: Sequence[Sentence], first: int) -> int:
    """Return the length of the code that follows a place in a text, which is the sentences from the `first` on."""
    stop = at
    for number in range(first, min(first + _MOST_LINES, len(said))):
        code = said[number]
        found = text.find(code.text, stop, stop + len(code.text) + _GAP) if code.kind == "code" else -1
        if found < 0:
            break
        stop = found + len(code.text)
    fence = re.compile(r"\s*```").match(text, stop) if stop > at and "```" in text[at:stop] else None
    return (stop if fence is None else fence.end()) - at


def _deed(clause: str) -> _Deed | None:
    """Return what a clause that begins with a verb says to do."""
    end = _CLAUSE_END.search(clause)
    limited = end is not None and end.group().strip().casefold() in _LIMITS
    clause = clause if end is None else clause[: end.start()]
    words = list(_WORD.finditer(clause))
    verb = words[0].group().casefold() if words else ""
    if not is_verb(verb):
        return None
    rest = words[1:]
    while rest and rest[0].group().casefold() in _LEXICON.words("particle"):
        rest = rest[1:]
    length = next((at for at, word in enumerate(rest) if word.group().casefold() in _NO_OBJECT), len(rest))
    things = tuple(_stems(word.group() for word in rest[:length]))
    named = clause[rest[0].start() : rest[length - 1].end()] if things else ""
    limited = limited or any(word.group().casefold() in _LIMITS for word in rest)
    return _Deed(verb, things, frozenset(_stems(word.group() for word in rest)), limited, named)


def _stems(words: Iterable[str]) -> Iterator[str]:
    """Yield the stems of words that name something."""
    folded = (word.casefold() for word in words)
    return (stem(word) for word in folded if word not in _LEFT_OUT | _NO_OBJECT and not _is_adverb(word))


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > _LONGEST_NOUN and not is_verb(word)


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Return a pattern for each verb that has others with its meaning."""
    return {verb: _form(verbs) for verbs in map(str.split, _LEXICON.phrases["same_deed"]) for verb in verbs}


def _verb_form(verb: str) -> re.Pattern[str]:
    return _forms().get(verb) or _form([verb])


def _form(verbs: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![\w-])(?<!not )(?<!n['’]t )(?:{'|'.join(map(re.escape, verbs))})(?![\w-])")
