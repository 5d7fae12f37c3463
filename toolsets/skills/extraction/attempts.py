"""Judges which of several attempts count: those that a reply confirms, and the last one of a conversation."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from toolsets.lexical_scores import STOP_WORDS, terms
from toolsets.skills.extraction.answers import lessons, substance
from toolsets.skills.extraction.clauses import words_of
from toolsets.skills.extraction.corrections import with_corrections
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.outcomes import ORDINALS, outcome_of, quotes_an_error
from toolsets.skills.extraction.reports import reports_following
from toolsets.skills.extraction.short_replies import asks_how_it_went, is_bare_refusal
from toolsets.skills.extraction.steps import Answer
from toolsets.skills.extraction.verbs import is_verb
from toolsets.skills.transcript import Turn

_LEXICON = lexicon("outcomes")


def confirmed_answers(pending: list[Answer], reply: str, own: list[str]) -> list[Answer]:
    """Return the answers that a reply confirms: the customer's own, the one it names, or all of them."""
    if own:
        # The customer may describe the steps of the answers in other words.
        pointing = all(map(_POINTS_BACK.fullmatch, own)) and any(answer.instructs for answer in pending)
        return pending if pointing or _echoes(own, pending) or _only_follows(own, pending) else [Answer(reply, own)]
    if (named := ORDINALS.search(reply)) is not None:
        steps = [step for answer in pending for step in answer.steps]
        if len(steps) > 1:
            return [Answer(pending[-1].text, [steps[0] if named["first"] else steps[-1]])]
    return pending


_POINTS_BACK = re.compile(r"(?i)[a-z]+(?: [a-z]+)? (?:all|both|it|that|them|these|this|those)\W*")
"""A step that names nothing, as "clean it", so that the answers before it say what "it" is."""


def _echoes(own: Sequence[str], pending: Sequence[Answer]) -> bool:
    """Return whether the answers contain most words of the customer's own steps."""
    instructed = frozenset(terms(" ".join(step for answer in pending for step in answer.steps)))
    words = [word for step in own for word in terms(step)]
    return bool(words) and sum(word in instructed for word in words) >= _ECHOED * len(words)


_ECHOED: Final = 0.7
"""The share of repeated words; with less, a report of something else would count as an echo."""


def _only_follows(own: Sequence[str], pending: Sequence[Answer]) -> bool:
    """Return whether the customer's own steps say that an instruction was followed: "2.4 was off! Turn it on."

    They refer to what a helper said, or name nothing that the instructions do not name, apart from a state and its change.
    """
    steps = " ".join(step for answer in pending for step in answer.steps)
    if not steps:
        return False
    telling = [_CAME_OF_IT.sub("", step) for step in own if _AS_INSTRUCTED.search(step) is None]
    known = frozenset(terms(f"{steps} {' '.join(answer.text for answer in pending if answer.instructs)}"))
    words = [word for step in telling for word in _WORD.findall(_WRONG_STATE.sub("", step).casefold())]
    if any(word not in _CHANGE and known.isdisjoint(terms(word)) for word in words if word not in STOP_WORDS):
        return False
    done, due = (_direction(text) for text in (" ".join(re.split(r"[.!?]\s+", step)[-1] for step in telling), steps))
    return not done or not due or not done.isdisjoint(due)


def _direction(text: str) -> frozenset[str]:
    """Return "on", "off" or both for a text that says that something is to be switched on or off."""
    words = frozenset(words_of(text))
    return frozenset(way for way, known in (("on", _ON), ("off", _OFF)) if not known.isdisjoint(words))


_ON, _OFF = _LEXICON.words("switching_on"), _LEXICON.words("switching_off")
_CHANGE: Final = _ON | _OFF | _LEXICON.words("change")
_AS_INSTRUCTED = _LEXICON.pattern("as_instructed")
_WORD = re.compile(r"\w+(?:[.'’-]\w+)*")
_WRONG_STATE = re.compile(r"\b(?:was|were) [^,.!?;]{1,80}[.!?]\s+(?=[A-Z])")
"""The wrong state of a thing, before the step that changes it: "It was set to 5 GHz. Change it"."""
_CAME_OF_IT = re.compile(
    r"(?i)(?:^|(?:,|\band|\bso)\s|[.!]\s)(?:all|everything|it|my|our|that|the|they)\b[^,.!?;]{0,160}"
    r"\b(?:again|at last|finally|now)\W*(?=$|[.!])"
)
"""The clause that says how it is now."""


