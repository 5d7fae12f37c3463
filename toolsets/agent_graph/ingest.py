"""Stores an extraction: all its entities and edges in one decision. Only `found_by_alias` does I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from backends.ports.events import MAX_EVENTS_PER_BATCH, StreamName
from backends.ports.graph import Graph
from backends.ports.text import MAX_NAME_POINTS, shadow, text_problem
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph import queries
from toolsets.agent_graph import relationship as relationships
from toolsets.agent_graph.entity import GUESSED, SURE_OF_TYPE, Draft, live_in
from toolsets.agent_graph.extraction.model import Extraction
from toolsets.agent_graph.extraction.model import NamedEntity as Mention
from toolsets.agent_graph.projections import BY_RANK, ENTITY, entity_in
from toolsets.agent_graph.relationship import Assertion, EdgeKey, join_changes
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key, relationship_stream
from toolsets.concurrency import gather_bounded
from toolsets.sourcing.aggregate import Change, Decision, Histories

EVENTS_OF_AN_ENTITY = 2
"""The entity and the claim to its name."""
EVENTS_OF_AN_EDGE = 3
"""The edge and a note in the adjacency stream of each end."""
_MOST_OF_A_NAME = 10
"""They come by rank and the first that fits is taken, so further ones would hardly ever be."""


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """An extraction prepared for storing: a draft of each entity, an id for it if it is new, and the entities known by alias."""

    channel: str
    source: str
    extraction: Extraction
    drafts: tuple[Draft, ...]
    new_ids: tuple[str, ...]
    known: Mapping[int, str]
    """Ids of entities that were found by an alias, keyed by the index of the draft."""

    @property
    def streams(self) -> tuple[StreamName, ...]:
        """The streams that the decision reads first."""
        claims = (NAMES.stream(name_key(self.channel, draft.type, draft.name)) for draft in self.drafts)
        ids = (*self.new_ids, *self.known.values())
        return tuple(dict.fromkeys((*claims, *(entity_stream(id_) for id_ in ids))))


@dataclass(frozen=True, slots=True)
class StoredIds:
    """The ids of the entities and edges of an extraction, in its order, each once."""

    entities: tuple[str, ...]
    relationships: tuple[str, ...]


def drafts_of(extraction: Extraction, channel: str, source: str) -> tuple[Draft, ...]:
    """Return a draft of each entity that can be stored; of entities that differ only in letter case, the first."""
    drafts: dict[tuple[str, str, str], Draft] = {}
    for mention in extraction.entities:
        if _fits(mention.name):
            draft = _draft(mention, channel, source)
            drafts.setdefault(name_key(channel, mention.type, mention.name), draft)
    return tuple(drafts.values())


def fits(drafts: Sequence[Draft], extraction: Extraction) -> bool:
    """Return whether one append can hold all entities and relations of an extraction, even if every one of them is new.

    The answer does not depend on what is stored, so a text that was stored once can be stored again.
    """
    return events_of(drafts, extraction) <= MAX_EVENTS_PER_BATCH


def events_of(drafts: Sequence[Draft], extraction: Extraction) -> int:
    """Return the events of an extraction of which everything is new."""
    return len(drafts) * EVENTS_OF_AN_ENTITY + len(extraction.relations) * EVENTS_OF_AN_EDGE


async def found_by_alias(graph: Graph, drafts: Sequence[Draft]) -> Mapping[int, str]:
    """Return the id of the entity that has one of the names of a draft, keyed by the index of the draft.

    When the type of the draft or of the entity is a guess, an entity of another type also matches. Raises the store's
    error.
    """
    found = await gather_bounded(partial(_called, graph, draft) for draft in drafts)
    return {number: id_ for number, id_ in enumerate(found) if id_ is not None}


def store(histories: Histories, plan: IngestPlan) -> Decision[StoredIds]:
    """Decide to store an extraction. Entities and edges that exist get only what they lack."""
    histories.need(plan.streams)
    ids: dict[str, str] = {}
    fresh: set[str] = set()
    settled: set[str] = set()
    room = MAX_EVENTS_PER_BATCH - events_of(plan.drafts, plan.extraction)
    changes: list[Change] = []
    holders = [
        NAMES.holder(histories[NAMES.stream(name_key(plan.channel, draft.type, draft.name))]) for draft in plan.drafts
    ]
    histories.need(entity_stream(holder) for holder in holders if holder is not None)
    for number, draft in enumerate(plan.drafts):
        decision = entities.create(histories, plan.new_ids[number], draft, plan.known.get(number))
        changes.extend(decision.changes)
        ids.setdefault(shadow(draft.name), decision.value.id)
        if decision.value.is_new:
            fresh.add(decision.value.id)
        elif decision.value.id not in settled:
            settling = entities.settle_type(histories, live_in(histories, decision.value.id, None), draft)
            room += EVENTS_OF_AN_ENTITY - _size(decision.changes) - _size(settling)
            if settling and room >= 0:
                # If two drafts are sure of different types, the first one decides.
                settled.add(decision.value.id)
                changes.extend(settling)
            elif settling:
                # The type remains a guess, until a text with room for the change states it.
                room += _size(settling)
    links = _links(plan, ids)
    histories.need(relationship_stream(key.id) for key in links)
    for key, said in links.items():
        changes.extend(relationships.create(histories, key, said, plan.channel, fresh).changes)
    stored = StoredIds(tuple(dict.fromkeys(ids.values())), tuple(key.id for key in links))
    return Decision(stored, join_changes(changes))


async def _called(graph: Graph, draft: Draft) -> str | None:
    """Return the id of the most useful entity with one of the names of a draft, None if there is none.

    The first name that any entity has decides; among its entities those of the draft's type come first.
    """
    kinds = sorted(GUESSED) if draft.type in GUESSED else (draft.type,)
    only = () if draft.type_is_guessed else (queries.of_types(kinds),)
    for name in (draft.name, *draft.aliases):
        where = queries.in_channel(draft.channel, queries.known_as(name), *only)
        page = await graph.find(ENTITY, where, order=BY_RANK, limit=_MOST_OF_A_NAME)
        if nodes := [node for node in page.items if draft.may_mean(entity_in(node))]:
            # Nodes come by rank, so this is the most useful one of the draft's type, else the most useful one.
            return min(nodes, key=lambda node: node.fields["type"] != draft.type).id
    return None


def _size(changes: Sequence[Change]) -> int:
    return sum(len(change.facts) for change in changes)


def _links(plan: IngestPlan, ids: Mapping[str, str]) -> dict[EdgeKey, Assertion]:
    """Return the edges whose two ends are stored; loops are left out."""
    links: dict[EdgeKey, Assertion] = {}
    for relation in plan.extraction.relations:
        source, target = ids.get(shadow(relation.source)), ids.get(shadow(relation.target))
        if source is None or target is None or source == target:
            continue
        label = relation.label if relation.label is not None and _fits(relation.label) else None
        said = Assertion(relation.confidence, plan.source, label, mention=True)
        links.setdefault(EdgeKey(source, target, relation.type), said)
    return links


def _draft(mention: Mention, channel: str, source: str) -> Draft:
    aliases = tuple(alias for alias in mention.aliases if _fits(alias))
    return Draft(
        channel,
        mention.name,
        mention.type,
        aliases,
        confidence=mention.confidence,
        source=source,
        mention=True,
        type_is_guessed=mention.confidence < SURE_OF_TYPE,
    )


def _fits(name: str) -> bool:
    return bool(name.strip()) and len(name) <= MAX_NAME_POINTS and text_problem(name) is None
