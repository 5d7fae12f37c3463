"""What is measured: a toolset, the data it is filled with, and the questions put to it."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from tests.bench.debian import Thing, things
from tests.bench.loading import Loaded, load
from tests.bench.packages import AgentGraphQuestions, MemoryQuestions, load_agent_graph, load_memory
from tests.bench.questions import Question, Questions
from tests.bench.wordnet import synsets
from tests.support.servers import ours_http_from_nothing

ItemT = TypeVar("ItemT")


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
    load: Callable[[int, Sequence[ItemT]], Awaitable[Loaded]]
    questions: Callable[[Sequence[ItemT], Mapping[str, str]], Asking]
    embedding: frozenset[str] = frozenset()

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
            async with ours_http_from_nothing(directory, toolsets=self.toolset) as server:
                loaded = await self.load(server.port, items)
            listing.write_text(json.dumps(loaded.ids), encoding="utf-8")
            embedded = " with embedding" if self.embedding else ""
            rates = f"{loaded.entities:.0f} entities/s{embedded}, {loaded.edges:.0f} edges/s"
            print(f"{self.toolset}: loaded {len(items)}: {rates}, 16 connections", flush=True)
        return dict(json.loads(listing.read_text(encoding="utf-8")))


def _things(size: int) -> Sequence[Thing]:
    return things()[:size]


KNOWLEDGE: Measured = Subject(
    "knowledge",
    "wordnet",
    synsets,
    load,
    Questions,
    frozenset(("search_concepts_semantic", "create_concept")),
)
MEMORY: Measured = Subject(
    "memory",
    "debian-memory",
    _things,
    load_memory,
    MemoryQuestions,
    frozenset(("semantic_search", "create_entity", "add_observations")),
)
AGENT_GRAPH: Measured = Subject("agent_graph", "debian-agent_graph", _things, load_agent_graph, AgentGraphQuestions)
SUBJECTS: Mapping[str, Measured] = {subject.toolset: subject for subject in (KNOWLEDGE, MEMORY, AGENT_GRAPH)}
