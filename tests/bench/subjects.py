"""What is measured: a toolset, the data it is filled with, and the questions put to it."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from tests.bench.debian import Thing, things
from tests.bench.documents import ConceptRagQuestions, documents, fill_concept_rag
from tests.bench.http_load import Loaded, load
from tests.bench.packages import AgentGraphQuestions, MemoryQuestions, load_agent_graph, load_memory
from tests.bench.questions import Question, Questions
from tests.bench.seed_data import fill_agent_graph, fill_memory
from tests.bench.support import SkillsQuestions, fill_skills, learned_text
from tests.bench.wordnet import synsets
from tests.support.servers import Running, ours_http_from_nothing

MOST_THROUGH_TOOLS = 10_000

ItemT = TypeVar("ItemT")
Passage: TypeAlias = Callable[[Mapping[str, object]], str]


class Asking(Protocol):
    """Endless arguments for each measured row."""

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        ...

    def new_text(self) -> str:
        """Return a text that no cache has seen."""
        ...


class Measured(Protocol):
    """A toolset that can be measured."""

    @property
    def toolset(self) -> str:
        """Its name."""
        ...

    @property
    def embedding(self) -> frozenset[str]:
        """The tools that embed a new text at each call."""
        ...

    @property
    def passages(self) -> Mapping[str, Passage]:
        """Of tools that embed something else than a new text: the text that a call embeds, from its arguments."""
        ...

    def directory(self, keep: Path, size: int) -> Path:
        """Return where the data of that size are kept."""
        ...

    async def asking(self, directory: Path, size: int) -> Asking:
        """Return questions to the data of that size, filling the directory if it is new."""
        ...


@dataclass(frozen=True, slots=True)
class Subject(Generic[ItemT]):
    """A toolset with its data."""

    toolset: str
    data: str
    items: Callable[[int], Sequence[ItemT]]
    load: Callable[[Running, Sequence[ItemT]], Awaitable[Loaded]]
    questions: Callable[[Sequence[ItemT], Mapping[str, str]], Asking]
    fill: Callable[[Path, Sequence[ItemT]], Awaitable[Mapping[str, str]]] | None = None
    """The way into the stores without a client, for what would take hours with one."""
    embedding: frozenset[str] = frozenset()
    passages: Mapping[str, Passage] = field(default_factory=dict[str, Passage])
    most_through_tools: int = MOST_THROUGH_TOOLS

    def directory(self, keep: Path, size: int) -> Path:
        """Return where the data of that size are kept."""
        return keep / f"{self.data}-{size}"

    async def asking(self, directory: Path, size: int) -> Asking:
        """Return questions to the data of that size, filling the directory if it is new."""
        items = self.items(size)
        return self.questions(items, await self._filled(directory, items))

    async def _filled(self, directory: Path, items: Sequence[ItemT]) -> Mapping[str, str]:
        listing = directory / "ids.json"
        if not listing.exists():
            directory.mkdir(parents=True, exist_ok=True)
            if self.fill is not None and len(items) > self.most_through_tools:
                began = time.perf_counter()
                ids = await self.fill(directory, items)
                took = f"{time.perf_counter() - began:.0f} s, in large steps without a client"
                print(f"{self.toolset}: filled with {len(items)} in {took}", flush=True)
            else:
                ids = await self._loaded(directory, items)
            listing.write_text(json.dumps(ids), encoding="utf-8")
        return dict(json.loads(listing.read_text(encoding="utf-8")))

    async def _loaded(self, directory: Path, items: Sequence[ItemT]) -> Mapping[str, str]:
        """Put the items through the tools, print how fast that was, and return their ids."""
        async with ours_http_from_nothing(directory, toolsets=self.toolset) as server:
            loaded = await self.load(server, items)
        embedded = " (with embedding)" if self.embedding else ""
        print(f"{self.toolset}: {len(items)} entities{embedded} over 16 connections: {loaded.entities}")
        print(f"{self.toolset}: their edges: {loaded.edges}", flush=True)
        return loaded.ids


async def _refuse(server: Running, items: Sequence[object]) -> Loaded:
    raise NotImplementedError("these are filled without a client")


def _things(size: int) -> Sequence[Thing]:
    return things()[:size]


KNOWLEDGE: Measured = Subject(
    "knowledge",
    "wordnet",
    synsets,
    load,
    Questions,
    None,
    frozenset(("search_concepts_semantic", "create_concept")),
)
MEMORY: Measured = Subject(
    "memory",
    "debian-memory",
    _things,
    load_memory,
    MemoryQuestions,
    fill_memory,
    frozenset(("semantic_search", "create_entity", "add_observations")),
)
AGENT_GRAPH: Measured = Subject(
    "agent_graph", "debian-agent_graph", _things, load_agent_graph, AgentGraphQuestions, fill_agent_graph
)
SKILLS: Measured = Subject(
    "skills",
    "debian-skills",
    _things,
    _refuse,
    SkillsQuestions,
    fill_skills,
    frozenset(("search_skills", "/search")),
    {"create_skill": learned_text, "/create": learned_text},
    # Most of the conversations are too much alike to become skills of their own.
    most_through_tools=0,
)
CONCEPT_RAG: Measured = Subject(
    "concept_rag",
    "documents",
    documents,
    _refuse,
    ConceptRagQuestions,
    fill_concept_rag,
    frozenset(("catalog_search", "broad_chunks_search", "chunks_search", "concept_search", "extract_concepts")),
    # Documents come in by a command.
    most_through_tools=0,
)
SUBJECTS: Mapping[str, Measured] = {
    subject.toolset: subject for subject in (KNOWLEDGE, MEMORY, AGENT_GRAPH, SKILLS, CONCEPT_RAG)
}
