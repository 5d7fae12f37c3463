"""Fill a server through its own tools, many requests at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tests.bench.wordnet import Synset
from tests.support.raw import HttpCaller, structured

CONNECTIONS = 16

ItemT = TypeVar("ItemT")
EdgeT = TypeVar("EdgeT")
Job: TypeAlias = tuple[Sequence[ItemT], Callable[[HttpCaller, ItemT], Awaitable[None]]]
"""Items, and the call that each takes."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The ids of what was loaded by key, and how many entities and edges a second it was."""

    ids: Mapping[str, str]
    entities: float
    edges: float


async def load(port: int, synsets: Sequence[Synset]) -> Loaded:
    """Create a concept per synset and an edge per hypernym."""
    ids: dict[str, str] = {}

    async def create(caller: HttpCaller, synset: Synset) -> None:
        arguments = {"name": synset.name, "explanation": synset.gloss, "area": synset.area, "topic": "WordNet"}
        ids[synset.key] = str(checked(await caller.call("create_concept", arguments))["concept_id"])

    async def relate(caller: HttpCaller, ends: tuple[str, str]) -> None:
        source, target = (ids[end] for end in ends)
        arguments = {"source_id": source, "target_id": target, "relationship_type": "includes"}
        checked(await caller.call("create_relationship", arguments))

    known = {synset.key for synset in synsets}
    edges = [(above, synset.key) for synset in synsets for above in set(synset.hypernyms) if above in known]
    return Loaded(ids, *await fill(port, "knowledge", (synsets, create), (edges, relate)))


async def fill(port: int, toolset: str, entities: Job[ItemT], edges: Job[EdgeT]) -> tuple[float, float]:
    """Create all entities, then all edges; return how many of each a second."""
    began = time.perf_counter()
    await _in_parallel(port, toolset, *entities)
    created = time.perf_counter()
    await _in_parallel(port, toolset, *edges)
    related = time.perf_counter()
    return len(entities[0]) / (created - began), len(edges[0]) / max(related - created, 1e-9)


def checked(response: bytes) -> Mapping[str, object]:
    """Return the structured content. Raises for an error reply."""
    content = structured(response)
    if not content.get("success"):
        raise RuntimeError(str(content))
    return content


async def _in_parallel(
    port: int, toolset: str, items: Iterable[ItemT], work: Callable[[HttpCaller, ItemT], Awaitable[None]]
) -> None:
    remaining = iter(items)

    async def lane() -> None:
        caller = HttpCaller("127.0.0.1", port, f"/mcp/{toolset}")
        for item in remaining:
            await work(caller, item)
        await caller.close()

    await asyncio.gather(*(lane() for _ in range(CONNECTIONS)))
