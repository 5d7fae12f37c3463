"""Storing what a text says: all entities and edges of an extraction in one decision. Pure, but for the look-up of aliases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from backends.ports.events import MAX_EVENTS_PER_BATCH, StreamName
from backends.ports.graph import Graph, Node
from backends.ports.text import MAX_NAME_POINTS, shadow, text_problem
from toolsets.agent_graph import entity as entities
from toolsets.agent_graph import queries
from toolsets.agent_graph import relationship as relationships
from toolsets.agent_graph.entity import GUESSED, SURE_OF_TYPE, Draft
from toolsets.agent_graph.extraction.model import Entity as Mention
from toolsets.agent_graph.extraction.model import Extraction
from toolsets.agent_graph.projections import ENTITY, entity_in
from toolsets.agent_graph.queries import Crowded
from toolsets.agent_graph.relationship import Link, Said, joined
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key, relationship_stream
from toolsets.asking import answers
from toolsets.sourcing.aggregate import Change, Decision, Histories

EVENTS_OF_AN_ENTITY = 2
"""Itself and the claim to its name."""
EVENTS_OF_AN_EDGE = 3
"""Itself and a note at either end."""
_MOST_OF_A_NAME = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """An extraction prepared for storing: a draft per entity, an id for each that turns out to be new, and what is known."""

    channel: str
    source: str
    extraction: Extraction
    drafts: tuple[Draft, ...]
    new_ids: tuple[str, ...]
    known: Mapping[int, str]
    """Entities found by an alias, by the number of their draft."""

    @property
    def streams(self) -> tuple[StreamName, ...]:
        """The streams that storing begins with."""
        claims = (NAMES.stream(name_key(self.channel, draft.type, draft.name)) for draft in self.drafts)
        ids = (*self.new_ids, *self.known.values())
        return tuple(dict.fromkeys((*claims, *(entity_stream(id_) for id_ in ids))))


@dataclass(frozen=True, slots=True)
class Stored:
    """The ids of an extraction's entities and edges, in its order, each once."""

    entities: tuple[str, ...]
    relationships: tuple[str, ...]


def drafts_of(extraction: Extraction, channel: str, source: str) -> tuple[Draft, ...]:
    """Return a draft per entity that can be stored; of two that differ in letter case only, the first."""
    drafts: dict[tuple[str, str, str], Draft] = {}
    for mention in extraction.entities:
        if _fits(mention.name):
            draft = _draft(mention, channel, source)
            drafts.setdefault(name_key(channel, mention.type, mention.name), draft)
    return tuple(drafts.values())


def fits(drafts: Sequence[Draft], extraction: Extraction) -> bool:
    """Say whether one append takes all this, were none of it there yet; so a text that was stored can be stored again."""
    events = len(drafts) * EVENTS_OF_AN_ENTITY + len(extraction.relations) * EVENTS_OF_AN_EDGE
    return events <= MAX_EVENTS_PER_BATCH


async def found_by_alias(graph: Graph, drafts: Sequence[Draft]) -> Mapping[int, str]:
    """Return the entity that has one of a draft's names, by the number of the draft. Raises the store's error.

    A guessed type yields, be it the draft's or the entity's: an entity of another type that has the name is meant.
    """
    if not drafts:
        return {}
    crowded = await Crowded.of(graph, drafts[0].channel)
    found = await answers(partial(_called, graph, crowded, draft) for draft in drafts)
    return {number: id_ for number, id_ in enumerate(found) if id_ is not None}


def store(histories: Histories, plan: Plan) -> Decision[Stored]:
    """Decide to store an extraction: what is there already is added to, and what it has is not recorded again."""
    histories.need(plan.streams)
    ids: dict[str, str] = {}
    fresh: set[str] = set()
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
    links = _links(plan, ids)
    histories.need(relationship_stream(link.id) for link in links)
    for link, said in links.items():
        changes.extend(relationships.create(histories, link, said, plan.channel, fresh).changes)
    stored = Stored(tuple(dict.fromkeys(ids.values())), tuple(link.id for link in links))
    return Decision(stored, joined(changes))


async def _called(graph: Graph, crowded: Crowded, draft: Draft) -> str | None:
    """Return the most useful entity that has the first of a draft's names that any has, of its type if there is one."""
    kinds = sorted(GUESSED) if draft.type in GUESSED else (draft.type,)
    only = () if draft.type_is_guessed else (queries.of_types(kinds),)
    for name in (draft.name, *draft.aliases):
        where = queries.in_channel(draft.channel, queries.known_as(name), *only)
        page = await graph.find(ENTITY, where, order=queries.BY_RANK, limit=_MOST_OF_A_NAME)
        nodes = _meant(page.items, draft) or _meant(crowded.called(name, exact=True), draft)
        if nodes:
            # The first of its own type, else the first: they stand by use.
            return min(nodes, key=lambda node: node.fields["type"] != draft.type).id
    return None


def _meant(nodes: Iterable[Node], draft: Draft) -> list[Node]:
    return [node for node in nodes if draft.may_mean(entity_in(node))]


def _links(plan: Plan, ids: Mapping[str, str]) -> dict[Link, Said]:
    """Return the edges between entities that are stored; one that would lead back to its own beginning is left out."""
    links: dict[Link, Said] = {}
    for relation in plan.extraction.relations:
        source, target = ids.get(shadow(relation.source)), ids.get(shadow(relation.target))
        if source is None or target is None or source == target:
            continue
        label = relation.label if relation.label is not None and _fits(relation.label) else None
        said = Said(relation.confidence, plan.source, label, mention=True)
        links.setdefault(Link(source, target, relation.type), said)
    return links


def _draft(mention: Mention, channel: str, source: str) -> Draft:
    aliases = tuple(alias for alias in mention.aliases if _fits(alias))
    return Draft(
        channel,
        mention.name,
        mention.type,
        aliases,
        mention.description,
        mention.confidence,
        source,
        mention=True,
        type_is_guessed=mention.confidence < SURE_OF_TYPE,
    )


def _fits(name: str) -> bool:
    return bool(name.strip()) and len(name) <= MAX_NAME_POINTS and text_problem(name) is None