def without_findings(reply: str, pending: Sequence[Answer], complaint: frozenset[str]) -> str:
    """Return a reply without the clauses that say that what was to be checked is in order: "the hose is fine".

    It names what the last answer with steps tells to check. What is in order is not the result, unless the complaint, whose
    terms are given, is about it. Nothing is left of a reply that only repeats the state: "it's on", "all allowed".
    """
    if (at := _last_check(pending)) is None:
        return reply
    checked = frozenset(term for step in pending[at].steps for check in _CHECK.findall(step) for term in terms(check))
    checked -= complaint
    if checked and _repeats_state(reply, " ".join(pending[at].steps)):
        return ""
    found = list(_FINDING.finditer(reply))
    for match in reversed(found):
        what = [word for word in words_of(match["what"]) if word not in STOP_WORDS]
        if what and checked.issuperset(terms(" ".join(what))):
            reply = f"{reply[: match.start()].rstrip()}{match['end']}{reply[match.end() :]}"
    return reply.strip()


def _repeats_state(reply: str, step: str) -> bool:
    """Return whether a short reply only says that a thing is as a step says that it should be."""
    if len(reply) > _LONGEST_STATE or "?" in reply:
        return False
    said = frozenset(words_of(reply))
    words = said - _AFFIRMING
    state = (words - _LINKING - {"at", "on"}) or words - _LINKING
    # "Yes it is" names no state.
    return bool(state or said > words) and state < words and state.issubset(words_of(step))


_AFFIRMING: Final = _LEXICON.words("affirming")
_LINKING: Final = _LEXICON.words("linking")
_LONGEST_STATE: Final = 60
"""Characters; a longer reply says more than that a step was followed."""


def only_checks(pending: Sequence[Answer]) -> bool:
    """Return whether the last answer with steps only tells to check something."""
    at = _last_check(pending)
    return at is not None and all(map(_is_check, pending[at].steps))


def _last_check(pending: Sequence[Answer]) -> int | None:
    """Return the index of the last answer with steps, if one of them is a check; None if none is."""
    at = next((at for at in reversed(range(len(pending))) if pending[at].instructs), None)
    return at if at is not None and any(map(_CHECK.search, pending[at].steps)) else None


def _is_check(step: str) -> bool:
    check = _CHECK.search(step)
    return check is not None and not any(
        is_verb(joined[1].casefold()) for joined in _JOINED.finditer(step, check.start())
    )


_CHECK = re.compile(rf"(?i)(?:^|[.!:]\s+){_LEXICON.any_of('to_check')}\b([^.!?\n]*)")
_JOINED = re.compile(r"(?i)\b(?:and|then),? (?:then )?([a-z]+)\b")
_FINDING = re.compile(
    r"(?im)(?:^|(?<=[.!?;,:])\s{1,3}|,? \b(?:and|but) )(?:(?:ok(?:ay)?|well|yes)\W{1,3})?"
    r"(?P<what>(?:(?:all|both|my|our|that|the) )?(?:[\w-]+ ){0,3}?[\w-]+)(?: (?:is|are|was|were|looks?|seems?)|'s) "
    rf"{_LEXICON.any_of('in_order')}(?P<end>\s{{0,3}}(?:[.!;,]|\Z|(?=\n)|(?=\s(?:and|but)\b)))"
)


