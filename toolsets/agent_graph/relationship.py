"""A relationship: a typed, directed edge between two entities of a channel. Its state and the decisions about it; pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from backends.ports.events import Expected, RecordedEvent
from backends.ports.values import JsonObject, Micros
from toolsets.agent_graph.entity import live_in
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.facts import fact_of
from toolsets.agent_graph.streams import adjacency_stream, entity_stream, relationship_id, relationship_stream
from toolsets.sourcing.aggregate import (
    Change,
    Combiners,
    Decision,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    event_data,
    fold,
)

CREATED = "agent_graph.relationship_created"
STRENGTHENED = "agent_graph.relationship_strengthened"
ENDED = "agent_graph.relationship_ended"
ATTACHED = "agent_graph.relationships_attached"

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


@dataclass(frozen=True, slots=True)
class EdgeKey:
    """The identity of an edge: its ends and its type."""

    source_id: str
    target_id: str
    type: RelationType

    @property
    def id(self) -> str:
        """The id of the edge, computed from its ends and type."""
        return relationship_id(self.source_id, self.target_id, self.type)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a source asserts of an edge; with `mention` the source is added to an edge that exists already."""

    confidence: float
    source: str
    label: str | None = None
    mention: bool = False


@dataclass(frozen=True, slots=True)
class Relationship:
    """An edge after all its events; `into` is the id of the edge that replaced it when one of its ends was merged."""

    key: EdgeKey
    channel: str
    label: str | None
    confidence: float
    sources: tuple[str, ...]
    created_at: Micros
    updated_at: Micros
    version: int
    ended: bool = False
    into: str | None = None


class EdgeCreatedFact(BaseModel):
    """The creation of an edge; `created_at` is set when the edge is older than its stream."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    target_id: str
    kind: RelationType
    channel: str
    confidence: float
    label: str | None = None
    sources: tuple[str, ...]
    created_at: int | None = None


class StrengthenedFact(BaseModel):
    """Additions to an edge: only what is new."""

    model_config = ConfigDict(frozen=True)

    confidence: float | None = None
    label: str | None = None
    sources: tuple[str, ...] = ()
    created_at: int | None = None
    """The time of creation, if it is earlier than the known one."""


class EndedFact(BaseModel):
    """The end of an edge; `into` is the id of the edge that replaces it, None for a loop."""

    model_config = ConfigDict(frozen=True)

    into: str | None = None


class AttachedFact(BaseModel):
    """The ids of edges that were attached to an entity."""

    model_config = ConfigDict(frozen=True)

    relationships: tuple[str, ...]


def relationship_of(history: History) -> Relationship | None:
    """Return the edge of a stream, even an ended one; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS, COMBINERS)


def create(
    histories: Histories, key: EdgeKey, said: Assertion, channel: str | None = None, fresh: Collection[str] = ()
) -> Decision[str]:
    """Decide to create an edge between two entities of one channel, or to strengthen the existing one.

    An existing edge keeps the higher confidence. `channel` None means the channel of the ends. `fresh` are the ends that
    are created in the same batch, in `channel`.
    Raises `UnknownEntity` for an end that is not live or in another channel.
    """
    ends = [end for end in (key.source_id, key.target_id) if end not in fresh]
    histories.need((relationship_stream(key.id), *(entity_stream(end) for end in ends)))
    for end in ends:
        channel = live_in(histories, end, channel).channel
    edge = relationship_of(histories[relationship_stream(key.id)])
    if edge is not None and not edge.ended:
        return Decision(key.id, strengthened(edge, said))
    fact = EdgeCreatedFact(
        source_id=key.source_id,
        target_id=key.target_id,
        kind=key.type,
        channel=channel or "",
        confidence=said.confidence,
        label=said.label,
        sources=(said.source,),
    )
    created = Change(relationship_stream(key.id), (fact_of(CREATED, fact),))
    # Exact versions, so that a concurrent merge of an end cannot leave the edge without it.
    asserted = (Change(entity_stream(end)) for end in ends)
    return Decision(key.id, (created, *asserted, *attach(key, key.id)))


def strengthened(edge: Relationship, said: Assertion) -> tuple[Change, ...]:
    """Return the change that adds what is new about an edge; no change when nothing is new."""
    fact = StrengthenedFact(
        confidence=said.confidence if said.confidence > edge.confidence else None,
        label=said.label if edge.label is None else None,
        sources=(said.source,) if said.mention and said.source not in edge.sources else (),
    )
    if fact == StrengthenedFact():
        return ()
    return (Change(relationship_stream(edge.key.id), (fact_of(STRENGTHENED, fact),)),)


