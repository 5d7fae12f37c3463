"""Chooses the entities and relationships of a context: for keywords, for a task, and for each of the five phases."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, TypeAlias
from unicodedata import category

from backends.ports.graph import Edge, Graph
from backends.ports.text import normalized, shadow
from backends.ports.values import NodeId
from toolsets.agent_graph import queries
from toolsets.agent_graph.entity import FIRST_UTILITY, Entity
from toolsets.agent_graph.extraction.model import EntityType, RelationType
from toolsets.agent_graph.projections import BY_RANK, ENTITY, relationship_in
from toolsets.agent_graph.read_counts import ReadCounts
from toolsets.agent_graph.relationship import Relationship
from toolsets.replies import counted

Phase: TypeAlias = Literal["observation", "reasoning", "planning", "action", "reflection"]

PER_WORD = 10
"""The most entities for one keyword, the most useful first. Entities that it names in full are added."""
MOST = 50
"""The most entities that a context holds."""
USEFUL = 10
"""The most useful entities that a context adds: with more it says less about its task."""
MAX_LAST_CHANGED = 20
"""The entities of a reflection; with more, the last outcomes get lost among older ones."""
SEEDS = 5
"""Entities to start from when a call names none, and the most entities of a call that are joined by paths."""
REACH = 2
MOST_REACHED = 1_000
"""The most entities within `REACH` of one entity that are counted."""
LONGEST_PATH = 5
"""As far as `kg_find_path` searches by default."""
MAX_WORDS = 20
"""Each word of a task is looked up by itself; a longer task is known by its first words."""
_NAMED = 3
"""The names in a sentence; the reply lists the entities besides."""

NEEDED: tuple[RelationType, ...] = ("DEPENDS_ON", "BLOCKS", "USES")
APPLIED: tuple[RelationType, ...] = ("USES", "REFERENCES")
TOOLS: tuple[EntityType, ...] = ("technology", "document")

_MARKS = "".join(chr(n) for n in (*range(0x300, 0x1B00), *range(0xA800, 0xAC00)) if category(chr(n)).startswith("M"))
"""Vowel signs and accents; they belong to the word, though `\\w` does not match them."""
_WORD = re.compile(rf"[^\W_][\w.+#{_MARKS}-]*[\w+#{_MARKS}]")
_SHORT = 2
"""Words of so few small letters, such as "of", name nothing; scripts without spaces are looked up in pieces of two signs."""
_KATAKANA = re.compile(r"[\u30a0-\u30ff]+")
_HAN = "\u3400-\u9fff\U00020000-\U0003ffff"
_UNPARTED = re.compile(rf"[\u30a0-\u30ff\uac00-\ud7af{_HAN}]")
"""Katakana, Hangul (whose words carry their particles) and Chinese characters."""
# Hiragana is left out: words written in it alone are mostly grammar.
_RUNS = re.compile(rf"[\u30a0-\u30ff]+|[\uac00-\ud7af]+|[{_HAN}]+|[A-Za-z0-9_][\w.+#-]*?(?=[^\x00-\x7f]|$)")
_COMMON = frozenset(
    "about after again also and any are before but can could did does for from had has have how into its let make may"
    " more must new not now of off one only other our out over please should some such than that the their them then"
    " there these they this those through to under use was were what when where which while who why will with would"
    " you your".split()
)


@dataclass(frozen=True, slots=True)
class Focus:
    """The input of a phase: a channel, the entities that the call names, and the text of the task."""

    channel: str
    seeds: tuple[Entity, ...]
    task: str


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A part of the graph, and the function that summarises in one sentence those of its entities that are shown."""

    entities: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]
    summary_of: Callable[[Sequence[Entity]], str]
    ranked: frozenset[str] = frozenset()
    """Ids of entities chosen only for their rank by utility or last read; showing them is not counted as a read."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Entities that match some words, the most relevant first; `total` also counts those that the limits cut."""

    entities: tuple[Entity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Context:
    """The entities that match keywords or a task, the most useful entities, and the edges among all of them."""

    entities: tuple[Entity, ...]
    useful: tuple[Entity, ...]
    relationships: tuple[Relationship, ...]
    total: int
    """The number of entities found, including those that a limit cut from `entities`."""


async def context(
    graph: Graph, read_counts: ReadCounts, channel: str, keywords: Sequence[str], task: str | None
) -> Context:
    """Return the context of keywords and a task: entities that a keyword names in full first, the others by utility."""
    matches = await _matching(graph, read_counts, channel, keywords)
    found, total = list(matches.entities), matches.total
    if task is not None:
        of_task = await _from_source(graph, read_counts, channel, task)
        found += of_task.entities
        total = len({entity.id for entity in found})
        if matches.total > len(matches.entities) or of_task.total > len(of_task.entities):
            # A limit cut one of the lists, so which entities are in both is not known.
            total = matches.total + await queries.count_in_source_only(graph, channel, task, keywords)
    entities = _first(await queries.by_relevance(found, keywords), MOST)
    useful = await queries.most_useful(graph, read_counts, channel, USEFUL)
    edges = await queries.edges_among(graph, (*entities, *useful))
    return Context(entities, tuple(useful), tuple(edges), total)


async def subgraph_for(phase: Phase, graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return the entities and relationships that a phase needs. Raises the store's error."""
    return await _PARTS[phase](graph, read_counts, focus)


def cut_note(total: int, shown: int) -> str:
    """Return the note that a message ends in when a limit cut the result, an empty text otherwise."""
    return f" ({total} found, the {shown} most useful shown)" if total > shown else ""


def words_of(task: str) -> tuple[str, ...]:
    """Return the first twenty words of a task that are worth looking up, each once, in the order of the text.

    A word of two letters counts only when it does not look like an ordinary word: Go, C#. Chinese, Japanese and Korean
    have no spaces that show where a name begins, so they are looked up as pairs of neighbouring characters, and Katakana
    as whole runs.
    """
    words: dict[str, str] = {}
    for word in chain.from_iterable(_parts(word) for word in _WORD.findall(normalized(task, "NFC"))):
        if (len(word) > _SHORT or not word.islower()) and shadow(word) not in _COMMON:
            words.setdefault(shadow(word), word)
        if len(words) == MAX_WORDS:
            break
    return tuple(words.values())


def _parts(word: str) -> Iterator[str]:
    """Yield a word, or the runs and pairs that stand for its words in a script without spaces."""
    if not _UNPARTED.search(word):
        yield word
        return
    for run in _RUNS.findall(word):
        if len(run) <= _SHORT or not _UNPARTED.search(run) or _KATAKANA.fullmatch(run):
            yield from (run,) if len(run) > 1 else ()
        else:
            yield from (run[start : start + _SHORT] for start in range(len(run) - 1))


async def _observation(graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return the entities that the words of the task name, and the entities that were read last."""
    words = words_of(focus.task)
    matching = await _matching(graph, read_counts, focus.channel, words)
    recent = await queries.last_read(graph, read_counts, focus.channel, USEFUL)
    entities = _first((*focus.seeds, *matching.entities, *recent), MOST)
    matching_ids, recent_ids = ({entity.id for entity in some} for some in (matching.entities, recent))
    if matching.total > len(matching.entities):
        others = [seed for seed in focus.seeds if seed.id not in matching_ids]
        matching_ids |= await queries.mentioned(others, words)

    def summary_of(shown: Sequence[Entity]) -> str:
        match = "entity matches" if matching.total == 1 else "entities match"
        cut = cut_note(matching.total, sum(entity.id in matching_ids for entity in shown))
        read = sum(entity.id in recent_ids for entity in shown)
        return f"{matching.total} {match} the task{cut}; {read} {'was' if read == 1 else 'were'} read lately"

    return await _with_edges(graph, entities, summary_of, ranked=_only_in(recent, (*focus.seeds, *matching.entities)))


async def _reasoning(graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return the neighbourhood of the seeds, and the paths that join them."""
    seeds, ranked = await _seeds(graph, read_counts, focus)
    near: list[str] = []
    reached = {seed.id for seed in seeds}
    for seed in seeds:
        walk = await graph.walk(NodeId(seed.id), max_depth=REACH, limit=MOST_REACHED)
        near += [step.node for step in walk.steps[:MOST]]
        reached.update(step.node for step in walk.steps)
    paths = 0
    between: list[str] = []
    for one, other in combinations(seeds[:SEEDS], 2):
        path = await graph.shortest_path(NodeId(one.id), NodeId(other.id), max_hops=LONGEST_PATH)
        if path is not None:
            paths += 1
            between += path.nodes
    found = await queries.entities_of(graph, read_counts, (*between, *near))
    on_paths = set(between)
    joining = [entity for entity in found if entity.id in on_paths]
    entities = _first((*seeds, *joining, *found), MOST)
    total = len(reached | {entity.id for entity in joining})

    def summary_of(shown: Sequence[Entity]) -> str:
        join = "path joins" if paths == 1 else "paths join"
        cut = cut_note(total, len(shown))
        return f"{counted(total, 'entity', 'entities')} within {REACH} steps{cut}; {paths} {join} those that were named"

    return await _with_edges(graph, entities, summary_of, ranked=ranked)


async def _planning(graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return what the seeds depend on, what blocks them, what they use, and the most useful entities."""
    seeds, ranked = await _seeds(graph, read_counts, focus)
    at = {seed.id for seed in seeds}
    edges = await queries.edges_at(graph, at, _stored(NEEDED))
    useful = await queries.most_useful(graph, read_counts, focus.channel, USEFUL)
    ends = await queries.entities_of(graph, read_counts, _ends(edges.first))
    entities = _first((*seeds, *ends, *useful), MOST)
    # An edge to what a seed needs leaves the seed, and an edge from a blocker enters it. The opposite directions describe
    # the needs of other entities.
    needed = Counter(edge.type for edge in edges.all if edge.source in at)
    blockers = sum(edge.type == "blocks" and edge.target in at for edge in edges.all)
    total = len({*at, *_ends(edges.all), *(entity.id for entity in useful)})

    def summary_of(shown: Sequence[Entity]) -> str:
        dependencies = counted(needed["depends_on"], "dependency", "dependencies")
        resources = counted(needed["uses"], "resource", "resources")
        counts = f"{dependencies}, {counted(blockers, 'blocker', 'blockers')}, {resources} in use"
        return counts + cut_note(total, len(shown))

    ranked |= _only_in(useful, (*seeds, *ends))
    shown = {entity.id for entity in entities}
    if edges.is_complete:
        among = (relationship_in(edge) for edge in edges.all if edge.source in shown and edge.target in shown)
        of_seeds = queries.by_confidence(among, entities)
    else:
        of_all = await queries.edges_among(graph, entities, _stored(NEEDED))
        of_seeds = [edge for edge in of_all if edge.key.source_id in at or edge.key.target_id in at]
    return Subgraph(entities, tuple(of_seeds), summary_of, ranked)


async def _action(graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return the available technologies and documents, and what the seeds use or refer to."""
    matching = await _matching(graph, read_counts, focus.channel, words_of(focus.task))
    useful = await queries.most_useful(graph, read_counts, focus.channel, USEFUL, TOOLS)
    tools = [entity for entity in (*matching.entities, *useful) if entity.type in TOOLS]
    # If the call names entities, what they use counts; otherwise the edges of all tools do.
    named = {seed.id for seed in focus.seeds}
    edges = await queries.edges_at(graph, named or {tool.id for tool in tools}, _stored(APPLIED))
    others = [edge.target for edge in edges.first if edge.source in named] if named else _ends(edges.first)
    ends = await queries.entities_of(graph, read_counts, others)
    entities = _first((*focus.seeds, *tools, *ends), MOST)

    def summary_of(shown: Sequence[Entity]) -> str:
        kinds = {kind: sum(entity.type == kind for entity in shown) for kind in TOOLS}
        technologies = counted(kinds["technology"], "technology", "technologies")
        return f"{technologies} and {counted(kinds['document'], 'document', 'documents')} to work with"

    ranked = _only_in(useful, (*focus.seeds, *matching.entities, *ends))
    return await _with_edges(graph, entities, summary_of, ranked, kinds=APPLIED)


async def _reflection(graph: Graph, read_counts: ReadCounts, focus: Focus) -> Subgraph:
    """Return the entities that changed last; the summary names those that helped and those that did not."""
    latest = await queries.last_changed(graph, read_counts, focus.channel, MAX_LAST_CHANGED)
    entities = tuple(
        sorted(_first((*focus.seeds, *latest), MOST), key=lambda entity: (-entity.updated_at, entity.name, entity.id))
    )

    def summary_of(shown: Sequence[Entity]) -> str:
        ranked = queries.by_utility(shown)
        helped = [entity.name for entity in ranked if entity.utility > FIRST_UTILITY]
        failed = [entity.name for entity in reversed(ranked) if entity.utility < FIRST_UTILITY]
        size = counted(len(shown), "entity", "entities")
        return f"{size} changed last; {_outcome(helped, 'helped')}, {_outcome(failed, 'did not')}"

    return await _with_edges(graph, entities, summary_of)


_PARTS: Mapping[Phase, Callable[[Graph, ReadCounts, Focus], Awaitable[Subgraph]]] = {
    "observation": _observation,
    "reasoning": _reasoning,
    "planning": _planning,
    "action": _action,
    "reflection": _reflection,
}


async def _seeds(graph: Graph, read_counts: ReadCounts, focus: Focus) -> tuple[tuple[Entity, ...], frozenset[str]]:
    """Return the entities that the call names, else those that its task names, else the most useful ones.

    The set holds the ids of entities that were chosen only because they are useful.
    """
    if focus.seeds:
        return focus.seeds, frozenset()
    matching = await _matching(graph, read_counts, focus.channel, words_of(focus.task))
    if matching.entities:
        return matching.entities[:SEEDS], frozenset()
    useful = await queries.most_useful(graph, read_counts, focus.channel, SEEDS)
    return tuple(useful), frozenset(entity.id for entity in useful)


async def _matching(graph: Graph, read_counts: ReadCounts, channel: str, words: Sequence[str]) -> Matches:
    """Return the entities that mention any of the words: those with a word as a whole name first, then by utility."""
    if not words:
        return Matches((), 0)
    mentions = await queries.mentioning(graph, channel, words, PER_WORD)
    entities = (read_counts.entity_in(node) for node in mentions.nodes)
    return Matches(tuple(await queries.by_relevance(entities, words)), mentions.total)


async def _from_source(graph: Graph, read_counts: ReadCounts, channel: str, source: str) -> Matches:
    where = queries.in_channel(channel, queries.from_source(source))
    page = await graph.find(ENTITY, where, order=BY_RANK, limit=MOST)
    total = len(page.items)
    if page.after is not None:
        total = sum(group.count for group in await graph.count_nodes(ENTITY, where=where))
    return Matches(tuple(read_counts.entity_in(node) for node in page.items), total)


async def _with_edges(
    graph: Graph,
    entities: tuple[Entity, ...],
    summary_of: Callable[[Sequence[Entity]], str],
    ranked: frozenset[str] = frozenset(),
    kinds: Collection[RelationType] | None = None,
) -> Subgraph:
    edges = await queries.edges_among(graph, entities, None if kinds is None else _stored(kinds))
    return Subgraph(entities, tuple(edges), summary_of, ranked)


def _only_in(entities: Iterable[Entity], others: Iterable[Entity]) -> frozenset[str]:
    """Return the ids of the entities that are not among the others."""
    return frozenset(entity.id for entity in entities) - {other.id for other in others}


def _ends(edges: Iterable[Edge]) -> list[str]:
    return [end for edge in edges for end in (edge.source, edge.target)]


def _stored(kinds: Iterable[RelationType]) -> list[str]:
    return [kind.lower() for kind in kinds]


def _first(entities: Iterable[Entity], limit: int) -> tuple[Entity, ...]:
    """Return the first `limit` entities, each once."""
    return tuple({entity.id: entity for entity in entities}.values())[:limit]


def _outcome(names: Sequence[str], word: str) -> str:
    if not names:
        return f"none {word}"
    return f"{len(names)} {word} ({', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''})"