def acknowledges(reply: str, answers: Sequence[Answer]) -> bool:
    """Return whether a reply that says that a thing is well may only report a step: "ok the light is green now".

    It begins with a word such as "ok", or repeats words of the steps, and has neither thanks nor a word for success.
    """
    if len(reply) > _LONGEST_ACKNOWLEDGEMENT or _STRONG.search(reply) is not None:
        return False
    if _AGREES.match(reply) is not None:
        return True
    words = [word for word in terms(reply) if word not in _NO_ECHO]
    known = frozenset(terms(" ".join(step for answer in answers for step in answer.steps)))
    return bool(words) and sum(word in known for word in words) >= _ECHOED * len(words)


_STRONG = re.compile(rf"(?i){_LEXICON.any_of('end_of_trouble')}(?!\w)|!|[^\x00-\u2fff]")
_AGREES = re.compile(rf"(?i)\W*{_LEXICON.any_of('agreement')}(?!\w)")
_NO_ECHO: Final = frozenset({"all", "again", "alright", "it's", "now", "ok", "okay", "s", "yes"})
_LONGEST_ACKNOWLEDGEMENT: Final = 120
"""Characters; a longer reply has news."""


def is_prevention(text: str) -> bool:
    """Return whether an answer only says what to do in future, so that the fault does not come back."""
    return _PREVENTION.search(text) is not None


_PREVENTION = _LEXICON.pattern("prevention")


def helps_in_part(reply: str) -> bool:
    """Return whether a reply after which something is still wrong says that something has become better, and stayed so."""
    if _RELAPSE.search(reply) is not None:
        return False
    statements = [sentence for sentence in re.split(r"[.!?\n]+", reply.lower()) if _SUPPOSED.search(sentence) is None]
    return any(
        _BETTER.search(sentence) is not None or _BUT_BETTER.search(sentence) is not None for sentence in statements
    )


def remaining_problem(reply: str, complaint: frozenset[str], tried: Sequence[Answer]) -> str | None:
    """Return what a reply calls still wrong after it says that a part of the problem is solved; None if it says no such thing.

    "The names are there now. Only the photos are missing": the solved part is named in the complaint, whose terms are given,
    and not only in what was tried; the rest is another thing.
    """
    ending = reply[-_LONGEST_PARTED:].replace("’", "'")
    done = frozenset(terms(" ".join(step for answer in tried for step in answer.steps)))
    solved = False
    for start, clause in _clauses(ending):
        words = words_of(_LEAD_IN.sub("", clause, count=1))
        if (
            solved
            and words
            and words[0] not in _NO_SUBJECT
            and _RELAPSE.search(clause) is None
            and _says_unsolved(words)
        ):
            rest = _LEAD_IN.sub("", ending[start:].strip(), count=1)
            return f"{rest[:1].upper()}{rest[1:]}" if rest else None
        solved = solved or _says_solved(clause, words, complaint - done)
    return None


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for joint in islice(_PART_JOINT.finditer(text), _MOST_CLAUSES):
        yield start, text[start : joint.start()]
        start = joint.end()
    yield start, text[start:]


def _says_unsolved(words: Sequence[str]) -> bool:
    return "still" in words or not _DENIALS.isdisjoint(words)


def _says_solved(clause: str, words: Sequence[str], complaint: frozenset[str]) -> bool:
    """Return whether a clause says that a part of the complaint is solved, or that someone can do something again."""
    if (
        _says_unsolved(words)
        or not _TROUBLE.isdisjoint(words)
        or _SUPPOSED.search(clause) is not None
        or words[:1] in (["i"], ["we"])
    ):
        return False
    if _CAN_AGAIN.search(clause) is not None:
        return True
    if outcome_of(clause) == "worked":
        return not complaint.isdisjoint(terms(clause))
    subject = terms(" ".join(words[:_SUBJECT]))
    followed = reports_following(clause) and words[0] not in _DETERMINERS
    return not complaint.isdisjoint(subject) and not followed


