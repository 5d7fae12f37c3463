"""A skill: its state folded from events, and the decisions about it. All functions are pure.

An event never holds a conversation, only what was learned from it, redacted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from backends.ports.events import Expected, RecordedEvent
from backends.ports.values import JsonObject, Micros
from toolsets.skills.extraction import ExtractedSkill
from toolsets.skills.streams import CONVERSATIONS, skill_stream
from toolsets.sourcing.aggregate import (
    Change,
    Combiners,
    Decision,
    Fact,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    combined,
    event_data,
    fold,
    upcast,
)

LEARNED: Final = "skills.learned"
REFINED: Final = "skills.refined"
USED: Final = "skills.used"

Judgement: TypeAlias = Literal["positive", "negative", "neutral"]

CHANGES_OF_CONFIDENCE: Final[dict[Judgement, float]] = {"positive": 0.1, "negative": -0.2, "neutral": 0.0}
"""One conversation that a skill misled outweighs two that it helped."""

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class UnknownSkill(Exception):
    """No skill has this id."""

    def __init__(self, skill_id: str) -> None:
        super().__init__(skill_id)
        self.skill_id = skill_id


class SkillChanged(Exception):
    """A refinement was computed from an earlier state than the current one, and must be computed again."""

    def __init__(self, skill_id: str) -> None:
        super().__init__(skill_id)
        self.skill_id = skill_id


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill after all its events; all fields except `revision` are in its document."""

    skill_id: str
    title: str
    version: int
    """1 when learned, and 1 more with each refinement."""
    problem: str
    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    product_area: str
    issue_type: str
    confidence: float
    times_used: int
    """The number of conversations that used the skill: refinements, and conversations that would have taught it again."""
    times_confirmed: int
    """The number of conversations that confirmed it, including the one that it was learned from."""
    created_at: Micros
    updated_at: Micros
    """The time when it was learned or last refined."""
    revision: int
    """The version of its stream."""


@dataclass(frozen=True, slots=True)
class SkillVersion:
    """The last state of a skill at one version, and sentences that describe what the version changed."""

    skill: Skill
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The lesson of a conversation, before it is known whether a skill covers it already."""

    skill_id: str
    """The id of the skill if it is a new one."""
    learned: ExtractedSkill
    key: tuple[str]
    """The redacted conversation."""
    confirmed: bool
    duplicate_of: str | None
    """The id of the stored skill with the same meaning."""


@dataclass(frozen=True, slots=True)
class Taught:
    """The skill that a conversation led to."""

    skill_id: str
    created: bool
    """False if the skill existed before."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """The fields of a skill after its refinement, the judgement of the skill, and sentences that describe the changes."""

    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    confidence: float
    judgement: Judgement
    changes: tuple[str, ...]
    unused: tuple[str, ...] = ()
    """Sentences about parts of the feedback that changed nothing; they are not stored."""


class _Learned(BaseModel):
    model_config = ConfigDict(frozen=True)

    title: str
    problem: str
    resolution: str
    conditions: tuple[str, ...]
    keywords: tuple[str, ...]
    product_area: str
    issue_type: str
    confidence: float = Field(ge=0, le=1)
    confirmed: bool
    conversation: str | None = None


class _Refined(BaseModel):
    model_config = ConfigDict(frozen=True)

    resolution: str | None = None
    conditions: tuple[str, ...] | None = None
    keywords: tuple[str, ...] | None = None
    confidence: float = Field(ge=0, le=1)
    judgement: Judgement
    changes: tuple[str, ...]
    conversation: str | None = None


class _Used(BaseModel):
    model_config = ConfigDict(frozen=True)

    confirmed: bool
    confidence: float = Field(ge=0, le=1)
    conversation: str | None = None


class _Confirming(BaseModel):
    """The digests of conversations that confirm a skill; it is computed, and never stored."""

    conversations: frozenset[str]


class _Uses(BaseModel):
    """What consecutive uses amount to; it is computed, and never stored."""

    confidence: float
    times: int
    confirmations: int


def _sum_of_uses(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(_Used, upcast(event, UPCASTS)) for event in events]
    confirmations = sum(fact.confirmed for fact in facts)
    return {"confidence": facts[-1].confidence, "times": len(facts), "confirmations": confirmations}


_COMBINERS: Final[Combiners] = {USED: _sum_of_uses}
"""Uses are folded together, because a skill may have thousands of them."""


def skill_of(history: History) -> Skill | None:
    """Return the skill of a stream, None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS, _COMBINERS)


