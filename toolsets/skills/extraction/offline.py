"""Learns a skill from a conversation without a language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from backends.ports.values import Json
from toolsets.skills.extraction.conditions import conditions_in
from toolsets.skills.extraction.descriptors import keywords_in, people_in
from toolsets.skills.extraction.dialogue import Finding, follow
from toolsets.skills.extraction.labels import issue_type, product_area
from toolsets.skills.extraction.main_sentences import main_sentence
from toolsets.skills.extraction.model import (
    CONFIRMED_GAIN,
    MAX_CONDITIONS,
    MAX_PROBLEM,
    START_CONFIDENCE,
    ExtractedSkill,
    NothingToLearn,
    cut,
    last_steps,
    numbered,
)
from toolsets.skills.extraction.outcomes import Outcome, outcome_of
from toolsets.skills.extraction.problems import heading_of
from toolsets.skills.extraction.titles import title_of
from toolsets.skills.redaction import redact, without_placeholders
from toolsets.skills.transcript import Transcript, Turn
from toolsets.skills.transcript.reader import read_transcript

_BETWEEN: Final = "\n\x1e\n"
"""Separates turns that are redacted as one text, so that a question for a password identifies the reply."""

_ASKED: Final = ("agent", "customer")
"""The roles of a question and its reply."""


def extract(conversation: str, *, resolution_confirmed: bool = False, metadata: Mapping[str, Json]) -> ExtractedSkill:
    """Return the skill that a conversation teaches, redacted.

    The resolution is the answers before the customer confirmed them, without the attempts that failed; with
    `resolution_confirmed` it is the last attempt, whatever the customer says. A product area and an issue type in
    `metadata` take precedence over inferred ones. The confidence is 0.5, or 0.6 if confirmed. Raises `NothingToLearn`
    if no problem is named or nothing resolves it, `TranscriptTooLong` and `UnreadableTranscript`.
    """
    return skill_of(redacted_transcript(conversation), resolution_confirmed=resolution_confirmed, metadata=metadata)


def redacted_transcript(conversation: str) -> Transcript:
    """Return the turns of a conversation, redacted; speakers are identified before their addresses are removed."""
    transcript = read_transcript(conversation)
    said = [text.replace("\x1e", " ") for text in (transcript.subject or "", *(turn.text for turn in transcript.turns))]
    texts = redact(_BETWEEN.join(said)).split(_BETWEEN)
    if len(texts) != len(said):
        texts = [redact(text) for text in said]
    subject, *texts = texts
    turns = tuple(
        Turn(turn.role, text, turn.speaker) for turn, text in zip(transcript.turns, texts, strict=True) if text.strip()
    )
    return Transcript(turns, heading_of(turns) if transcript.subject is None else subject)


def conversation_outcome(transcript: Transcript) -> Outcome:
    """Return the outcome of a conversation: the customer's last verdict on an attempt, even if it teaches no skill."""
    try:
        return follow(transcript, confirmed=False).outcome
    except NothingToLearn:
        return _last_word(transcript)


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The skill that a conversation teaches, None if it teaches none, and its outcome."""

    learned: ExtractedSkill | None
    outcome: Outcome


def reading_of(transcript: Transcript) -> ExtractionResult:
    """Return the skill that a redacted conversation teaches, and its outcome, reading the conversation once."""
    try:
        finding = follow(transcript, confirmed=False)
    except NothingToLearn:
        return ExtractionResult(None, _last_word(transcript))
    return ExtractionResult(_skill(finding, transcript, resolution_confirmed=False, metadata={}), finding.outcome)


def _last_word(transcript: Transcript) -> Outcome:
    replies = transcript.by("customer")
    return outcome_of(replies[-1].text) if replies else "none"


def skill_of(transcript: Transcript, *, resolution_confirmed: bool, metadata: Mapping[str, Json]) -> ExtractedSkill:
    """Return the skill that a redacted conversation teaches. Raises `NothingToLearn`."""
    finding = follow(transcript, confirmed=resolution_confirmed)
    return _skill(finding, transcript, resolution_confirmed=resolution_confirmed, metadata=metadata)


def _skill(
    finding: Finding, transcript: Transcript, *, resolution_confirmed: bool, metadata: Mapping[str, Json]
) -> ExtractedSkill:
    told_wrong = (*finding.problem, *finding.remaining)
    problem = cut(("\n" if _has_code(finding) else " ").join(told_wrong), MAX_PROBLEM)
    resolution = numbered(last_steps(finding.steps))
    title = title_of(finding.problem, transcript.subject)
    main = f"{without_placeholders(title)}. {main_sentence(finding.problem)}"
    answer_text = without_placeholders("\n".join(finding.answers))
    said = [turn.text for turn in transcript.by("customer")]
    replies = [(one.text, other.text) for one, other in pairwise(transcript.turns) if (one.role, other.role) == _ASKED]
    told_of = ((*finding.problem, *finding.details), finding.answers)
    limits = conditions_in(*told_of, said, replies, finding.reports)[:MAX_CONDITIONS]
    return ExtractedSkill(
        title=redact(title),
        problem=redact(problem),
        resolution=redact(resolution),
        conditions=tuple(map(redact, limits)),
        keywords=tuple(map(redact, keywords_in(title, problem, resolution, people_in(transcript.turns)))),
        product_area=product_area(main, without_placeholders(f"{title}. {problem}"), answer_text, metadata),
        issue_type=issue_type(main, problem, answer_text, metadata),
        confidence=START_CONFIDENCE + (CONFIRMED_GAIN if resolution_confirmed else 0.0),
    )


def _has_code(finding: Finding) -> bool:
    return any("\n" in sentence for sentence in finding.problem)
