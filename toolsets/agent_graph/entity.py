"""An entity: its state folded from events, and the decisions about it. All functions are pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from backends.ports.events import Expected, RecordedEvent
from backends.ports.text import shadow
from backends.ports.values import Micros
from toolsets.agent_graph.aliases import added_names, fitting_names
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.facts import (
    ABSORBED,
    ACCESSED,
    COMBINERS,
    CREATED,
    ENRICHED,
    MERGED,
    REWARDED,
    TYPED,
    AbsorbedFact,
    AccessedFact,
    CreatedFact,
    EnrichedFact,
    MergedFact,
    RewardedFact,
    TypedFact,
    fact_of,
)
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key
from toolsets.sourcing.aggregate import (
    Change,
    Decision,
    Histories,
    History,
    UnreadableEvent,
    Upcasts,
    event_data,
    fold,
)
from toolsets.spec import ToolError

FIRST_UTILITY = 0.5
"""The middle of the range: no outcome is known yet."""
LEARNING_RATE = 0.1
"""With a tenth, seven outcomes outweigh all before; with more, single outcomes decide, with less, many are needed."""
SURE_OF_TYPE = 0.8
"""From this confidence on, the type is stated by the text or a gazetteer; below it, the type is a guess."""
GUESSED: frozenset[EntityType] = frozenset({"technology", "project", "document", "task", "concept"})
"""A guessed type among these may turn out to be another of them. Persons, places and organisations never change."""
MAKER = "kg_create_entity"
"""The first source of an entity that was created by hand."""

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


Counted: TypeAlias = tuple[str, int, Micros]
"""The id of an entity, the number of reads, and the time of the last one."""


Reads: TypeAlias = tuple[int, Micros]
"""A number of reads, and the time of the last one."""

NO_READS: Reads = (0, Micros(0))


MAX_SHOWN_ID = 100
"""The most characters of an unknown id that the error shows."""


class TooManyAliases(ToolError):
    """The aliases of one entity would exceed 256 kB."""

    def __init__(self) -> None:
        super().__init__("Invalid arguments", "aliases of one entity must not exceed 256 kB in all")


class UnknownEntity(ToolError):
    """No live entity that the caller may see has this id; `into` is the one it was merged into, if the caller may see it."""

    def __init__(self, entity_id: str, into: str | None = None) -> None:
        shown = entity_id.encode(errors="replace").decode()[:MAX_SHOWN_ID]
        super().__init__("Entity not found", f"{shown} was merged into {into}; use that id" if into else shown)
        self.entity_id = entity_id


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity after all its events; `into` is the id of the entity it was merged into, None while it is live."""

    id: str
    channel: str
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    description: str | None
    confidence: float
    utility: float
    accesses: int
    accessed_at: Micros
    sources: tuple[str, ...]
    """Where it was found, the earliest first: the name of a tool, or ids that callers gave."""
    held: tuple[str, ...]
    """The shadows of the further names that it has a claim on, from merged entities."""
    created_at: Micros
    updated_at: Micros
    version: int
    into: str | None = None

    @property
    def type_is_guessed(self) -> bool:
        """Whether the type was inferred from a text that does not state it. The type of an entity created by hand is certain."""
        return self.confidence < SURE_OF_TYPE and self.sources[:1] != (MAKER,)


@dataclass(frozen=True, slots=True)
class Draft:
    """An entity to create, or additions to an existing one."""

    channel: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    description: str | None = None
    confidence: float = 0.8
    source: str = ""
    mention: bool = False
    """Whether the source is added to an entity that exists already."""
    type_is_guessed: bool = False
    """Whether the draft may refer to an entity of another type."""

    def may_mean(self, entity: Entity) -> bool:
        """Return whether the draft may refer to an entity with its name: the types are equal, or one of them is a guess."""
        things = entity.type_is_guessed and {entity.type, self.type} <= GUESSED
        return entity.type == self.type or self.type_is_guessed or things


@dataclass(frozen=True, slots=True)
class RecordedReads:
    """Reads of an entity, and the version of the entity that includes them."""

    entity_id: str
    version: int
    count: int
    last: int


@dataclass(frozen=True, slots=True)
class CreationOutcome:
    """The id of the created or existing entity, and whether it is new."""

    id: str
    is_new: bool


def entity_of(history: History) -> Entity | None:
    """Return the entity of a stream, even a merged one; None for no events. Raises `UnreadableEvent`."""
    return fold(history, _evolve, UPCASTS, COMBINERS)


