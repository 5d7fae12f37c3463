"""A concept: its facts, its state and the decisions about it. All functions are pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from backends.ports.values import Micros
from toolsets.knowledge.streams import NAMES, concept_stream
from toolsets.sourcing.aggregate import (
    Change,
    Decision,
    Fact,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    event_data,
    fold,
)
from toolsets.spec import ToolError

CREATED = "knowledge.concept_created"
UPDATED = "knowledge.concept_updated"
DELETED = "knowledge.concept_deleted"
RESTORED = "knowledge.concept_restored"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


class UnknownConcept(ToolError):
    """No live concept has this id, which was sent as the argument `field`."""

    def __init__(self, concept_id: str, field: str = "concept_id") -> None:
        message = f"No concept has the id {concept_id:.100}"
        super().__init__("concept_not_found", message, field=field, resource_id=concept_id)


class NameTaken(ToolError):
    """A live concept has this name, area and topic already."""

    def __init__(self, holder: str) -> None:
        message = f"A concept with this name, area and topic exists already: {holder}"
        super().__init__("validation_error", message, field="name", resource_id=holder)
        self.holder = holder


@dataclass(frozen=True, slots=True)
class DatedExplanation:
    """An explanation and the time when it was given."""

    explanation: str
    at: Micros


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a concept in the hierarchy; a level may be missing."""

    area: str | None = None
    topic: str | None = None
    subtopic: str | None = None


@dataclass(frozen=True, slots=True)
class Certainty:
    """How certain a concept is, 0 to 100, and whether a caller set it or it was computed."""

    score: float
    by_hand: bool


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept after all its events; `explanations` has every one ever given, the present one last."""

    id: str
    name: str
    placement: Placement
    certainty: Certainty
    explanations: tuple[DatedExplanation, ...]
    created_at: Micros
    modified_at: Micros
    reviewed_at: Micros
    """The time of the last explanation or certainty that a caller gave."""
    version: int
    deleted: bool = False

    @property
    def explanation(self) -> str:
        """The present explanation."""
        return self.explanations[-1].explanation

    @property
    def claim(self) -> tuple[str | None, ...]:
        """The unique key: name, area and topic."""
        return (self.name, self.placement.area, self.placement.topic)


@dataclass(frozen=True, slots=True)
class Edit:
    """The fields that an update sets; None leaves a field as it is."""

    name: str | None = None
    explanation: str | None = None
    area: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    certainty_score: float | None = None
    """A score that the caller set."""

    def explanation_after(self, before: Concept) -> str:
        """Return the explanation that `before` has after the update."""
        return before.explanation if self.explanation is None else self.explanation

    def placement_after(self, before: Concept) -> Placement:
        """Return the placement that `before` has after the update."""
        at = before.placement
        return Placement(self.area or at.area, self.topic or at.topic, self.subtopic or at.subtopic)


Rescore: TypeAlias = Callable[[Concept, Edit], float]
"""Computes the score of a concept after an update."""


class _Created(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    explanation: str
    area: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    certainty: float
    certainty_by_hand: bool


class _Updated(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str | None = None
    explanation: str | None = None
    area: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    certainty: float | None = None
    certainty_by_hand: bool = False


def concept_of(history: History) -> Concept | None:
    """Return the concept of a stream, even a deleted one; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS)


def live_concept(concept_id: str, history: History, field: str = "concept_id") -> Concept:
    """Return the concept. Raises `UnknownConcept` for the argument `field` if there is none or it is deleted."""
    concept = concept_of(history)
    if concept is None or concept.deleted:
        raise UnknownConcept(concept_id, field)
    return concept


def create(
    histories: Histories, concept_id: str, name: str, explanation: str, at: Placement, certainty: Certainty
) -> Decision[str]:
    """Decide to create a concept. Raises `NameTaken`."""
    claim = (name, at.area, at.topic)
    _check_free(histories, claim)
    fact = _Created(
        name=name,
        explanation=explanation,
        area=at.area,
        topic=at.topic,
        subtopic=at.subtopic,
        certainty=certainty.score,
        certainty_by_hand=certainty.by_hand,
    )
    created = Fact(CREATED, fact.model_dump(exclude_none=True))
    begun = Change(concept_stream(concept_id), (created,), Expected.NEW)
    return Decision(concept_id, (NAMES.take(claim, concept_id), begun))


