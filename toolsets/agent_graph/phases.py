"""What each context holds: the part of the graph for keywords, and the one for each of the five phases."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, TypeAlias

from backends.ports.filters import Filter
from backends.ports.graph import Graph
from backends.ports.text import shadow
from backends.ports.values import NodeId
from toolsets.agent_graph import queries
from toolsets.agent_graph.accesses import Accesses
from toolsets.agent_graph.entity import FIRST_UTILITY, Entity
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.projections import ENTITY, entity_in, relationship_in
from toolsets.agent_graph.relationship import Relationship

Phase: TypeAlias = Literal["observation", "reasoning", "planning", "action", "reflection"]

PER_WORD = 10
"""Entities taken for one keyword, the most useful ones; those that it names in full are taken besides."""
MOST = 50
"""Entities in a context."""
USEFUL = 10
LATEST = 20
SEEDS = 5
"""Entities to begin with where a call names none; also how many of those it names are joined by paths."""
REACH = 2
LONGEST_PATH = 5
MAX_WORDS = 20
_NAMED = 3

NEEDED: tuple[RelationType, ...] = ("DEPENDS_ON", "BLOCKS", "USES")
APPLIED: tuple[RelationType, ...] = ("USES", "REFERENCES")
TOOLS: tuple[EntityType, ...] = ("technology", "document")

_WORD = re.compile(r"[^\W_][\w.+#-]*[\w+#]")
_SHORT = 2
_KATAKANA = re.compile(r"[\u30a0-\u30ff]+")
_HAN = "\u3400-\u9fff\U00020000-\U0003ffff"
_UNPARTED = re.compile(rf"[\u30a0-\u30ff\uac00-\ud7af{_HAN}]")
"""Katakana, Hangul (whose words carry their particles) and Chinese characters."""
# Hiragana is left out: what stands in it alone is mostly grammar.
_RUNS = re.compile(rf"[\u30a0-\u30ff]+|[\uac00-\ud7af]+|[{_HAN}]+|[A-Za-z0-9_][\w.+#-]*?(?=[^\x00-\x7f]|$)")
_COMMON = frozenset(
    "about after again also and any are before but can could did does for from had has have how into its let make may"
    " more must new not now of off one only other our out over please should some such than that the their them then"
    " there these they this those through to under use was were what when where which while who why will with would"
    " you your".split()
)


@dataclass(frozen=True, slots=True)
class Focus:
    """What a phase is about: a channel, entities named by the call, and the task in words."""

    channel: str
    seeds: tuple[Entity, ...]
    task: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the graph, and what it is in a sentence."""

    entities: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Context:
    """What bears on keywords or a task, the most useful entities, and the edges among all."""

    entities: tuple[Entity, ...]
    useful: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]


async def context(graph: Graph, accesses: Accesses, channel: str, keywords: Sequence[str], task: str | None) -> Context:
    """Return the context of keywords and a task: what a keyword names in full first, then by utility."""
    found = await _matching(graph, accesses, channel, keywords)
    if task is not None:
        found += await _where(graph, accesses, queries.in_channel(channel, queries.from_source(task)))
    entities = _first(queries.by_relevance(found, keywords), MOST)
    useful = await queries.most_useful(graph, accesses, channel, USEFUL)
    among = {entity.id for entity in (*entities, *useful)}
    return Context(entities, tuple(useful), tuple(await queries.edges_among(graph, among)))