_PART_JOINT = re.compile(
    r"(?i)[.!?;:]\s+|\n+|,\s+|\s(?:and (?=(?:all|both|everything|my|now|our|the)\b)|"
    r"(?=(?:although|but|except|however|only|though|whereas|while|yet)\b))"
)
_LEAD_IN = re.compile(
    r"(?i)\W*(?:(?:and|but|hm+|however|just|now|only|sadly|though|unfortunately|well|whereas|while|yet)\W+)+(?=\w)"
)
_CAN_AGAIN = re.compile(r"(?i)\bcan (?:\w+ ){1,4}(?:again|now)\b")
_DETERMINERS: Final = frozenset({"all", "both", "my", "our", "the"})
_NO_SUBJECT: Final = frozenset(
    ("error he i it it's its message problem same she that that's there they they're this we you").split()
)
"""Openings of a clause about the problem as a whole, or about nothing in particular."""
_DENIALS, _TROUBLE = _LEXICON.words("denials"), _LEXICON.words("trouble") - {"here", "red", "there"}
_SUBJECT: Final = 4
"""The number of words at the beginning of a clause among which its subject is."""
_LONGEST_PARTED: Final = 600
_MOST_CLAUSES: Final = 24
"""Characters from the end of a reply, where what was solved is said, and clauses in them; both bound the work."""


def builds_on(answer: str, reply: str) -> bool:
    """Return whether a helper builds on the step before, after a `reply` that something is still wrong: "Halfway there"."""
    if _PROGRESS.search(answer[:_OPENING].lower()) is not None:
        return True
    return _CHANGED.search(reply) is not None and _APPROVES.match(answer) is not None


_RELAPSE, _PROGRESS = _LEXICON.pattern("relapse"), _LEXICON.lower_pattern("progress")
_BETTER, _BUT_BETTER = _LEXICON.lower_pattern("better"), _LEXICON.lower_pattern("but_better")
_CHANGED = _LEXICON.pattern("changed")
_APPROVES = re.compile(rf"(?i)\W*(?:(?:ah|and|oh|ok(?:ay)?|well)\W+){{0,2}}{_LEXICON.any_of('approves')}(?!\w)")
_SUPPOSED = re.compile(r"(?i)\b(?:could|if|maybe|perhaps|should|would)\b")
_OPENING: Final = 120


def without_asides(turns: Sequence[Turn], complaint: Sequence[str]) -> Iterator[Turn]:
    """Yield turns without the answers to what customers ask in passing ("btw, is 1234 a bad PIN?"), which solve nothing.

    Such a question names other things than the complaint and what helpers have said, and so does its answer.
    """
    if not any(turn.role == "customer" and "?" in turn.text and _may_turn_away(turn.text) for turn in turns):
        yield from turns
        return
    of_complaint = frozenset(terms(" ".join(complaint)))
    known, pleased = set(of_complaint), False
    asked: frozenset[str] | None = None
    for turn in turns:
        if turn.role == "customer":
            asked = _asked_aside(turn.text, known, pleased=pleased)
            pleased = pleased or outcome_of(turn.text) in _PLEASED
        elif turn.role == "agent":
            said = frozenset(terms(turn.text))
            if asked is not None and of_complaint.isdisjoint(said - asked):
                continue
            known |= said
        yield turn


def _may_turn_away(text: str) -> bool:
    return _ASIDE.search(text) is not None or _ALSO.search(text) is not None


def _asked_aside(reply: str, known: AbstractSet[str], *, pleased: bool) -> frozenset[str] | None:
    """Return the terms of a question by which a reply turns to something else; None if it does not.

    After "oh and" it only does so if the customer is `pleased`, or says so before it, or asks for something to buy.
    """
    if "?" not in reply or (match := _ASIDE.search(reply) or _ALSO.search(reply)) is None:
        return None
    outcome = outcome_of(reply[: match.start()])
    buys = _BUYS.search(match["asked"])
    in_passing = match.re is _ASIDE and (match["afterthought"] is None or pleased or outcome in _PLEASED)
    words = terms(match["asked"] if in_passing or buys is None else match["asked"][buys.end() - 1 :])
    turns_away = outcome != "failed" and (in_passing or buys is not None)
    return frozenset(words) if turns_away and sum(word in known for word in words) < _HALF * len(words) else None