def last_form(history: History) -> Entity | None:
    """Return the entity as it was before it was merged, or as it is if it was not. Raises `UnreadableEvent`."""
    return entity_of(history[:-1] if history and history[-1].type == MERGED else history)


def known_entity(entity_id: str, history: History) -> Entity:
    """Return the entity, even a merged one. Raises `UnknownEntity` when there is none."""
    entity = entity_of(history)
    if entity is None:
        raise UnknownEntity(entity_id)
    return entity


def live_in(histories: Histories, entity_id: str, channel: str | None) -> Entity:
    """Return the entity. Raises `UnknownEntity` outside `channel`, and for a merged one, with the id it was merged into."""
    entity = survivor(histories, entity_id)
    if entity is None or channel not in (None, entity.channel):
        raise UnknownEntity(entity_id)
    if entity.id != entity_id:
        raise UnknownEntity(entity_id, entity.id)
    return entity


def create(histories: Histories, new_id: str, draft: Draft, known: str | None = None) -> Decision[CreationOutcome]:
    """Decide to create an entity, or to enrich the existing one of this type and name.

    `known` is the id of an entity that was found by an alias; it is used if no other entity has the name and it is still
    live.
    Raises `TooManyAliases`.
    """
    key = name_key(draft.channel, draft.type, draft.name)
    holder = _now(histories, NAMES.holder(histories[NAMES.stream(key)]), draft) or _now(histories, known, draft)
    if holder is not None:
        return Decision(CreationOutcome(holder.id, is_new=False), enrich(holder, draft))
    aliases = added_names((draft.name,), draft.aliases)
    fact = CreatedFact(
        channel=draft.channel,
        name=draft.name,
        type=draft.type,
        aliases=aliases,
        description=draft.description,
        confidence=draft.confidence,
        source=draft.source,
    )
    begun = Change(entity_stream(new_id), (fact_of(CREATED, fact),), Expected.NEW)
    return Decision(CreationOutcome(new_id, is_new=True), (NAMES.take(key, new_id), begun))


def enrich(entity: Entity, draft: Draft) -> tuple[Change, ...]:
    """Return the change that adds what the entity lacks and the draft has; no change when it lacks nothing.

    A description is set only if there is none. If the aliases exceed 256 kB, a draft from a text adds those that fit, and
    any other draft raises `TooManyAliases`.
    """
    aliases = added_names((entity.name, *entity.aliases), (draft.name, *draft.aliases))
    fitting = fitting_names(entity.aliases, aliases)
    if fitting != aliases and not draft.mention:
        raise TooManyAliases()
    fact = EnrichedFact(
        aliases=fitting,
        description=draft.description if entity.description is None else None,
        sources=(draft.source,) if draft.mention and draft.source not in entity.sources else (),
    )
    if fact == EnrichedFact():
        return ()
    return (Change(entity_stream(entity.id), (fact_of(ENRICHED, fact),)),)


def settle_type(histories: Histories, entity: Entity, draft: Draft) -> tuple[Change, ...]:
    """Return the changes that replace a guessed type with the certain type of a draft; none if nothing changes.

    The claims to the names of the entity move to the new type. The entity keeps its type if another entity already claims
    one of the names under the new one.
    """
    if not entity.type_is_guessed or draft.type_is_guessed or not {entity.type, draft.type} <= GUESSED:
        return ()
    typed = Change(entity_stream(entity.id), (fact_of(TYPED, TypedFact(type=draft.type, confidence=draft.confidence)),))
    if draft.type == entity.type:
        return (typed,)
    names = (shadow(entity.name), *entity.held)
    taken = [name_key(entity.channel, draft.type, name) for name in names]
    histories.need(NAMES.stream(key) for key in taken)
    if any(NAMES.holder(histories[NAMES.stream(key)]) not in (None, entity.id) for key in taken):
        return ()
    released = (NAMES.release(name_key(entity.channel, entity.type, name), entity.id) for name in names)
    return (typed, *released, *(NAMES.take(key, entity.id) for key in taken))


def record_reads(histories: Histories, counted: Sequence[Counted]) -> Decision[tuple[RecordedReads, ...]]:
    """Decide to record reads, given as (id, count, last). Reads of a merged entity are recorded for its target."""
    histories.need(entity_stream(entity_id) for entity_id, _, _ in counted)
    sums: dict[str, RecordedReads] = {}
    for entity_id, count, last in counted:
        entity = survivor(histories, entity_id)
        if entity is not None:
            former = sums.get(entity.id, RecordedReads(entity.id, entity.version + 1, count=0, last=0))
            sums[entity.id] = replace(former, count=former.count + count, last=max(former.last, last))
    recorded = tuple(sums.values())
    changes = (
        Change(entity_stream(reads.entity_id), (fact_of(ACCESSED, AccessedFact(count=reads.count, last=reads.last)),))
        for reads in recorded
    )
    return Decision(recorded, tuple(changes))