def versions_of(history: History) -> tuple[SkillVersion, ...]:
    """Return all versions of a skill, oldest first. Raises `UnreadableEvent`."""
    versions: list[SkillVersion] = []
    state: Skill | None = None
    for event in combined(history, _COMBINERS):
        current = upcast(event, UPCASTS)
        state = _evolve(state, current)
        if current.type == REFINED:
            versions.append(SkillVersion(state, event_data(_Refined, current).changes))
        elif current.type == LEARNED:
            versions.append(SkillVersion(state, ("Learned from a conversation.",)))
        else:
            versions[-1] = replace(versions[-1], skill=state)
    return tuple(versions)


def confirmed_by(history: History) -> frozenset[str]:
    """Return the digests of the conversations that raised the confidence in a skill. Raises `UnreadableEvent`."""
    return fold(history, _confirmed, UPCASTS, _CONFIRMATIONS) or frozenset()


def known_skill(skill_id: str, history: History) -> Skill:
    """Return the skill. Raises `UnknownSkill`."""
    skill = skill_of(history)
    if skill is None:
        raise UnknownSkill(skill_id)
    return skill


def confidence_after(confidence: float, judgement: Judgement) -> float:
    """Return a confidence after a judgement: 0.1 more for a positive, 0.2 less for a negative one, within 0..1."""
    return round(min(1.0, max(0.0, confidence + CHANGES_OF_CONFIDENCE[judgement])), 2)


def learn(skill_id: str, learned: ExtractedSkill, *, confirmed: bool, conversation: str | None = None) -> Decision[str]:
    """Decide to create a skill under a new id; `conversation` is the digest of the redacted conversation."""
    fact = _Learned(
        title=learned.title,
        problem=learned.problem,
        resolution=learned.resolution,
        conditions=learned.conditions,
        keywords=learned.keywords,
        product_area=learned.product_area,
        issue_type=learned.issue_type,
        confidence=learned.confidence,
        confirmed=confirmed,
        conversation=conversation,
    )
    return Decision(skill_id, (Change(skill_stream(skill_id), (Fact(LEARNED, _data(fact)),), Expected.NEW),))


def teach(histories: Histories, lesson: Lesson) -> Decision[Taught]:
    """Decide to create the skill of a lesson, or to count a use of the skill that covers it already.

    That is the skill that an equal conversation taught, even if it was refined since, or else `lesson.duplicate_of`.
    """
    claim = CONVERSATIONS.stream(lesson.key)
    holder = CONVERSATIONS.holder(histories[claim])
    known = holder or lesson.duplicate_of
    # A restored log may lack a skill that the vector store still has.
    if known is not None and histories[skill_stream(known)]:
        used = use(histories, known, confirmed=lesson.confirmed, conversation=lesson.key[0])
        taken = () if holder == known else (CONVERSATIONS.take(lesson.key, known),)
        return Decision(Taught(known, created=False), (*used.changes, *taken))
    learned = learn(lesson.skill_id, lesson.learned, confirmed=lesson.confirmed, conversation=lesson.key[0])
    taken = (CONVERSATIONS.take(lesson.key, lesson.skill_id),)
    return Decision(Taught(lesson.skill_id, created=True), (*learned.changes, *taken))


def refine(
    histories: Histories, skill_id: str, refinement: Refinement, *, seen: Skill, conversation: str | None = None
) -> Decision[int]:
    """Decide to refine a skill; the value is its new version. A refinement that changes nothing also makes a version.

    `seen` is the skill from which the refinement was computed, and `conversation` the digest of the redacted conversation.
    Raises `UnknownSkill`, and `SkillChanged` if the skill was refined since or has another confidence; a mere use changes nothing
    that a refinement reads.
    """
    stream = skill_stream(skill_id)
    before = known_skill(skill_id, histories[stream])
    if (before.version, before.confidence) != (seen.version, seen.confidence):
        raise SkillChanged(skill_id)
    fact = _Refined(
        resolution=None if refinement.resolution == before.resolution else refinement.resolution,
        conditions=None if refinement.conditions == before.conditions else refinement.conditions,
        keywords=None if refinement.keywords == before.keywords else refinement.keywords,
        confidence=refinement.confidence,
        judgement=refinement.judgement,
        changes=refinement.changes,
        conversation=conversation,
    )
    return Decision(before.version + 1, (Change(stream, (Fact(REFINED, _data(fact)),)),))


