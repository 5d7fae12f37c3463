"""Merges several entities into one, with all their edges, names and counts, in one decision. All functions are pure."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from backends.ports.events import MAX_EVENTS_PER_BATCH, Expected
from toolsets.agent_graph.aliases import added_names, fitting_names
from toolsets.agent_graph.entity import Entity, UnknownEntity, survivor
from toolsets.agent_graph.facts import ABSORBED, MERGED, AbsorbedFact, MergedFact, fact_of
from toolsets.agent_graph.relationship import (
    ATTACHED,
    CREATED,
    ENDED,
    AttachedFact,
    EdgeCreatedFact,
    EdgeKey,
    EndedFact,
    Relationship,
    join_changes,
    live_edges,
    relationship_of,
    unite,
)
from toolsets.agent_graph.streams import (
    NAMES,
    adjacency_stream,
    entity_stream,
    name_key,
    relationship_stream,
)
from toolsets.sourcing.aggregate import Change, Decision, Histories
from toolsets.spec import ToolError


class CannotMerge(ToolError):
    """These entities cannot be merged; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__("Merge failed", message)


@dataclass(frozen=True, slots=True)
class Merge:
    """The outcome of a merge."""

    target: str
    """The id of the entity that stays; the id that the caller gave may lead to it through earlier merges."""
    sources: Mapping[str, int]
    """The ids of the entities that this call merges, and their versions before; empty when all of them were merged before."""
    aliases_added: tuple[str, ...]
    moved: int
    """The number of edges that are new at the target; loops and duplicates that were dropped are not counted."""


@dataclass(frozen=True, slots=True)
class _Moves:
    """The changes to edges, and the ids of the edges that are new at the target."""

    changes: tuple[Change, ...]
    arrived: tuple[str, ...]


def merge(
    histories: Histories,
    target_id: str,
    source_ids: Sequence[str],
    channel: str | None,
    with_unrecorded_reads: Callable[[Entity], Entity],
) -> Decision[Merge]:
    """Decide to merge the source entities into the target; `with_unrecorded_reads` adds the reads that are not recorded yet.

    The id of an entity that was merged before stands for its target, so a source that now is the target is left out.
    Every stream that is read is also written or asserted at its exact version, so a concurrent edit comes wholly before
    or wholly after the merge. Raises `CannotMerge`, and `UnknownEntity` for an id without an entity in `channel`.
    """
    if target_id in source_ids:
        raise CannotMerge("the target is among the sources")
    histories.need(entity_stream(entity_id) for entity_id in (target_id, *source_ids))
    target = _survivor(histories, target_id, channel)
    found = {entity.id: entity for entity in (_survivor(histories, id_, channel) for id_ in source_ids)}
    found.pop(target.id, None)
    sources = tuple(found.values())
    if any(source.channel != target.channel for source in sources):
        raise CannotMerge("the entities are in different channels")
    if not sources:
        return Decision(Merge(target.id, {}, (), moved=0))
    target_id = target.id
    moves = _moves(histories, target_id, found.keys())
    names = added_names(
        (target.name, *target.aliases), (name for source in sources for name in (source.name, *source.aliases))
    )
    if fitting_names(target.aliases, names) != names:
        raise CannotMerge("together they have more aliases than one entity may have, 256 kB")
    changes = (
        Change(
            entity_stream(target_id), (fact_of(ABSORBED, _combined(target, sources, names, with_unrecorded_reads)),)
        ),
        *(Change(entity_stream(source.id), (fact_of(MERGED, MergedFact(into=target_id)),)) for source in sources),
        # Asserted, so that no edge is attached to a source after its edges were read.
        *(Change(adjacency_stream(source.id)) for source in sources),
        *(change for source in sources for change in _claims(source, target)),
        *moves.changes,
    )
    if sum(len(change.facts) for change in changes) > MAX_EVENTS_PER_BATCH:
        raise CannotMerge("the sources have more relationships than can be moved in one step")
    # Sources that were read before and after a concurrent merge may both claim a name; joined, the stale one loses the race.
    merged = {source.id: source.version for source in sources}
    return Decision(Merge(target_id, merged, names, len(moves.arrived)), join_changes(changes))


def _survivor(histories: Histories, entity_id: str, channel: str | None) -> Entity:
    """Return the entity that an id leads to. Raises `UnknownEntity` for an unknown id or an entity outside `channel`."""
    entity = survivor(histories, entity_id)
    if entity is None or channel not in (None, entity.channel):
        raise UnknownEntity(entity_id)
    return entity