async def part_for(phase: Phase, graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Return what a phase needs."""
    return await _PARTS[phase](graph, accesses, focus)


def words_of(task: str) -> tuple[str, ...]:
    """Return the words of a task worth looking up, each once, the first twenty, in their order.

    Of two letters only what does not look like an ordinary word: Go, C#. Chinese, Japanese and Korean are looked up in
    pairs of neighbours, as no spaces tell where a name begins; Katakana in whole runs.
    """
    words: dict[str, str] = {}
    for word in chain.from_iterable(_parts(word) for word in _WORD.findall(task)):
        if (len(word) > _SHORT or not word.islower()) and shadow(word) not in _COMMON:
            words.setdefault(shadow(word), word)
        if len(words) == MAX_WORDS:
            break
    return tuple(words.values())


def _parts(word: str) -> Iterator[str]:
    """Yield a word, or what stands for its words when its script does not part them."""
    if not _UNPARTED.search(word):
        yield word
        return
    for run in _RUNS.findall(word):
        if len(run) <= _SHORT or not _UNPARTED.search(run) or _KATAKANA.fullmatch(run):
            yield from (run,) if len(run) > 1 else ()
        else:
            yield from (run[start : start + _SHORT] for start in range(len(run) - 1))


async def _observation(graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Take what the task's words name, and what was read last."""
    matching = await _matching(graph, accesses, focus.channel, words_of(focus.task))
    recent = await queries.last_read(graph, accesses, focus.channel, USEFUL)
    entities = _first((*focus.seeds, *matching, *recent), MOST)
    summary = f"{len(matching)} entities match the task; {len(recent)} were read lately"
    return await _with_edges(graph, entities, summary)


async def _reasoning(graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Take what lies around the seeds, and the paths that join them."""
    seeds = await _seeds(graph, accesses, focus)
    near: list[str] = []
    for seed in seeds:
        walk = await graph.walk(NodeId(seed.id), max_depth=REACH, limit=MOST)
        near += [step.node for step in walk.steps]
    paths = 0
    between: list[str] = []
    for one, other in combinations(seeds[:SEEDS], 2):
        path = await graph.shortest_path(NodeId(one.id), NodeId(other.id), max_hops=LONGEST_PATH)
        if path is not None:
            paths += 1
            between += path.nodes
    joining = await queries.entities_of(graph, accesses, between)
    around = await queries.entities_of(graph, accesses, near)
    entities = _first((*seeds, *joining, *around), MOST)
    summary = f"{len(entities)} entities within {REACH} steps; {paths} paths join those that were named"
    return await _with_edges(graph, entities, summary)


async def _planning(graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Take what the seeds need, what blocks them and what they use, and the most useful entities."""
    seeds = await _seeds(graph, accesses, focus)
    edges = await _edges(graph, seeds, NEEDED)
    useful = await queries.most_useful(graph, accesses, focus.channel, USEFUL)
    ends = await queries.entities_of(graph, accesses, _ends(edges))
    entities = _first((*seeds, *ends, *useful), MOST)
    counts = {kind: sum(edge.link.kind == kind for edge in edges) for kind in NEEDED}
    summary = f"{counts['DEPENDS_ON']} dependencies, {counts['BLOCKS']} blockers, {counts['USES']} resources in use"
    return Part(entities, _inside(edges, entities), summary)


async def _action(graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Take the tools and documents at hand, and what the seeds use or refer to."""
    matching = await _matching(graph, accesses, focus.channel, words_of(focus.task))
    useful = await queries.most_useful(graph, accesses, focus.channel, USEFUL, TOOLS)
    tools = [entity for entity in (*matching, *useful) if entity.type in TOOLS]
    edges = await _edges(graph, (*focus.seeds, *tools), APPLIED)
    # Around what the call names everything counts; around tools in general only other tools do.
    named = {seed.id for seed in focus.seeds}
    touching = [edge for edge in edges if {edge.link.source_id, edge.link.target_id} & named] if named else edges
    ends = await queries.entities_of(graph, accesses, _ends(touching))
    entities = _first((*focus.seeds, *tools, *ends), MOST)
    kinds = {kind: sum(entity.type == kind for entity in entities) for kind in TOOLS}
    summary = f"{kinds['technology']} technologies and {kinds['document']} documents to work with"
    return Part(entities, _inside(edges, entities), summary)


async def _reflection(graph: Graph, accesses: Accesses, focus: Focus) -> Part:
    """Take what changed last, and say which entities have helped and which have not."""
    latest = await queries.last_changed(graph, accesses, focus.channel, LATEST)
    entities = tuple(
        sorted(_first((*focus.seeds, *latest), MOST), key=lambda entity: (-entity.updated_at, entity.name, entity.id))
    )
    helped = [entity.name for entity in queries.by_utility(entities) if entity.utility > FIRST_UTILITY]
    failed = [entity.name for entity in reversed(queries.by_utility(entities)) if entity.utility < FIRST_UTILITY]
    summary = f"{len(entities)} entities changed last; {_outcome(helped, 'helped')}, {_outcome(failed, 'did not')}"
    return await _with_edges(graph, entities, summary)


_PARTS: Mapping[Phase, Callable[[Graph, Accesses, Focus], Awaitable[Part]]] = {
    "observation": _observation,
    "reasoning": _reasoning,
    "planning": _planning,
    "action": _action,
    "reflection": _reflection,
}


async def _seeds(graph: Graph, accesses: Accesses, focus: Focus) -> tuple[Entity, ...]:
    """Return the entities that the call names, else those its task names, else the most useful ones."""
    if focus.seeds:
        return focus.seeds
    matching = await _matching(graph, accesses, focus.channel, words_of(focus.task))
    return tuple((matching or await queries.most_useful(graph, accesses, focus.channel, SEEDS))[:SEEDS])


async def _matching(graph: Graph, accesses: Accesses, channel: str, words: Sequence[str]) -> list[Entity]:
    """Return what has the words in it: what one of them names in full first, then by utility."""
    nodes = await queries.mentioning(graph, channel, words, PER_WORD) if words else []
    return queries.by_relevance((accesses.shown(entity_in(node)) for node in nodes), words)


async def _where(graph: Graph, accesses: Accesses, where: Filter) -> list[Entity]:
    page = await graph.find(ENTITY, where, order=queries.BY_RANK, limit=MOST)
    return [accesses.shown(entity_in(node)) for node in page.items]


async def _edges(graph: Graph, at: Sequence[Entity], kinds: Sequence[RelationType]) -> list[Relationship]:
    types = [kind.lower() for kind in kinds]
    edges = await queries.edges_at(graph, {entity.id for entity in at}, types)
    return queries.by_confidence(relationship_in(edge) for edge in edges)


async def _with_edges(graph: Graph, entities: tuple[Entity, ...], summary: str) -> Part:
    edges = await queries.edges_among(graph, {entity.id for entity in entities})
    return Part(entities, tuple(edges), summary)


def _ends(edges: Iterable[Relationship]) -> list[str]:
    return [end for edge in edges for end in (edge.link.source_id, edge.link.target_id)]


def _inside(edges: Iterable[Relationship], entities: Iterable[Entity]) -> tuple[Relationship, ...]:
    ids = {entity.id for entity in entities}
    return tuple(edge for edge in edges if edge.link.source_id in ids and edge.link.target_id in ids)


def _first(entities: Iterable[Entity], limit: int) -> tuple[Entity, ...]:
    """Return the first `limit` different entities."""
    return tuple({entity.id: entity for entity in entities}.values())[:limit]


def _outcome(names: Sequence[str], word: str) -> str:
    if not names:
        return f"none {word}"
    return f"{len(names)} {word} ({', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''})"