def reward(histories: Histories, entity_ids: Sequence[str], outcome: float, channel: str | None) -> Decision[None]:
    """Decide to move utilities towards `outcome`, from -1 to 1. Raises `UnknownEntity`, also outside `channel`."""
    histories.need(entity_stream(entity_id) for entity_id in entity_ids)
    changes: list[Change] = []
    for entity_id in dict.fromkeys(entity_ids):
        stream = entity_stream(entity_id)
        entity = live_in(histories, entity_id, channel)
        moved = entity.utility + LEARNING_RATE * ((outcome + 1) / 2 - entity.utility)
        fact = RewardedFact(reward=outcome, utility=min(1.0, max(0.0, moved)))
        changes.append(Change(stream, (fact_of(REWARDED, fact),)))
    return Decision(None, tuple(changes))


def survivor(histories: Histories, entity_id: str) -> Entity | None:
    """Return the entity, or the one that it was finally merged into; None for an unknown id."""
    entity = entity_of(histories[entity_stream(entity_id)])
    while entity is not None and entity.into is not None:
        entity = entity_of(histories[entity_stream(entity.into)])
    return entity


def _now(histories: Histories, found: str | None, draft: Draft) -> Entity | None:
    """Return the present state of an entity found earlier; None if the draft no longer refers to it."""
    if found is None:
        return None
    entity = survivor(histories, found)
    if entity is None or entity.channel != draft.channel or not draft.may_mean(entity):
        return None
    return entity


def _evolve(state: Entity | None, event: RecordedEvent) -> Entity:
    if state is None:
        if event.type != CREATED:
            raise UnreadableEvent(f"{event.stream} begins with {event.type}")
        return _begin(event)
    change = _CHANGES.get(event.type)
    if change is None or state.into is not None:
        raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")
    return replace(change(state, event), version=event.version)


def _begin(event: RecordedEvent) -> Entity:
    fact = event_data(CreatedFact, event)
    return Entity(
        id=event.stream.rpartition("/")[2],
        channel=fact.channel,
        name=fact.name,
        type=fact.type,
        aliases=fact.aliases,
        description=fact.description,
        confidence=fact.confidence,
        utility=FIRST_UTILITY,
        accesses=0,
        accessed_at=event.at,
        sources=(fact.source,),
        held=(),
        created_at=event.at,
        updated_at=event.at,
        version=event.version,
    )


def _enriched(state: Entity, event: RecordedEvent) -> Entity:
    fact = event_data(EnrichedFact, event)
    return replace(
        state,
        aliases=(*state.aliases, *added_names((state.name, *state.aliases), fact.aliases)),
        description=state.description if fact.description is None else fact.description,
        sources=tuple(dict.fromkeys((*state.sources, *fact.sources))),
        updated_at=event.at,
    )


def _accessed(state: Entity, event: RecordedEvent) -> Entity:
    fact = event_data(AccessedFact, event)
    accessed_at = Micros(max(state.accessed_at, fact.last))
    return replace(state, accesses=state.accesses + fact.count, accessed_at=accessed_at)


def _rewarded(state: Entity, event: RecordedEvent) -> Entity:
    return replace(state, utility=event_data(RewardedFact, event).utility, updated_at=event.at)


def _absorbed(state: Entity, event: RecordedEvent) -> Entity:
    fact = event_data(AbsorbedFact, event)
    return replace(
        state,
        aliases=fact.aliases,
        description=fact.description,
        confidence=fact.confidence,
        utility=fact.utility,
        accesses=fact.accesses,
        accessed_at=Micros(fact.accessed_at),
        sources=fact.sources,
        held=fact.held,
        updated_at=event.at,
    )


def _typed(state: Entity, event: RecordedEvent) -> Entity:
    fact = event_data(TypedFact, event)
    return replace(state, type=fact.type, confidence=fact.confidence, updated_at=event.at)


def _merged(state: Entity, event: RecordedEvent) -> Entity:
    return replace(state, into=event_data(MergedFact, event).into, updated_at=event.at)


_CHANGES = {
    ENRICHED: _enriched,
    ACCESSED: _accessed,
    REWARDED: _rewarded,
    ABSORBED: _absorbed,
    MERGED: _merged,
    TYPED: _typed,
}