_ASIDE = re.compile(
    rf"(?i)(?<![\w-])(?:{_LEXICON.any_of('aside')}|(?P<afterthought>{_LEXICON.any_of('afterthought')}))\b(?P<asked>[^?]{{3,300}})\?"
)
_ALSO = re.compile(r"(?i)(?:\A|[.!;,\n])\s{0,3}(?:also|and)\b(?P<asked>[^?]{3,300})\?")
_BUYS = re.compile(
    rf"(?i)\b(?:can|could|do|does|how|may|where) (?!\w+ (?:have|need) to\b)(?:\w+ ){{0,3}}?{_LEXICON.any_of('buy')} "
    rf"(?!{_LEXICON.any_of('no_goods')})(?!\w+ {_LEXICON.any_of('no_goods')})[a-z]"
)
_PLEASED: Final = frozenset({"worked", "thanks"})
_HALF: Final = 0.5


def answers_a_question(reply: str, pending: Sequence[Answer]) -> bool:
    """Return whether a reply is a plain no, or a quoted error, that answers a question that does not ask about the result."""
    if not pending or not (is_bare_refusal(reply) or quotes_an_error(reply)):
        return False
    return asks_how_it_went(pending[-1].text) is False


def turns_to_another_matter(reply: str) -> bool:
    """Return whether a customer announces another question or problem."""
    return _NEXT_TOPIC.search(reply) is not None


_NEXT_TOPIC = re.compile(
    r"(?i)\b(?:another (?:question|issue|problem|thing)|one more (?:question|thing)|(?:different|separate"
    r"|unrelated|second) (?:question|issue|problem|matter)|while i(?:'ve| have) (?:you|got you)|by the way"
    r"|also,? (?:how|can|could|is|my))\b"
)


def without_refused_entries(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield turns without those that only tell to enter what a program does not accept, if something else takes its place.

    "It says code already used" after "Enter the code from the letter", and before "Ask for a second code and enter it".
    """
    refused: set[int] = set()
    answered_at: int | None = None
    by_program: re.Match[str] | None = None
    for at, turn in enumerate(turns):
        if turn.role == "agent":
            if answered_at is not None and by_program is not None:
                asked = by_program["contrast"] is None and asks_how_it_went(turns[answered_at].text) is False
                refused |= {answered_at} if not asked and _replaces_entry(turn.text, turns[answered_at].text) else set()
            answered_at, by_program = at, None
        elif turn.role == "customer" and by_program is None:
            by_program = _TURNED_DOWN.search(turn.text)
    yield from (turn for at, turn in enumerate(turns) if at not in refused)


def _replaces_entry(after: str, answer: str) -> bool:
    """Return whether an answer says what to enter in place of what the only step of another one says to enter."""
    steps = Answer(substance(answer)).steps
    if len(steps) != 1 or _ENTERS.search(steps[0]) is None or _FIRST.search(after) is not None:
        return False
    named = frozenset(terms(steps[0].partition(" ")[2]))
    another = _ANOTHER.search(after) is not None or not named.isdisjoint(terms(after))
    return another and Answer(substance(after)).instructs


_ENTERS = re.compile(rf"(?i)\b{_LEXICON.any_of('to_enter')}\b")
_TURNED_DOWN = re.compile(
    rf"(?i)\b(?:(?P<contrast>but|however|now|then),? (?:it|that|the \w+) )?"
    rf"{_LEXICON.any_of('tells_that')}{_LEXICON.any_of('turned_down')}(?!\w)"
)
_FIRST = re.compile(r"(?i)\b(?:again|before|first|once more)\b")
_ANOTHER = re.compile(r"(?i)\b(?:another|different|instead|new one|other one)\b")


def last_attempt(turns: Sequence[Turn]) -> Answer | None:
    """Return the last answer of a helper that tells others what to do, whatever is said of it; None without any."""
    for turn in reversed(turns):
        if turn.role != "agent" or not (answer := Answer(substance(with_corrections(turn.text)))).instructs:
            continue
        if lessons(list(answer.steps)):
            return answer
    return None
