"""What the reading tools ask the graph: names, the most useful, the latest, and edges among some entities."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from backends.ports.filters import And, Contains, Eq, Exists, Filter, Has, In, Not
from backends.ports.graph import Direction, Edge, Graph, Node, Order
from backends.ports.text import shadow
from backends.ports.values import EdgeId, NodeId, Page
from toolsets.agent_graph.accesses import LATEST, Accesses
from toolsets.agent_graph.entity import Entity
from toolsets.agent_graph.extraction.model import RELATION_TYPES, EntityType
from toolsets.agent_graph.projections import (
    BREAK,
    CROWDED,
    ENTITY,
    entity_in,
    escaped,
    indexed_names,
    rank,
    rank_with,
    relationship_in,
)
from toolsets.agent_graph.relationship import Relationship
from toolsets.agent_graph.streams import relationship_id
from toolsets.asking import answers

BY_NAME = (Order("name"),)
BY_RANK = (Order("rank", descending=True), Order("name"))
BY_ACCESS = (Order("accessed_at", descending=True), Order("name"))
BY_UPDATE = (Order("updated_at", descending=True), Order("name"))
BY_AGE = (Order("created_at"),)

FIRST_LOOK = 256
WHOLE_LOOK = 10_000
MOST_CROWDED = 1_000
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Named:
    """Entities found by name, and how many there are beyond the limit."""

    entities: tuple[Entity, ...]
    total: int


def in_channel(channel: str, *terms: Filter) -> Filter:
    """Return the filter for entities of a channel."""
    return And((Eq("channel", channel), *terms))


def named(name: str) -> Filter:
    """Return the filter for a name in full, whatever its case."""
    return Contains("names", f"{BREAK}{BREAK}{escaped(name)}{BREAK}")


def known_as(name: str) -> Filter:
    """Return the filter for a name or alias in full, whatever its case."""
    return Contains("names", f"{BREAK}{escaped(name)}{BREAK}")


def called_like(part: str) -> Filter:
    """Return the filter for a part of a name or alias, whatever its case."""
    return Contains("names", escaped(part))


def from_source(source: str) -> Filter:
    """Return the filter for what was found in a source."""
    return Has("sources", source)


def of_types(kinds: Iterable[EntityType]) -> Filter:
    """Return the filter for some types."""
    return In("type", tuple(kinds))


async def by_name(graph: Graph, channel: str, name: str, *, exact: bool, limit: int) -> Named:
    """Return the entities so called: those of exactly this name first, then by name."""
    whole = named(name)
    matching = known_as(name) if exact else called_like(name)
    first = await graph.find(ENTITY, in_channel(channel, whole), order=BY_NAME, limit=limit)
    nodes, more = list(first.items), first.after is not None or len(first.items) == limit
    if not more:
        others = in_channel(channel, matching, Not(whole))
        page = await graph.find(ENTITY, others, order=BY_NAME, limit=limit - len(nodes))
        nodes, more = nodes + list(page.items), page.after is not None
    total = len(nodes)
    if more:
        groups = await graph.count_nodes(ENTITY, where=in_channel(channel, matching))
        total = sum(group.count for group in groups)
    beyond = (await Crowded.of(graph, channel)).called(name, exact=exact)
    shown = tuple(entity_in(node) for node in (*nodes, *beyond))
    return Named(shown[:limit], total + len(beyond))


@dataclass(frozen=True, slots=True)
class Crowded:
    """The entities of a channel that have more names than the index takes, which are therefore looked through one by one."""

    nodes: tuple[Node, ...]

    @classmethod
    async def of(cls, graph: Graph, channel: str) -> "Crowded":
        """Read them; there are hardly ever any, and no more than 1,000 are looked through."""
        where = in_channel(channel, Contains("names", CROWDED))
        page = await graph.find(ENTITY, where, order=BY_NAME, limit=MOST_CROWDED)
        return cls(page.items)

    def called(self, name: str, *, exact: bool) -> list[Node]:
        """Return those that have a name, or part of one, only among the names that are not indexed."""
        wanted = shadow(name)
        found: list[Node] = []
        for node in self.nodes:
            entity = entity_in(node)
            beyond = {entity.name, *entity.aliases} - set(indexed_names(entity))
            indexed = _any_is(wanted, indexed_names(entity), exact=exact)
            if not indexed and _any_is(wanted, beyond, exact=exact):
                found.append(node)
        return found


def _any_is(wanted: str, names: Iterable[str], *, exact: bool) -> bool:
    return any(wanted == shadow(name) if exact else wanted in shadow(name) for name in names)


async def mentioning(graph: Graph, channel: str, words: Iterable[str], limit: int) -> list[Node]:
    """Return the most useful entities that have one of some words in a name, an alias or the description, whatever its case.

    Up to `limit` for each word and place. Those of which a word is the whole name, or a whole alias, are places of their own.
    """
    each = tuple(dict.fromkeys(words))

    async def best(wanted: Iterable[Filter]) -> list[Page[Node]]:
        # One question each: an index answers a plain condition, not an alternative.
        where = [in_channel(channel, term) for term in wanted]
        return await answers(partial(graph.find, ENTITY, term, order=BY_RANK, limit=limit) for term in where)

    called = await best(map(called_like, each))
    described = await best(Contains("description", word) for word in each)
    # Where there was room for all, the whole names are among them.
    cut = [word for word, page in zip(each, called, strict=True) if len(page.items) == limit]
    whole = await best(where for word in cut for where in (named(word), known_as(word))) if cut else []
    found = {node.id: node for page in (*called, *described, *whole) for node in page.items}
    crowded = await Crowded.of(graph, channel)
    for word, exact in product(each, (True, False)):
        found.update({node.id: node for node in crowded.called(word, exact=exact)[:limit]})
    return list(found.values())


async def most_useful(
    graph: Graph, accesses: Accesses, channel: str, limit: int, types: tuple[EntityType, ...] = ()
) -> list[Entity]:
    """Return the entities of a channel by utility, then reads, the last read, and name; reads still in memory count.

    `types` none means all.
    """
    where = in_channel(channel, In("type", types)) if types else in_channel(channel)
    noted = accesses.noted  # before the page: what is recorded meanwhile is in neither otherwise
    page = await graph.find(ENTITY, where, order=BY_RANK, limit=limit)
    read = await _read_lately(graph, accesses, noted, channel, LATEST)
    # Only those that their reads bring as far up as the last of the page are worth more than a look.
    least = str(page.items[-1].fields["rank"]) if len(page.items) == limit else ""
    fitting = (
        node
        for node in read
        if (not types or node.fields["type"] in types) and rank_with(node, accesses.unrecorded(node.id)) >= least
    )
    return by_utility(_merged(accesses, page.items, fitting))[:limit]


async def last_read(graph: Graph, accesses: Accesses, channel: str, limit: int) -> list[Entity]:
    """Return the entities of a channel that were ever read, the last one first."""
    noted = accesses.noted
    page = await graph.find(ENTITY, in_channel(channel, Exists("accessed_at")), order=BY_ACCESS, limit=limit)
    read = _merged(accesses, page.items, await _read_lately(graph, accesses, noted, channel, limit))
    return sorted(read, key=lambda entity: (-entity.accessed_at, entity.name, entity.id))[:limit]


async def last_changed(graph: Graph, accesses: Accesses, channel: str, limit: int) -> list[Entity]:
    """Return the entities of a channel, the last one changed first."""
    page = await graph.find(ENTITY, in_channel(channel), order=BY_UPDATE, limit=limit)
    return [accesses.shown(entity_in(node)) for node in page.items]


async def entities_of(graph: Graph, accesses: Accesses, ids: Iterable[str]) -> list[Entity]:
    """Return the live entities among `ids`, by utility."""
    nodes = await graph.get_nodes([NodeId(id_) for id_ in dict.fromkeys(ids)])
    return by_utility(accesses.shown(entity_in(node)) for node in nodes.values())


def by_utility(entities: Iterable[Entity]) -> list[Entity]:
    """Return entities by utility, then reads, the last read, and name."""
    by_name_first = sorted(entities, key=lambda entity: (entity.name, entity.id))
    return sorted(by_name_first, key=rank, reverse=True)


def by_relevance(entities: Iterable[Entity], words: Iterable[str]) -> list[Entity]:
    """Return entities that have a word for a name, then for an alias, whatever its case, then the others, each by utility."""
    wanted = {shadow(word) for word in words}

    def place(entity: Entity) -> int:
        if shadow(entity.name) in wanted:
            return 0
        return 1 if any(shadow(alias) in wanted for alias in entity.aliases) else 2

    return sorted(by_utility(entities), key=place)


def by_confidence(edges: Iterable[Relationship]) -> list[Relationship]:
    """Return edges, the surest first, then by id."""
    return sorted(edges, key=lambda edge: (-edge.confidence, edge.link.id))


async def edges_at(graph: Graph, ids: Collection[str], types: Collection[str] | None = None) -> list[Edge]:
    """Return the surest edges at entities, up to 256 each, each once; `types` as stored."""
    edges: dict[str, Edge] = {}
    for some in _portions(ids):
        expansion = await graph.expand(some, types=types, limit_per_node=FIRST_LOOK)
        edges.update({edge.id: edge for found in expansion.edges.values() for edge in found})
    return list(edges.values())


async def edges_among(graph: Graph, ids: Collection[str]) -> list[Relationship]:
    """Return all edges that have both ends among `ids`, the surest first."""
    known = set(ids)
    edges: dict[str, Edge] = {}

    async def look(at: Collection[str], direction: Direction, limit: int) -> set[str]:
        """Gather edges, and return the entities that have more of them."""
        cut: set[str] = set()
        for some in _portions(at):
            expansion = await graph.expand(some, direction=direction, limit_per_node=limit)
            found = (edge for of_one in expansion.edges.values() for edge in of_one)
            edges.update({edge.id: edge for edge in found if edge.source in known and edge.target in known})
            cut |= expansion.truncated
        return cut

    # Each such edge leaves one of them, and there are far fewer that leave a hub than that come in.
    cut = await look(known, "out", FIRST_LOOK)
    # One that its source did not show is shown by its target, unless the edges of that were cut, too.
    if cut and (cut_too := await look(known, "in", FIRST_LOOK)) and len(cut | cut_too) > 1:
        await look(cut, "out", WHOLE_LOOK)
    return by_confidence(relationship_in(edge) for edge in edges.values())


async def edges_between(graph: Graph, centre: str, others: Collection[str]) -> list[Edge]:
    """Return every edge between an entity and some others, whatever its degree: their ids follow from ends and type."""
    ends = [pair for other in others for pair in ((centre, other), (other, centre))]
    ids = [relationship_id(*pair, kind) for pair in ends for kind in RELATION_TYPES]
    found = await graph.get_edges([EdgeId(id_) for id_ in ids])
    return list(found.values())


async def _read_lately(
    graph: Graph, accesses: Accesses, noted: Sequence[str], channel: str, limit: int
) -> Collection[Node]:
    """Return at least the last `limit` nodes of a channel whose reads were still in memory, or all there are."""
    ids = [NodeId(id_) for id_ in noted]
    enough = min(limit, len(ids))
    # What was read at one moment stands in no order yet, so it is taken as a whole.
    while 0 < enough < len(ids) and accesses.unrecorded(ids[enough])[1] == accesses.unrecorded(ids[enough - 1])[1]:
        enough += 1
    found: list[Node] = []
    for some in (ids[:enough], ids[enough:]):
        if len(found) < limit and some:
            nodes = await graph.get_nodes(some)
            found += [node for node in nodes.values() if node.fields["channel"] == channel]
    return found


def _merged(accesses: Accesses, *parts: Iterable[Node]) -> list[Entity]:
    nodes = {node.id: node for part in parts for node in part}
    return [accesses.shown(entity_in(node)) for node in nodes.values()]


def _portions(ids: Collection[str]) -> list[list[NodeId]]:
    ordered = [NodeId(id_) for id_ in sorted(ids)]
    return [ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE)]
