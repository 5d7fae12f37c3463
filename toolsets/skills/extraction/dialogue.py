"""Follows a conversation: the problem, the answers, which of them failed, and which of them worked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.answers import (
    asks_what_or_why,
    explained_by,
    explanations,
    lessons,
    mostly_explains,
    split_retraction,
    substance,
    yes_or_no,
)
from toolsets.skills.extraction.attempts import (
    acknowledges,
    answers_a_question,
    builds_on,
    confirmed_answers,
    helps_in_part,
    is_prevention,
    last_attempt,
    only_checks,
    remaining_problem,
    turns_to_another_matter,
    without_asides,
    without_findings,
    without_refused_entries,
)
from toolsets.skills.extraction.corrections import CORRECTION, Correction, corrections_in, with_corrections
from toolsets.skills.extraction.instructions import as_sentence
from toolsets.skills.extraction.model import MAX_PROBLEM, NothingToLearn, cut
from toolsets.skills.extraction.orders import clean_turns
from toolsets.skills.extraction.outcomes import (
    THANKS,
    Outcome,
    names_a_hindrance,
    outcome_of,
)
from toolsets.skills.extraction.own_solutions import announced_report, deeds_in, last_deeds, report_in
from toolsets.skills.extraction.problems import problem_of
from toolsets.skills.extraction.progress import asks_for_report, improves_a_thing, with_taken_up
from toolsets.skills.extraction.revocations import without_revoked
from toolsets.skills.extraction.short_replies import (
    after_no,
    asks_how_it_went,
    offers_more_help,
    only_declines,
    repeats_complaint,
)
from toolsets.skills.extraction.speakerless import NO_SPEAKERS, question_and_answer
from toolsets.skills.extraction.step_references import named_across
from toolsets.skills.extraction.steps import Answer, StepsOf, as_text, join_steps
from toolsets.skills.transcript import Transcript, Turn
from toolsets.skills.transcript.unread import has_unread_speakers

MAX_DETAILS = 6
"""The most later turns of the customer that are searched for circumstances."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The content of a conversation: the problem in the customer's words, the steps that count, and the outcome."""

    problem: tuple[str, ...]
    steps: tuple[str, ...]
    explained: bool
    """Whether the steps are an explanation, without an instruction."""
    outcome: Outcome
    details: tuple[str, ...]
    """What the customer says before the last instruction, apart from the first turn: versions, platforms, observations."""
    reports: tuple[str, ...]
    """What the customer says of it."""
    answers: tuple[str, ...]
    """The full texts of the answers that count."""
    remaining: tuple[str, ...] = ()
    """What the customer says was left when a part of the problem was solved."""


@dataclass(slots=True)
class _DialogueState:
    problem: str
    """The problem in the customer's words, with what they say before the first instruction; its beginning."""
    complaint: frozenset[str]
    """The terms of the problem."""
    pending: list[Answer] = field(default_factory=list[Answer])
    """The answers since the last failure."""
    has_steps: bool = False
    """Whether one of them has steps."""
    failed: list[Answer] = field(default_factory=list[Answer])
    """The answers that failed last."""
    kept: list[Answer] = field(default_factory=list[Answer])
    """The answers that helped in part."""
    remaining: tuple[str, ...] = ()
    """What was left after them."""
    complained: str | None = None
    """The end of the reply by which the last answers failed, until a helper has instructed further."""
    hindered: bool = False
    """Whether they failed because the customer could not follow them."""
    settled: list[Answer] | None = None
    """The answers that were pending when it worked."""
    reported: bool = False
    """Whether the reply that settled it may only have reported a step."""
    thanked: bool = False
    """Whether the customer has given thanks since it worked."""
    later: list[Answer] = field(default_factory=list[Answer])
    """The answers with steps since then; they count when they have worked, too."""
    outcome: Outcome = "none"
    offered: bool = False
    """Whether the last turn of a helper ends with an offer of further help, or only closes the matter after a success."""
    corrections: int = 0
    """The corrections read so far."""
    details: list[str] = field(default_factory=list[str])
    """The replies before the last answer that counts."""
    reports: list[str] = field(default_factory=list[str])
    """The replies since then."""