def use(histories: Histories, skill_id: str, *, confirmed: bool, conversation: str | None = None) -> Decision[Skill]:
    """Decide to count a use of a skill; a confirmed use raises its confidence, but only once for each conversation.

    `conversation` is the digest of the redacted conversation. The value is the skill before the use. Raises `UnknownSkill`.
    """
    stream = skill_stream(skill_id)
    before = known_skill(skill_id, histories[stream])
    raises = confirmed and conversation not in confirmed_by(histories[stream])
    fact = _Used(
        confirmed=confirmed,
        confidence=confidence_after(before.confidence, "positive") if raises else before.confidence,
        conversation=conversation,
    )
    return Decision(before, (Change(stream, (Fact(USED, _data(fact)),)),))


def _data(fact: BaseModel) -> dict[str, "str | float | bool | list[str]"]:
    return fact.model_dump(mode="json", exclude_none=True)


def _evolve(state: Skill | None, event: RecordedEvent) -> Skill:
    if state is None:
        if event.type != LEARNED:
            raise UnreadableEvent(f"{event.stream} begins with {event.type}")
        return _begin(event)
    match event.type:
        case "skills.refined":
            return _refined(state, event)
        case "skills.used":
            uses = event_data(_Uses, event)
            return replace(
                state,
                confidence=uses.confidence,
                times_used=state.times_used + uses.times,
                times_confirmed=state.times_confirmed + uses.confirmations,
                revision=event.version,
            )
        case _:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")


def _confirmed(state: frozenset[str] | None, event: RecordedEvent) -> frozenset[str]:
    """Return the digests of confirming conversations after an event."""
    return (state or frozenset()) | event_data(_Confirming, event).conversations


def _confirming(events: Sequence[RecordedEvent]) -> JsonObject:
    """Return the digests of the conversations of events that confirm a skill."""
    found: set[str | None] = set()
    for event in map(lambda each: upcast(each, UPCASTS), events):
        match event.type:
            case "skills.refined":
                refined = event_data(_Refined, event)
                found.add(refined.conversation if refined.judgement == "positive" else None)
            case "skills.learned":
                learned = event_data(_Learned, event)
                found.add(learned.conversation if learned.confirmed else None)
            case _:
                used = event_data(_Used, event)
                found.add(used.conversation if used.confirmed else None)
    return {"conversations": sorted(digest for digest in found if digest is not None)}


_CONFIRMATIONS: Final[Combiners] = dict.fromkeys((LEARNED, REFINED, USED), _confirming)


def _begin(event: RecordedEvent) -> Skill:
    fact = event_data(_Learned, event)
    return Skill(
        skill_id=event.stream.rpartition("/")[2],
        title=fact.title,
        version=1,
        problem=fact.problem,
        resolution=fact.resolution,
        conditions=fact.conditions,
        keywords=fact.keywords,
        product_area=fact.product_area,
        issue_type=fact.issue_type,
        confidence=fact.confidence,
        times_used=0,
        times_confirmed=int(fact.confirmed),
        created_at=event.at,
        updated_at=event.at,
        revision=event.version,
    )


def _refined(state: Skill, event: RecordedEvent) -> Skill:
    fact = event_data(_Refined, event)
    return replace(
        state,
        version=state.version + 1,
        resolution=state.resolution if fact.resolution is None else fact.resolution,
        conditions=state.conditions if fact.conditions is None else fact.conditions,
        keywords=state.keywords if fact.keywords is None else fact.keywords,
        confidence=fact.confidence,
        times_used=state.times_used + 1,
        times_confirmed=state.times_confirmed + (fact.judgement == "positive"),
        updated_at=event.at,
        revision=event.version,
    )
