"""An entity: its state after the facts of it, and what may happen to it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from backends.ports.events import Expected, RecordedEvent
from backends.ports.text import MAX_TEXT_BYTES, shadow
from backends.ports.values import JsonObject, Micros
from toolsets.agent_graph.extraction.model import EntityType
from toolsets.agent_graph.facts import (
    ABSORBED,
    ACCESSED,
    CREATED,
    ENRICHED,
    MERGED,
    REWARDED,
    AbsorbedFact,
    AccessedFact,
    CreatedFact,
    EnrichedFact,
    MergedFact,
    RewardedFact,
    fact_of,
)
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key
from toolsets.agent_graph.summing import Sums, summed
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

FIRST_UTILITY = 0.5
LEARNING_RATE = 0.1
SURE_OF_TYPE = 0.8
"""From this confidence on the text says what the thing is, or a list does; below, its type is a guess."""
GUESSED: frozenset[EntityType] = frozenset({"technology", "project", "document", "task", "concept"})
"""One of these that is only guessed may turn out to be another of them; persons, places and organisations do not."""
MAKER = "kg_create_entity"
"""The first source of what is made by hand."""

UPCASTS: Upcasts = {}
"""Empty while every fact has its first schema."""


Counted: TypeAlias = tuple[str, int, Micros]
"""An entity's id, how often it was read, and when last."""


class TooManyAliases(Exception):
    """The aliases of one entity would pass 256 kB."""


class UnknownEntity(Exception):
    """No live entity that the caller may see has this id."""

    def __init__(self, entity_id: str) -> None:
        super().__init__(entity_id)
        self.entity_id = entity_id


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity after all its events; `into` is the one it was merged into, None while it lives."""

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
    """Where it was found, the first one first: a tool's name, or the ids that callers gave."""
    held: tuple[str, ...]
    """The shadows of the names that it holds a claim on, besides its own."""
    created_at: Micros
    updated_at: Micros
    version: int
    into: str | None = None

    @property
    def type_is_guessed(self) -> bool:
        """Whether a text named it that did not say what it is; what is made by hand is what its maker says."""
        return self.confidence < SURE_OF_TYPE and self.sources[:1] != (MAKER,)


@dataclass(frozen=True, slots=True)
class Draft:
    """An entity to be made, or what is said of one that is there already."""

    channel: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    description: str | None = None
    confidence: float = 0.8
    source: str = ""
    mention: bool = False
    """Whether the source is kept with an entity that is there already."""
    type_is_guessed: bool = False
    """Whether an entity of another type may be meant."""

    def may_mean(self, entity: Entity) -> bool:
        """Say whether an entity that has the name is what the draft is about: of its type, or either type is a guess."""
        things = entity.type_is_guessed and {entity.type, self.type} <= GUESSED
        return entity.type == self.type or self.type_is_guessed or things


@dataclass(frozen=True, slots=True)
class Landing:
    """Reads of an entity and the version of it in which they are recorded."""

    entity_id: str
    version: int
    count: int
    last: int


@dataclass(frozen=True, slots=True)
class Found:
    """The id of an entity, and whether it was made just now."""

    id: str
    is_new: bool


def entity_of(history: History) -> Entity | None:
    """Return the entity that a stream's events make, a merged one too; None for no events. Raises `UnreadableEvent`."""
    return fold(summed(history, SUMS), _evolve, UPCASTS)


def last_form(history: History) -> Entity | None:
    """Return the entity as it was before it was merged, or as it is. Raises `UnreadableEvent`."""
    return entity_of(tuple(event for event in history if event.type != MERGED))


def live_entity(entity_id: str, history: History) -> Entity:
    """Return the entity. Raises `UnknownEntity` when there is none or it was merged into another."""
    entity = entity_of(history)
    if entity is None or entity.into is not None:
        raise UnknownEntity(entity_id)
    return entity


def create(histories: Histories, new_id: str, draft: Draft, known: str | None = None) -> Decision[Found]:
    """Decide to make an entity, or to add to the one of this type and name that is there already.

    `known` is one that was found by an alias: it is taken if no other has the name and it still lives.
    Raises `TooManyAliases`.
    """
    key = name_key(draft.channel, draft.type, draft.name)
    holder = _now(histories, NAMES.holder(histories[NAMES.stream(key)]), draft) or _now(histories, known, draft)
    if holder is not None:
        return Decision(Found(holder.id, is_new=False), enrich(holder, draft))
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
    return Decision(Found(new_id, is_new=True), (NAMES.take(key, new_id), begun))