def follow(transcript: Transcript, *, confirmed: bool) -> Finding:
    """Return the content of a conversation; `confirmed`: the caller says that the last one worked. Raises `NothingToLearn`."""
    turns = clean_turns(transcript.turns)
    if not turns:
        raise NothingToLearn("The conversation is empty.")
    if has_unread_speakers(transcript.turns):
        raise NothingToLearn(f"The conversation names no problem: {NO_SPEAKERS}")
    named = any(turn.role != "other" for turn in turns)
    if not named:
        turns = question_and_answer(turns)
    problem = problem_of(turns, transcript.subject)
    if not problem:
        reason = "nobody asks for anything or says what is wrong." if named else NO_SPEAKERS
        raise NothingToLearn(f"The conversation names no problem: {reason}")
    state = _DialogueState(" ".join(problem)[:MAX_PROBLEM], frozenset(terms(" ".join(problem))))
    for turn in without_asides(list(without_refused_entries(turns)), problem):
        if turn.role == "agent":
            _add_answer(state, turn)
        elif turn.role == "customer" and not _add_reply(state, turn):
            break
    return _finding(problem, state, turns, confirmed=confirmed, answered=bool(transcript.by("agent")))


def _finding(
    problem: list[str], state: _DialogueState, turns: Sequence[Turn], *, confirmed: bool, answered: bool
) -> Finding:
    _keep_part(state)
    answers = state.settled if state.settled is not None else state.pending
    # The caller's confirmation outweighs the last reply in the transcript, but not one that the helper has taken up. A step
    # that the customer could not follow at first has worked if only an explanation came after it.
    followed_later = state.outcome == "worked" and state.hindered
    if (
        ((confirmed and (state.hindered or not answers)) or followed_later)
        and not any(answer.instructs for answer in answers)
        and state.failed
    ):
        answers = [*state.failed[-1:], *answers]
    if state.remaining or any(answer.instructs for answer in answers):
        answers = [*state.kept, *answers]
    earlier = [(answer.text, ()) for answer in state.failed if answer not in answers]
    steps = lessons(list(join_steps([*named_across([*earlier, *((one.text, one.steps) for one in answers)])])))
    advice = [answer.text for answer in answers]
    asked = asks_what_or_why(problem[-1])
    explained = not steps or (asked and mostly_explains(advice))
    if explained:
        solved = confirmed or asked or state.outcome == "worked"
        steps = explained_by(advice, problem[-1], turns, state.outcome, solved=solved)
        steps = [cut(as_text((*yes_or_no(problem[-1], advice, steps[0]), *steps)), MAX_PROBLEM)] if steps else []
    if not steps and confirmed and (did := last_deeds(turns)) is not None:
        advice, steps, explained = [did[0]], list(did[1]), False
    elif not steps and confirmed and (tried := last_attempt(turns)) is not None:
        steps, explained, advice = list(join_steps([tried.steps])), False, [tried.text]
    if not steps:
        raise NothingToLearn(_missing(state, turns, answered=answered))
    untold = state.outcome == "failed" and state.settled is None and any(answer.instructs for answer in state.pending)
    # What was tried failed, and it is unknown what became of the instructions after that.
    outcome: Outcome = "worked" if confirmed else "none" if untold else state.outcome
    details, reports = (tuple(texts[:MAX_DETAILS]) for texts in (state.details[1:], state.reports))
    return Finding(tuple(problem), tuple(steps), explained, outcome, details, reports, tuple(advice), state.remaining)


def _missing(state: _DialogueState, turns: Sequence[Turn], *, answered: bool) -> str:
    if state.failed:
        return "The conversation ends without a resolution: all that was tried is said to have failed."
    if not any(turn.role == "agent" for turn in turns):
        return (
            "The conversation has no resolution: the answers read like orders to a program that reads them."
            if answered
            else "The conversation has no resolution: nobody answers."
        )
    return "The conversation has no resolution: no answer says what to do or why."


def _add_answer(state: _DialogueState, turn: Turn) -> None:
    instructed = len(state.later)
    if state.complained is not None and builds_on(turn.text, state.complained):
        _keep_failed(state)
    text = without_revoked(turn.text, _answers_before(state))
    text = with_corrections(text) if state.corrections < _MOST_CORRECTIONS else text
    done = 0
    for found in corrections_in(text) if state.corrections < _MOST_CORRECTIONS else ():
        state.corrections += 1
        if _correct(state, found, text[done : found.start]):
            done = found.stop
    _add_instructions(state, text[done:])
    closes = state.settled is not None and len(state.later) == instructed and not asks_how_it_went(turn.text)
    state.offered = closes or offers_more_help(turn.text)


