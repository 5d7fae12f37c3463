"""Merging: several entities become one, with all their edges, names and counts, in one decision. Pure."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from backends.ports.events import MAX_EVENTS_PER_BATCH, Expected
from backends.ports.values import Micros
from toolsets.agent_graph.entity import Entity, UnknownEntity, added_names, fitting_names, live_entity
from toolsets.agent_graph.facts import ABSORBED, MERGED, AbsorbedFact, MergedFact, fact_of
from toolsets.agent_graph.relationship import (
    ATTACHED,
    CREATED,
    ENDED,
    AttachedFact,
    CreatedFact,
    EndedFact,
    Link,
    Relationship,
    live_edges,
    relationship_of,
    united,
)
from toolsets.agent_graph.streams import (
    NAMES,
    adjacency_stream,
    entity_stream,
    name_key,
    relationship_stream,
)
from toolsets.sourcing.aggregate import Change, Decision, Histories


class CannotMerge(Exception):
    """These entities cannot become one; the text says why."""


@dataclass(frozen=True, slots=True)
class Merge:
    """What a merge does, for the caller."""

    aliases_added: tuple[str, ...]
    moved: int
    """Edges that now begin or end at the target; loops and doubles that were dropped are not counted."""


@dataclass(frozen=True, slots=True)
class _Moves:
    """The changes to edges, and the ids of those that are new at the target."""

    changes: tuple[Change, ...]
    arrived: tuple[str, ...]


def merge(
    histories: Histories,
    target_id: str,
    source_ids: Sequence[str],
    channel: str | None,
    shown: Callable[[Entity], Entity],
) -> Decision[Merge]:
    """Decide to merge entities into one of their channel; `shown` adds the reads that are not recorded yet.

    Every stream read is written to or asserted at its exact version, so a rival edit comes wholly before or
    after. Raises `CannotMerge`, and `UnknownEntity` for an id that is not live or not in `channel`.
    """
    wanted = tuple(dict.fromkeys(source_ids))
    if target_id in wanted:
        raise CannotMerge("the target is among the sources")
    histories.need(entity_stream(entity_id) for entity_id in (target_id, *wanted))
    target = live_entity(target_id, histories[entity_stream(target_id)])
    sources = [live_entity(source_id, histories[entity_stream(source_id)]) for source_id in wanted]
    for entity in (target, *sources):
        if channel not in (None, entity.channel):
            raise UnknownEntity(entity.id)
        if entity.channel != target.channel:
            raise CannotMerge("the entities are in different channels")
    moves = _moves(histories, target_id, wanted)
    names = added_names(
        (target.name, *target.aliases), (name for source in sources for name in (source.name, *source.aliases))
    )
    if fitting_names(target.aliases, names) != names:
        raise CannotMerge("together they have more aliases than one entity may have, 256 kB")
    changes = (
        Change(entity_stream(target_id), (fact_of(ABSORBED, _combined(target, sources, names, shown)),)),
        *(Change(entity_stream(source.id), (fact_of(MERGED, MergedFact(into=target_id)),)) for source in sources),
        # Nothing may be attached to a source between reading its edges and its end.
        *(Change(adjacency_stream(source.id)) for source in sources),
        *(change for source in sources for change in _claims(source, target)),
        *moves.changes,
    )
    if sum(len(change.facts) for change in changes) > MAX_EVENTS_PER_BATCH:
        raise CannotMerge("the sources have more relationships than can be moved in one step")
    return Decision(Merge(names, len(moves.arrived)), changes)


def _combined(
    target: Entity, sources: Sequence[Entity], names: tuple[str, ...], shown: Callable[[Entity], Entity]
) -> AbsorbedFact:
    """Return what the target becomes: counts added up, utility weighted by them, the highest confidence, all sources."""
    everyone = (target, *sources)
    # All reads weigh, whenever they are recorded; those that are not yet will be added to the target.
    weights = [1 + shown(entity).accesses for entity in everyone]
    utility = sum(weight * entity.utility for weight, entity in zip(weights, everyone, strict=True)) / sum(weights)
    held = [key[2] for source in sources if source.type == target.type for key in _keys(source)]
    return AbsorbedFact(
        merged=tuple(source.id for source in sources),
        aliases=(*target.aliases, *names),
        description=next((entity.description for entity in everyone if entity.description is not None), None),
        confidence=max(entity.confidence for entity in everyone),
        utility=min(1.0, max(0.0, utility)),
        accesses=sum(entity.accesses for entity in everyone),
        accessed_at=Micros(max(entity.accessed_at for entity in everyone)),
        sources=tuple(dict.fromkeys(source for entity in everyone for source in entity.sources)),
        held=tuple(dict.fromkeys((*target.held, *held))),
    )


def _keys(entity: Entity) -> tuple[tuple[str, str, str], ...]:
    """Return the claims that an entity holds."""
    own = name_key(entity.channel, entity.type, entity.name)
    return (own, *((entity.channel, entity.type, held) for held in entity.held))


def _claims(source: Entity, target: Entity) -> tuple[Change, ...]:
    """Hand a source's names to the target; those of another type are free again."""
    if source.type == target.type:
        return tuple(NAMES.take(key, target.id) for key in _keys(source))
    return tuple(NAMES.release(key, source.id) for key in _keys(source))


def _moves(histories: Histories, target_id: str, source_ids: Collection[str]) -> _Moves:
    """End each edge at a source, and begin it anew at the target unless it would be a loop or is there already."""
    coming: dict[Link, list[Relationship]] = {}
    changes: list[Change] = []
    for edge in live_edges(histories, source_ids):
        link = _moved(edge.link, target_id, source_ids)
        is_loop = link.source_id == link.target_id
        ended = fact_of(ENDED, EndedFact(into=None if is_loop else link.id))
        changes.append(Change(relationship_stream(edge.link.id), (ended,)))
        if not is_loop:
            coming.setdefault(link, []).append(edge)
    histories.need(relationship_stream(link.id) for link in coming)
    arrived: list[str] = []
    for link, edges in coming.items():
        present = relationship_of(histories[relationship_stream(link.id)])
        if present is not None and not present.ended:
            changes.extend(united(present, edges))
        else:
            changes.append(Change(relationship_stream(link.id), (fact_of(CREATED, _begun(link, edges)),)))
            arrived.append(link.id)
    if arrived:
        # The other ends need no note: what they noted ended, and says which edge took its place.
        noted = fact_of(ATTACHED, AttachedFact(relationships=tuple(arrived)))
        changes.append(Change(adjacency_stream(target_id), (noted,), Expected.ANY))
    return _Moves(tuple(changes), tuple(arrived))


def _moved(link: Link, target_id: str, source_ids: Collection[str]) -> Link:
    return replace(
        link,
        source_id=target_id if link.source_id in source_ids else link.source_id,
        target_id=target_id if link.target_id in source_ids else link.target_id,
    )


def _begun(link: Link, edges: Sequence[Relationship]) -> CreatedFact:
    """Return the edge that takes the place of some: as old as the oldest, as sure as the surest."""
    return CreatedFact(
        source_id=link.source_id,
        target_id=link.target_id,
        kind=link.kind,
        channel=edges[0].channel,
        confidence=max(edge.confidence for edge in edges),
        label=next((edge.label for edge in edges if edge.label), None),
        sources=tuple(dict.fromkeys(source for edge in edges for source in edge.sources)),
        created_at=min(edge.created_at for edge in edges),
    )