def unite(edge: Relationship, others: Sequence[Relationship]) -> tuple[Change, ...]:
    """Return the change that unites an edge with its duplicates; no change when nothing is new.

    The edge gets the highest confidence, all sources, the earliest creation time, and the first label, its own before
    those of the duplicates.
    """
    present = set(edge.sources)
    sources = dict.fromkeys(source for other in others for source in other.sources)
    confidence = max(other.confidence for other in others)
    created_at = min(other.created_at for other in others)
    fact = StrengthenedFact(
        confidence=confidence if confidence > edge.confidence else None,
        label=next((other.label for other in (edge, *others) if other.label), None) if not edge.label else None,
        sources=tuple(source for source in sources if source not in present),
        created_at=created_at if created_at < edge.created_at else None,
    )
    if fact == StrengthenedFact():
        return ()
    return (Change(relationship_stream(edge.key.id), (fact_of(STRENGTHENED, fact),)),)


def attach(key: EdgeKey, relationship: str) -> tuple[Change, ...]:
    """Return the changes that note an edge in the adjacency streams of both ends, without expecting a version."""
    fact = fact_of(ATTACHED, AttachedFact(relationships=(relationship,)))
    return tuple(Change(adjacency_stream(end), (fact,), Expected.ANY) for end in (key.source_id, key.target_id))


def live_edges(histories: Histories, entity_ids: Collection[str]) -> tuple[Relationship, ...]:
    """Return the live edges of entities, each once: the edges noted there, or those that replaced them since."""
    histories.need(adjacency_stream(entity_id) for entity_id in entity_ids)
    noted: dict[str, None] = {}
    for entity_id in entity_ids:
        for event in histories[adjacency_stream(entity_id)]:
            noted.update(dict.fromkeys(_attached_in(event)))
    live: dict[str, Relationship] = {}
    followed: set[str] = set()
    while noted:
        histories.need(relationship_stream(noted_id) for noted_id in noted)
        followed.update(noted)
        edges = [relationship_of(histories[relationship_stream(noted_id)]) for noted_id in noted]
        live.update({edge.key.id: edge for edge in edges if edge is not None and not edge.ended})
        moved = (edge.into for edge in edges if edge is not None and edge.ended and edge.into is not None)
        noted = dict.fromkeys(into for into in moved if into not in followed)
    return tuple(live.values())


def join_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes that were decided separately as one change for each stream, with the strictest expectation."""
    by_stream: dict[str, Change] = {}
    for change in changes:
        former = by_stream.get(change.stream)
        if former is None:
            by_stream[change.stream] = change
            continue
        expected = None if None in (former.expected, change.expected) else former.expected
        more = tuple(fact for fact in change.facts if fact not in former.facts)
        by_stream[change.stream] = Change(change.stream, (*former.facts, *more), expected)
    return tuple(by_stream.values())


def _attached_in(event: RecordedEvent) -> tuple[str, ...]:
    if event.type != ATTACHED:
        raise UnreadableEvent(f"{event.type} does not belong in {event.stream}")
    return event_data(AttachedFact, event).relationships


def _evolve(state: Relationship | None, event: RecordedEvent) -> Relationship:
    match event.type:
        case "agent_graph.relationship_created" if state is None or state.ended:
            return _begin(event)
        case "agent_graph.relationship_strengthened" if state is not None and not state.ended:
            return _strengthen(state, event)
        case "agent_graph.relationship_ended" if state is not None and not state.ended:
            into = event_data(EndedFact, event).into
            return replace(state, ended=True, into=into, updated_at=event.at, version=event.version)
        case _:
            raise UnreadableEvent(f"{event.type} is not valid at version {event.version} of {event.stream}")


def _begin(event: RecordedEvent) -> Relationship:
    fact = event_data(EdgeCreatedFact, event)
    return Relationship(
        key=EdgeKey(fact.source_id, fact.target_id, fact.kind),
        channel=fact.channel,
        label=fact.label,
        confidence=fact.confidence,
        sources=fact.sources,
        created_at=event.at if fact.created_at is None else Micros(fact.created_at),
        updated_at=event.at,
        version=event.version,
    )


def _strengthen(state: Relationship, event: RecordedEvent) -> Relationship:
    fact = event_data(StrengthenedFact, event)
    return replace(
        state,
        confidence=state.confidence if fact.confidence is None else fact.confidence,
        label=state.label if fact.label is None else fact.label,
        sources=tuple(dict.fromkeys((*state.sources, *fact.sources))),
        created_at=state.created_at if fact.created_at is None else Micros(fact.created_at),
        updated_at=event.at,
        version=event.version,
    )


def _all_said(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(StrengthenedFact, event) for event in events]
    return {
        "confidence": next((fact.confidence for fact in reversed(facts) if fact.confidence is not None), None),
        "label": next((fact.label for fact in reversed(facts) if fact.label is not None), None),
        "sources": list(dict.fromkeys(source for fact in facts for source in fact.sources)),
        "created_at": next((fact.created_at for fact in reversed(facts) if fact.created_at is not None), None),
    }


COMBINERS: Combiners = {STRENGTHENED: _all_said}
"""How runs of frequent events are summed, so that folding does not apply them one by one."""