def _combined(
    target: Entity, sources: Sequence[Entity], names: tuple[str, ...], with_unrecorded_reads: Callable[[Entity], Entity]
) -> AbsorbedFact:
    """Return the new state of the target: the sum of the reads, utility weighted by reads, highest confidence, all sources."""
    everyone = (target, *sources)
    # The weights include reads that are not recorded yet; `accesses` does not, because they are recorded later for the
    # target.
    weights = [1 + with_unrecorded_reads(entity).accesses for entity in everyone]
    utility = sum(weight * entity.utility for weight, entity in zip(weights, everyone, strict=True)) / sum(weights)
    held = [key[2] for source in sources if source.type == target.type for key in _keys(source)]
    return AbsorbedFact(
        merged=tuple(source.id for source in sources),
        aliases=(*target.aliases, *names),
        description=next((entity.description for entity in everyone if entity.description is not None), None),
        confidence=max(entity.confidence for entity in everyone),
        utility=min(1.0, max(0.0, utility)),
        accesses=sum(entity.accesses for entity in everyone),
        # An entity without reads has the time of its creation there, which is no read.
        accessed_at=max((entity.accessed_at for entity in everyone if entity.accesses), default=target.accessed_at),
        sources=tuple(dict.fromkeys(source for entity in everyone for source in entity.sources)),
        held=tuple(dict.fromkeys((*target.held, *held))),
    )


def _keys(entity: Entity) -> tuple[tuple[str, str, str], ...]:
    """Return the keys of the names that an entity claims."""
    own = name_key(entity.channel, entity.type, entity.name)
    return (own, *((entity.channel, entity.type, held) for held in entity.held))


def _claims(source: Entity, target: Entity) -> tuple[Change, ...]:
    """Transfer the claims of a source to the target; release them when the types differ."""
    if source.type == target.type:
        return tuple(NAMES.take(key, target.id) for key in _keys(source))
    return tuple(NAMES.release(key, source.id) for key in _keys(source))


def _moves(histories: Histories, target_id: str, source_ids: Collection[str]) -> _Moves:
    """End each edge of a source, and create it at the target unless it would be a loop or exists there already."""
    coming: dict[EdgeKey, list[Relationship]] = {}
    changes: list[Change] = []
    for edge in live_edges(histories, source_ids):
        key = _moved(edge.key, target_id, source_ids)
        is_loop = key.source_id == key.target_id
        ended = fact_of(ENDED, EndedFact(into=None if is_loop else key.id))
        changes.append(Change(relationship_stream(edge.key.id), (ended,)))
        if not is_loop:
            coming.setdefault(key, []).append(edge)
    histories.need(relationship_stream(key.id) for key in coming)
    arrived: list[str] = []
    for key, edges in coming.items():
        present = relationship_of(histories[relationship_stream(key.id)])
        if present is not None and not present.ended:
            changes.extend(unite(present, edges))
        else:
            changes.append(Change(relationship_stream(key.id), (fact_of(CREATED, _begun(key, edges)),)))
            arrived.append(key.id)
    if arrived:
        # The other ends need no note: the ended edge, which they know, names the edge that replaces it.
        noted = fact_of(ATTACHED, AttachedFact(relationships=tuple(arrived)))
        changes.append(Change(adjacency_stream(target_id), (noted,), Expected.ANY))
    return _Moves(tuple(changes), tuple(arrived))


def _moved(key: EdgeKey, target_id: str, source_ids: Collection[str]) -> EdgeKey:
    return replace(
        key,
        source_id=target_id if key.source_id in source_ids else key.source_id,
        target_id=target_id if key.target_id in source_ids else key.target_id,
    )


def _begun(key: EdgeKey, edges: Sequence[Relationship]) -> EdgeCreatedFact:
    """Return the edge that replaces several: with the earliest creation time and the highest confidence among them."""
    return EdgeCreatedFact(
        source_id=key.source_id,
        target_id=key.target_id,
        kind=key.type,
        channel=edges[0].channel,
        confidence=max(edge.confidence for edge in edges),
        label=next((edge.label for edge in edges if edge.label), None),
        sources=tuple(dict.fromkeys(source for edge in edges for source in edge.sources)),
        created_at=min(edge.created_at for edge in edges),
    )