def _correct(state: _DialogueState, found: Correction, before: str) -> bool:
    """Apply a correction to the answers before it, the last of which is `before`; return False if it is none.

    If it is unclear what it replaces, it becomes a step of the last answer that has steps.
    """
    if found.sure and before.strip():
        _add_instructions(state, before)
    elif before.strip() and found.wrong is None:
        return False
    answers = _answers_before(state)
    last = next(((part, at) for part, at in answers if part[at].instructs), None)
    for part, at in answers if found.wrong is not None else [last] if last is not None else []:
        if (better := found.corrected_answer(part[at])) is not None:
            part[at] = better
            return _goes_on(state, found, before)
    if last is None and (meant := _meant(state.failed, found)):
        state.pending += meant
        state.has_steps = True
        return _goes_on(state, found, before)
    if not found.sure:
        return False
    if last is None:
        _add_instructions(state, f"{found.order() if found.wording == found.right else as_sentence(found.wording)}")
    else:
        part, at = last
        part[at] = Answer(part[at].text, [*part[at].steps, f"{CORRECTION}{found.wording}."])
    return True


def _meant(failed: Sequence[Answer], found: Correction) -> list[Answer]:
    """Return the answers that failed, corrected, because they were not what the helper meant; none if it is about others."""
    better = [found.corrected_answer(answer) or answer for answer in failed]
    return better if better != list(failed) else []


def _answers_before(state: _DialogueState) -> list[tuple[list[Answer], int]]:
    """Return the places of the last answers, the last one first."""
    spoken = (state.later, state.pending if state.settled is None else state.settled)
    return [(part, at) for part in spoken for at in reversed(range(len(part)))][:_CORRECTED]


def _goes_on(state: _DialogueState, found: Correction, before: str) -> bool:
    """Read what stands before a correction that may have been none; return True."""
    if not found.sure and before.strip():
        _add_instructions(state, before)
    return True


_MOST_CORRECTIONS: Final = 20
"""The corrections of a conversation that are applied; later ones are read like other sentences."""
_EXPLAINED: Final = 6
"""The most answers before a failure in which an explanation is searched; earlier failures have been searched before."""
_CORRECTED: Final = 6
"""The most answers in which a correction searches what it corrects."""


def _add_instructions(state: _DialogueState, answer_text: str) -> None:
    takes_back, rest = split_retraction(answer_text)
    if takes_back and rest != answer_text and not StepsOf(answer_text[: len(answer_text) - len(rest)]).any():
        _drop_last(state)
    text = substance(rest)
    if not text:
        return
    answer = Answer(text)
    if state.complained is not None and answer.instructs:
        if not _keep_part(state) and (helps_in_part(state.complained) or improves_a_thing(state.complained)):
            _keep_failed(state)
        state.complained = None
    if state.settled is not None and answer.instructs and _goes_beyond(state, text):
        # The customer called something else fine, or only reported a step.
        state.pending, state.settled, state.outcome = [*state.settled, answer], None, "none"
        state.has_steps = True
    elif state.settled is None:
        state.pending.append(answer)
        state.has_steps = state.has_steps or answer.instructs
    elif answer.instructs:
        state.later.append(answer)
    if state.settled is None and (answer.instructs or not state.has_steps):
        state.details += state.reports
        state.reports.clear()


def _keep_part(state: _DialogueState) -> bool:
    """Keep the last answers that failed if the reply says that only a part of the problem is left; return whether it does."""
    rest = remaining_problem(state.complained, state.complaint, state.failed) if state.complained is not None else None
    if rest is not None:
        state.remaining += (rest,)
        _keep_failed(state)
    return rest is not None


def _keep_failed(state: _DialogueState) -> None:
    """Keep the last answers that failed, because they have helped in part."""
    state.kept += [answer for answer in state.failed if answer.instructs]
    state.failed, state.complained = [], None


def _goes_beyond(state: _DialogueState, advice: str) -> bool:
    """Return whether what a helper instructs after a success shows that it was not the end."""
    return not any(answer.instructs for answer in state.settled or ()) or (state.reported and not is_prevention(advice))


def _drop_last(state: _DialogueState) -> None:
    """Drop the last answer that has steps; its helper has taken it back."""
    at = next((at for at in reversed(range(len(state.pending))) if state.pending[at].instructs), None)
    if at is not None:
        del state.pending[at:]
        state.has_steps = any(answer.instructs for answer in state.pending)


