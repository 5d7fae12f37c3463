"""The graph queries of the reading tools: by name, by utility, by time, and the edges among given entities."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Has, In, InIgnoringCase, Not, Or
from backends.ports.graph import MAX_EXPANSION, Direction, Edge, Expansion, Graph, Node, Order
from backends.ports.text import shadow
from backends.ports.values import EdgeId, Micros, NodeId, Page
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.extraction.model import RELATION_TYPES, EntityType
from toolsets.agent_graph.projections import (
    BY_RANK,
    ENTITY,
    entity_in,
    rank,
    rank_with,
    relationship_in,
)
from toolsets.agent_graph.read_counts import MAX_LATEST_READS, ReadCounts
from toolsets.agent_graph.relationship import Relationship
from toolsets.agent_graph.streams import relationship_id
from toolsets.concurrency import gather_bounded, run_cpu
from toolsets.sourcing.reads import FIRST_EDGES

BY_NAME = (Order("name"),)
BY_ACCESS = (Order("accessed_at", descending=True), Order("name"))
BY_UPDATE = (Order("updated_at", descending=True), Order("name"))

_AT_ONCE = 256
"""The most nodes of one `expand` (`MAX_STARTS`)."""
_PAIRS = 500
"""Nodes times words that take as long to compare as an event takes to read; from 100,000 on, a thread does it."""
_CHARACTERS = 50
"""Characters of words that take as long to fold; from 10,000 on, a thread does it."""


@dataclass(frozen=True, slots=True)
class NameMatches:
    """Entities found by name; `total` also counts those that the limit cut."""

    entities: tuple[Entity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Mentions:
    """Entities that mention some words; `total` also counts those that the limits cut."""

    nodes: tuple[Node, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EdgesAt:
    """The edges at some entities: of each entity and type up to 10,000 in `all`, the 256 most confident in `first`."""

    first: tuple[Edge, ...]
    all: tuple[Edge, ...]
    is_complete: bool
    """Whether no entity has more edges of a type."""


def in_channel(channel: str, *terms: Filter) -> Filter:
    """Return the filter for entities of a channel."""
    return And((Eq("channel", channel), *terms))


def named(name: str) -> Filter:
    """Return the filter for entities with exactly this name, ignoring case."""
    return InIgnoringCase("name", (name,))


def known_as(name: str) -> Filter:
    """Return the filter for entities with exactly this name or alias, ignoring case."""
    return InIgnoringCase("names", (name,))


def called_like(part: str) -> Contains:
    """Return the filter for entities with this text in the name or an alias, ignoring case."""
    return Contains("names", part)


def from_source(source: str) -> Filter:
    """Return the filter for entities that were found in a source."""
    return Has("sources", source)


def of_types(kinds: Iterable[EntityType]) -> Filter:
    """Return the filter for entities of any of these types."""
    return In("type", tuple(kinds))


async def by_name(graph: Graph, channel: str, name: str, *, exact: bool, limit: int) -> NameMatches:
    """Return the entities that match a name: those with it as a whole name or alias first, each group by name.

    Unless `exact`, a part of a name or alias also matches.
    """
    whole = matching = known_as(name)
    page = await graph.find(ENTITY, in_channel(channel, whole), order=BY_NAME, limit=limit)
    nodes, more = list(page.items), page.after is not None
    if not exact:
        matching = called_like(name)
        page = await graph.find(ENTITY, in_channel(channel, matching, Not(whole)), order=BY_NAME, limit=limit)
        nodes, more = [*nodes, *page.items], more or page.after is not None
    total = len(nodes)
    if more:
        groups = await graph.count_nodes(ENTITY, where=in_channel(channel, matching))
        total = sum(group.count for group in groups)
    return NameMatches(tuple(entity_in(node) for node in nodes[:limit]), total)


async def mentioning(graph: Graph, channel: str, words: Iterable[str], limit: int) -> Mentions:
    """Return the most useful entities that have any of the words in a name, an alias or the description, ignoring case.

    At most `limit` entities for each word and place are returned; a whole name and a whole alias count as further places.
    """
    each = tuple(dict.fromkeys(words))
    in_name = tuple(map(called_like, each))
    places = (*in_name, *(Contains("description", word) for word in each))

    async def best(wanted: Iterable[Filter]) -> list[Page[Node]]:
        # One query for each: an index serves a plain condition, not a disjunction.
        where = [in_channel(channel, term) for term in wanted]
        return await gather_bounded(partial(graph.find, ENTITY, term, order=BY_RANK, limit=limit) for term in where)

    pages = await best(in_name) + await best(places[len(each) :])
    # If the limit cut nothing, the entities with a word as a whole name are among those found.
    long = [word for word, page in zip(each, pages, strict=False) if len(page.items) == limit]
    whole = await best(where for word in long for where in (named(word), known_as(word))) if long else []
    found = {node.id: node for page in (*pages, *whole) for node in page.items}
    total = len(found)
    if cut := tuple(term for term, page in zip(places, pages, strict=True) if page.after is not None):
        # Only what a limit cut is counted; all other entities are among those found.
        groups = await graph.count_nodes(ENTITY, where=in_channel(channel, Or(cut)))
        others = await run_cpu(partial(_lacking, found.values(), cut), size=len(found) * len(cut) // _PAIRS)
        total = max(total, sum(group.count for group in groups) + others)
    return Mentions(tuple(found.values()), total)


async def count_in_source_only(graph: Graph, channel: str, source: str, words: Iterable[str]) -> int:
    """Return how many entities were found in a source and do not have any of the words, as `mentioning` finds them."""
    each = tuple(dict.fromkeys(words))
    places = Or((*map(called_like, each), *(Contains("description", word) for word in each)))
    groups = await graph.count_nodes(ENTITY, where=in_channel(channel, from_source(source), Not(places)))
    return sum(group.count for group in groups)


def _lacking(nodes: Iterable[Node], terms: Iterable[Contains]) -> int:
    """Return how many nodes have none of the texts that are looked for, ignoring case."""
    needles = [(term.field, shadow(term.needle)) for term in terms]
    searched = {field for field, _ in needles}

    def texts(node: Node, field: str) -> list[str]:
        held = node.fields.get(field, ())
        return [shadow(text) for text in (held if isinstance(held, tuple) else (str(held),))]

    held = [{field: texts(node, field) for field in searched} for node in nodes]
    return sum(not any(needle in text for field, needle in needles for text in each[field]) for each in held)


async def mentioned(entities: Sequence[Entity], words: Sequence[str]) -> set[str]:
    """Return the ids of the entities that have any of the words in a name, an alias or the description, ignoring case."""
    needles = [shadow(word) for word in words]

    def found() -> set[str]:
        texts = {entity.id: (entity.name, *entity.aliases, entity.description or "") for entity in entities}
        return {
            id_
            for id_, held in texts.items()
            if any(needle in text for text in map(shadow, held) for needle in needles)
        }

    characters = sum(len(text) for entity in entities for text in (*entity.aliases, entity.description or ""))
    return await run_cpu(found, size=len(entities) + characters // _CHARACTERS)


async def most_useful(
    graph: Graph, read_counts: ReadCounts, channel: str, limit: int, types: tuple[EntityType, ...] = ()
) -> list[Entity]:
    """Return the entities of a channel by utility, reads, last read and name; reads that are not recorded yet count.

    Empty `types` means all types.
    """
    where = in_channel(channel, In("type", types)) if types else in_channel(channel)
    noted = read_counts.noted  # before the page, or a read recorded meanwhile would be in neither
    page = await graph.find(ENTITY, where, order=BY_RANK, limit=limit)
    read = await _read_lately(graph, read_counts, noted, channel, MAX_LATEST_READS)
    # Keep only entities whose reads raise them to the rank of the last one of the page.
    least = rank_with(page.items[-1], (0, Micros(0))) if len(page.items) == limit else ()
    fitting = (
        node
        for node in read
        if (not types or node.fields["type"] in types) and rank_with(node, read_counts.unrecorded(node.id)) >= least
    )
    return by_utility(_merged(read_counts, page.items, fitting))[:limit]


async def last_read(graph: Graph, read_counts: ReadCounts, channel: str, limit: int) -> list[Entity]:
    """Return the entities of a channel that were ever read, the last read first."""
    noted = read_counts.noted
    page = await graph.find(ENTITY, in_channel(channel, Exists("accessed_at")), order=BY_ACCESS, limit=limit)
    read = _merged(read_counts, page.items, await _read_lately(graph, read_counts, noted, channel, limit))
    return sorted(read, key=lambda entity: (-entity.accessed_at, entity.name, entity.id))[:limit]


async def last_changed(graph: Graph, read_counts: ReadCounts, channel: str, limit: int) -> list[Entity]:
    """Return the entities of a channel, the last changed first."""
    page = await graph.find(ENTITY, in_channel(channel), order=BY_UPDATE, limit=limit)
    return [read_counts.entity_in(node) for node in page.items]


async def entities_of(graph: Graph, read_counts: ReadCounts, ids: Iterable[str]) -> list[Entity]:
    """Return the live entities among `ids`, by utility."""
    nodes = await graph.get_nodes([NodeId(id_) for id_ in dict.fromkeys(ids)])
    return by_utility(read_counts.entity_in(node) for node in nodes.values())


def by_utility(entities: Iterable[Entity]) -> list[Entity]:
    """Return entities by utility, reads, last read and name."""
    by_name_first = sorted(entities, key=lambda entity: (entity.name, entity.id))
    return sorted(by_name_first, key=rank, reverse=True)


async def by_relevance(entities: Iterable[Entity], words: Sequence[str]) -> list[Entity]:
    """Return the entities with a word as a whole name or alias first, ignoring case, then the others; each by utility."""

    def ordered() -> list[Entity]:
        wanted = {shadow(word) for word in words}

        def is_partial(entity: Entity) -> bool:
            return not any(shadow(name) in wanted for name in (entity.name, *entity.aliases))

        return sorted(by_utility(listed), key=is_partial)

    listed = tuple(entities)
    return await run_cpu(ordered, size=len(listed) + sum(map(len, words)) // _CHARACTERS)


def by_confidence(edges: Iterable[Relationship], entities: Iterable[Entity]) -> list[Relationship]:
    """Return edges by confidence, then by the names of their ends, then by type; `entities` holds the ends."""
    names = {entity.id: entity.name for entity in entities}

    def order(edge: Relationship) -> tuple[float, str, str, str, str]:
        key = edge.key
        return -edge.confidence, names.get(key.source_id, ""), names.get(key.target_id, ""), key.type, key.id

    return sorted(edges, key=order)


async def edges_at(graph: Graph, ids: Collection[str], types: Collection[str]) -> EdgesAt:
    """Return the edges of some types at entities, each once. `types` are in their stored form."""
    first: dict[str, Edge] = {}
    every: dict[str, Edge] = {}
    is_complete = True
    for some in _portions(ids):
        expansion = await graph.expand(some, types=types, limit_per_node=FIRST_EDGES)
        found = _by_id(expansion)
        for hub, type_ in product(expansion.truncated, types):
            of_kind = await graph.expand((hub,), types=(type_,), limit_per_node=MAX_EXPANSION)
            is_complete = is_complete and not of_kind.truncated
            every |= _by_id(of_kind)
            found |= {edge.id: edge for edge in of_kind.edges.get(hub, ())[:FIRST_EDGES]}
        first |= found
    return EdgesAt(tuple(first.values()), tuple({**first, **every}.values()), is_complete)


async def edges_among(
    graph: Graph, entities: Iterable[Entity], types: Collection[str] | None = None
) -> list[Relationship]:
    """Return all edges, of some types in their stored form, between two of the entities, by confidence, then by names."""
    by_id = {entity.id: entity for entity in entities}
    known = set(by_id)
    edges: dict[str, Edge] = {}

    async def collect(at: Collection[str], direction: Direction, limit: int) -> set[str]:
        """Collect edges, and return the entities that have more edges than `limit`."""
        cut: set[str] = set()
        for some in _portions(at):
            expansion = await graph.expand(some, direction=direction, types=types, limit_per_node=limit)
            found = _by_id(expansion)
            edges.update({id_: edge for id_, edge in found.items() if edge.source in known and edge.target in known})
            cut |= expansion.truncated
        return cut

    # Each such edge leaves one of the entities, and a hub has far fewer outgoing than incoming edges.
    cut = await collect(known, "out", FIRST_EDGES)
    # An edge that was cut at its source is found at its target, unless the edges of the target were cut, too.
    if cut and (cut_too := await collect(known, "in", FIRST_EDGES)) and len(cut | cut_too) > 1:
        await collect(cut, "out", MAX_EXPANSION)
    return by_confidence((relationship_in(edge) for edge in edges.values()), by_id.values())


def _by_id(expansion: Expansion) -> dict[str, Edge]:
    return {edge.id: edge for of_one in expansion.edges.values() for edge in of_one}


async def edges_between(graph: Graph, centre: str, others: Collection[str]) -> list[Edge]:
    """Return every edge between an entity and some others. Ids are computed from ends and type, so a hub costs no more."""
    ends = [pair for other in others for pair in ((centre, other), (other, centre))]
    ids = [relationship_id(*pair, kind) for pair in ends for kind in RELATION_TYPES]
    found = await graph.get_edges([EdgeId(id_) for id_ in ids])
    return list(found.values())


async def _read_lately(
    graph: Graph, read_counts: ReadCounts, noted: Sequence[str], channel: str, limit: int
) -> Collection[Node]:
    """Return nodes of a channel with unrecorded reads: at least the `limit` last read, or all of them."""
    ids = [NodeId(id_) for id_ in noted]
    enough = min(limit, len(ids))
    # Entities that were read at the same time have no order yet, so all of them are taken.
    while (
        0 < enough < len(ids) and read_counts.unrecorded(ids[enough])[1] == read_counts.unrecorded(ids[enough - 1])[1]
    ):
        enough += 1
    found: list[Node] = []
    for some in (ids[:enough], ids[enough:]):
        if len(found) < limit and some:
            nodes = await graph.get_nodes(some)
            found += [node for node in nodes.values() if node.fields["channel"] == channel]
    return found


def _merged(read_counts: ReadCounts, *parts: Iterable[Node]) -> list[Entity]:
    nodes = {node.id: node for part in parts for node in part}
    return [read_counts.entity_in(node) for node in nodes.values()]


def _portions(ids: Collection[str]) -> list[list[NodeId]]:
    ordered = [NodeId(id_) for id_ in sorted(ids)]
    return [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]