def update(histories: Histories, concept_id: str, edit: Edit, rescore: Rescore | None = None) -> Decision[Concept]:
    """Decide to change the fields that differ, possibly none. Raises `UnknownConcept` and `NameTaken`.

    `rescore` computes the score that accompanies other changes, unless a score was ever set by hand.
    """
    stream = concept_stream(concept_id)
    before = live_concept(concept_id, histories[stream])
    changed = _differences(before, edit)
    # The score is computed here because a decision is repeated after a lost race, with the concept as it is then.
    if changed and rescore is not None and edit.certainty_score is None and not before.certainty.by_hand:
        changed |= _scored(before, Certainty(rescore(before, edit), by_hand=False))
    if not changed:
        return Decision(before)
    updated = Change(stream, (Fact(UPDATED, changed),))
    at = edit.placement_after(before)
    claim = (edit.name or before.name, at.area, at.topic)
    if claim == before.claim:
        return Decision(before, (updated,))
    _check_free(histories, claim)
    return Decision(before, (updated, NAMES.release(before.claim, concept_id), NAMES.take(claim, concept_id)))


def delete(histories: Histories, concept_id: str) -> Decision[Concept]:
    """Decide to delete a concept and release its name. Raises `UnknownConcept`."""
    stream = concept_stream(concept_id)
    before = live_concept(concept_id, histories[stream])
    return Decision(before, (Change(stream, (Fact(DELETED, {}),)), NAMES.release(before.claim, concept_id)))


def restore(histories: Histories, concept_id: str) -> Decision[Concept]:
    """Decide to restore a deleted concept as it was; a live one is not changed.

    Raises `UnknownConcept` for an id that never existed, and `NameTaken` if another concept has its name now.
    """
    stream = concept_stream(concept_id)
    before = concept_of(histories[stream])
    if before is None:
        raise UnknownConcept(concept_id)
    if not before.deleted:
        return Decision(before)
    _check_free(histories, before.claim)
    return Decision(before, (Change(stream, (Fact(RESTORED, {}),)), NAMES.take(before.claim, concept_id)))


def _check_free(histories: Histories, claim: tuple[str | None, ...]) -> None:
    holder = NAMES.holder(histories[NAMES.stream(claim)])
    if holder is not None:
        raise NameTaken(holder)


def _differences(before: Concept, edit: Edit) -> dict[str, str | float | bool]:
    now = {
        "name": before.name,
        "explanation": before.explanation,
        "area": before.placement.area,
        "topic": before.placement.topic,
        "subtopic": before.placement.subtopic,
    }
    wanted = {
        "name": edit.name,
        "explanation": edit.explanation,
        "area": edit.area,
        "topic": edit.topic,
        "subtopic": edit.subtopic,
    }
    changed: dict[str, str | float | bool] = {
        field: value for field, value in wanted.items() if value is not None and value != now[field]
    }
    if edit.certainty_score is not None:
        changed |= _scored(before, Certainty(edit.certainty_score, by_hand=True))
    return changed


def _scored(before: Concept, certainty: Certainty) -> dict[str, str | float | bool]:
    if certainty == before.certainty:
        return {}
    return {"certainty": certainty.score, "certainty_by_hand": certainty.by_hand}


def _evolve(state: Concept | None, event: RecordedEvent) -> Concept:
    if state is None:
        if event.type != CREATED:
            raise UnreadableEvent(f"{event.stream} begins with {event.type}")
        return _begin(event)
    match event.type:
        case "knowledge.concept_updated":
            return _change(state, event)
        case "knowledge.concept_deleted":
            return replace(state, deleted=True, modified_at=event.at, version=event.version)
        case "knowledge.concept_restored":
            return replace(state, deleted=False, modified_at=event.at, version=event.version)
        case _:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")


def _begin(event: RecordedEvent) -> Concept:
    fact = event_data(_Created, event)
    return Concept(
        id=event.stream.rpartition("/")[2],
        name=fact.name,
        placement=Placement(fact.area, fact.topic, fact.subtopic),
        certainty=Certainty(fact.certainty, fact.certainty_by_hand),
        explanations=(DatedExplanation(fact.explanation, event.at),),
        created_at=event.at,
        modified_at=event.at,
        reviewed_at=event.at,
        version=event.version,
    )


def _change(state: Concept, event: RecordedEvent) -> Concept:
    fact = event_data(_Updated, event)
    former = state.placement
    explained = () if fact.explanation is None else (DatedExplanation(fact.explanation, event.at),)
    certainty = state.certainty if fact.certainty is None else Certainty(fact.certainty, fact.certainty_by_hand)
    reviewed = bool(explained) or (fact.certainty is not None and fact.certainty_by_hand)
    return replace(
        state,
        name=fact.name or state.name,
        placement=Placement(fact.area or former.area, fact.topic or former.topic, fact.subtopic or former.subtopic),
        certainty=certainty,
        explanations=(*state.explanations, *explained),
        modified_at=event.at,
        reviewed_at=event.at if reviewed else state.reviewed_at,
        version=event.version,
    )