def _add_reply(state: _DialogueState, turn: Turn) -> bool:
    """Update the state by a reply of the customer; return False if another topic begins, which ends the reading."""
    state.reports.append(turn.text)
    outcome, own = _verdict(state, turn.text)
    if not (state.has_steps or state.failed):
        state.problem = f"{state.problem} {turn.text}"[:MAX_PROBLEM]
    if state.settled is not None:
        if outcome == "failed" and not turns_to_another_matter(turn.text):
            state.failed, state.settled, state.pending, state.later = [*state.settled, *state.later], None, [], []
            state.has_steps = False
            state.outcome, state.hindered, state.complained = "failed", False, turn.text[-MAX_PROBLEM:]
            return True
        more = [answer for answer in state.later if outcome == "worked" or not is_prevention(answer.text)]
        if outcome == "worked" or (outcome == "thanks" and not state.thanked):
            state.settled, state.later = [*state.settled, *more], []
        state.reported = state.reported and outcome == "none"
        state.thanked = state.thanked or outcome == "thanks"
        # Before anybody said what to do, a question belongs to the same problem.
        asks = turn.text.rstrip().endswith("?") and any(answer.instructs for answer in state.settled)
        return not (asks or turns_to_another_matter(turn.text))
    if not state.has_steps and not own and not (state.pending and outcome in {"worked", "thanks"}):
        if outcome == "failed" and any(explanations(answer.text) for answer in state.pending[-_EXPLAINED:]):
            state.failed, state.pending = state.pending, []
        return True
    if outcome == "failed":
        state.failed, state.pending, state.has_steps = state.pending, [], False
        state.outcome, state.hindered = "failed", names_a_hindrance(turn.text)
        state.complained = turn.text[-MAX_PROBLEM:]
    elif outcome == "worked":
        state.settled = with_taken_up(confirmed_answers(state.pending, turn.text, own), turn.text, state.failed)
        state.reported = not own and acknowledges(turn.text, state.settled)
        state.thanked = THANKS.search(turn.text) is not None
        state.outcome = "worked"
    elif outcome == "thanks":
        state.outcome = "thanks"
    return True


def _verdict(state: _DialogueState, reply: str) -> tuple[Outcome, list[str]]:
    """Return the outcome of a reply, and the steps of the customer's own solution; others may have failed before it."""
    whole_reply, reply = reply, without_findings(reply, state.pending, state.complaint)
    outcome = _outcome(state, reply)
    if outcome == "none" and (asks_for_report(state.pending) or (reply != whole_reply and only_checks(state.pending))):
        _drop_last(state)
    # What failed has solved nothing, unless the customer announces a solution after it.
    report = announced_report(reply) if outcome == "failed" else report_in(reply)
    if report is None and outcome == "worked" and not state.has_steps and state.settled is None:
        # What the customer did has solved it if no one else has said what to do or why.
        explained = any(explanations(answer.text) for answer in state.pending[-_CORRECTED:])
        return outcome, [] if explained else list(deeds_in(reply))
    if report is None or not (report.announced or state.has_steps or outcome == "worked"):
        return outcome, []
    if not report.announced:
        return outcome, list(report.steps)
    if outcome_of(report.before) == "failed":
        state.failed, state.pending, state.settled, state.has_steps = state.pending, [], None, False
    return "worked", list(report.steps)


def _outcome(state: _DialogueState, reply: str) -> Outcome:
    outcome = outcome_of(reply, state.problem)
    if state.offered and outcome == "failed" and (rest := after_no(reply)) != reply:
        # The no declines the offer; only what follows it may complain.
        if repeats_complaint(rest, state.complaint):
            return "failed"
        of_rest = outcome_of(rest, state.problem)
        return "failed" if of_rest == "worked" and not only_declines(reply) else of_rest
    if outcome == "worked" and state.settled is None:
        rest = remaining_problem(reply, state.complaint, state.pending)
        return outcome if rest is None or state.complaint.isdisjoint(terms(rest)) else "failed"
    if outcome == "failed" and answers_a_question(reply, state.pending):
        return "none"
    if outcome == "none" and not _asked_last(state) and repeats_complaint(reply, state.complaint):
        return "failed"
    return outcome


def _asked_last(state: _DialogueState) -> bool:
    """Return whether the last answer ends with a question."""
    return bool(state.pending) and state.pending[-1].text.rstrip().endswith("?")