def enrich(entity: Entity, draft: Draft) -> tuple[Change, ...]:
    """Return the change that adds what the draft knows and the entity lacks; none when it lacks nothing.

    A description is filled in where there is none. Of what a text says, the aliases are taken that there is room for;
    raises `TooManyAliases` for more from elsewhere.
    """
    aliases = added_names((entity.name, *entity.aliases), (draft.name, *draft.aliases))
    fitting = fitting_names(entity.aliases, aliases)
    if fitting != aliases and not draft.mention:
        raise TooManyAliases
    fact = EnrichedFact(
        aliases=fitting,
        description=draft.description if entity.description is None else None,
        sources=(draft.source,) if draft.mention and draft.source not in entity.sources else (),
    )
    if fact == EnrichedFact():
        return ()
    return (Change(entity_stream(entity.id), (fact_of(ENRICHED, fact),)),)


def count_accesses(histories: Histories, counted: Sequence[Counted]) -> Decision[tuple[Landing, ...]]:
    """Decide to record reads, given as (id, count, last); those of an entity that was merged go to the one it is in now."""
    histories.need(entity_stream(entity_id) for entity_id, _, _ in counted)
    sums: dict[str, Landing] = {}
    for entity_id, count, last in counted:
        entity = survivor(histories, entity_id)
        if entity is not None:
            former = sums.get(entity.id, Landing(entity.id, entity.version + 1, count=0, last=0))
            sums[entity.id] = replace(former, count=former.count + count, last=max(former.last, last))
    landings = tuple(sums.values())
    facts = (AccessedFact(count=landing.count, last=landing.last) for landing in landings)
    changes = (
        Change(entity_stream(landing.entity_id), (fact_of(ACCESSED, fact),))
        for landing, fact in zip(landings, facts, strict=True)
    )
    return Decision(landings, tuple(changes))


def reward(histories: Histories, entity_ids: Sequence[str], outcome: float, channel: str | None) -> Decision[None]:
    """Decide to move utilities towards an outcome from -1 to 1. Raises `UnknownEntity`."""
    histories.need(entity_stream(entity_id) for entity_id in entity_ids)
    changes: list[Change] = []
    for entity_id in dict.fromkeys(entity_ids):
        stream = entity_stream(entity_id)
        entity = live_entity(entity_id, histories[stream])
        if channel not in (None, entity.channel):
            raise UnknownEntity(entity_id)
        moved = entity.utility + LEARNING_RATE * ((outcome + 1) / 2 - entity.utility)
        fact = RewardedFact(reward=outcome, utility=min(1.0, max(0.0, moved)))
        changes.append(Change(stream, (fact_of(REWARDED, fact),)))
    return Decision(None, tuple(changes))


def survivor(histories: Histories, entity_id: str) -> Entity | None:
    """Return the entity, or the one that it ended up in; None for an id that never was."""
    entity = entity_of(histories[entity_stream(entity_id)])
    while entity is not None and entity.into is not None:
        entity = entity_of(histories[entity_stream(entity.into)])
    return entity


def added_names(present: Iterable[str], offered: Iterable[str]) -> tuple[str, ...]:
    """Return the names offered that are not present yet, each once, whatever their case."""
    seen = {shadow(name) for name in present}
    added: list[str] = []
    for name in offered:
        if shadow(name) not in seen:
            seen.add(shadow(name))
            added.append(name)
    return tuple(added)


def fitting_names(present: Iterable[str], added: Iterable[str]) -> tuple[str, ...]:
    """Return the first of some aliases that fit in beside those that are there: all take 256 kB at most."""
    room = MAX_TEXT_BYTES - sum(len(name.encode()) + 1 for name in present)
    fitting: list[str] = []
    for name in added:
        room -= len(name.encode()) + 1
        if room < 0:
            break
        fitting.append(name)
    return tuple(fitting)


def _now(histories: Histories, found: str | None, draft: Draft) -> Entity | None:
    """Return what an entity is now that was found a moment ago; None when that is no longer what the draft is about."""
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
        raise UnreadableEvent(f"{event.type} cannot follow in {event.stream}")
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


def _merged(state: Entity, event: RecordedEvent) -> Entity:
    return replace(state, into=event_data(MergedFact, event).into, updated_at=event.at)


_CHANGES = {
    ENRICHED: _enriched,
    ACCESSED: _accessed,
    REWARDED: _rewarded,
    ABSORBED: _absorbed,
    MERGED: _merged,
}


def _all_reads(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(AccessedFact, event) for event in events]
    return {"count": sum(fact.count for fact in facts), "last": max(fact.last for fact in facts)}


def _all_learned(events: Sequence[RecordedEvent]) -> JsonObject:
    facts = [event_data(EnrichedFact, event) for event in events]
    return {
        "aliases": list(dict.fromkeys(alias for fact in facts for alias in fact.aliases)),
        "description": next((fact.description for fact in reversed(facts) if fact.description is not None), None),
        "sources": list(dict.fromkeys(source for fact in facts for source in fact.sources)),
    }


def _all_rewards(events: Sequence[RecordedEvent]) -> JsonObject:
    return [event_data(RewardedFact, event) for event in events][-1].model_dump()


SUMS: Sums = {ACCESSED: _all_reads, ENRICHED: _all_learned, REWARDED: _all_rewards}
"""How events that come again and again are taken together, so that reading back does not add each to all before it."""
