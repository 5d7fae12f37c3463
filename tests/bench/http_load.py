"""Fill a server through its own tools, many requests at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tests.bench.wordnet import Synset
from tests.support.raw import HttpCaller, structured
from tests.support.servers import Running

CONNECTIONS = 16

ItemT = TypeVar("ItemT")
EdgeT = TypeVar("EdgeT")
Job: TypeAlias = tuple[Sequence[ItemT], Callable[[HttpCaller, ItemT], Awaitable[None]]]
"""Items, and the call that each takes."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many calls a second there were, and what each took of the server's processor time."""

    per_s: float
    cpu_ms: float

    def __str__(self) -> str:
        """Return it for people."""
        return f"{self.per_s:.0f}/s, {self.cpu_ms:.1f} ms of processor time each"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The ids of what was loaded by key, and how fast entities and edges went."""

    ids: Mapping[str, str]
    entities: Rate
    edges: Rate


async def load(server: Running, synsets: Sequence[Synset]) -> Loaded:
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
    return Loaded(ids, *await fill(server, (synsets, create), (edges, relate)))


async def fill(server: Running, entities: Job[ItemT], edges: Job[EdgeT]) -> tuple[Rate, Rate]:
    """Create all entities, then all edges; return how fast each went."""
    return await _in_parallel(server, *entities), await _in_parallel(server, *edges)


def checked(response: bytes) -> Mapping[str, object]:
    """Return the structured content. Raises for an error reply."""
    content = structured(response)
    if not content.get("success"):
        raise RuntimeError(str(content))
    return content


async def _in_parallel(
    server: Running, items: Sequence[ItemT], work: Callable[[HttpCaller, ItemT], Awaitable[None]]
) -> Rate:
    remaining = iter(items)

    async def lane() -> None:
        caller = server.caller()
        for item in remaining:
            await work(caller, item)

    began, spent = time.perf_counter(), server.cpu_s()
    await asyncio.gather(*(lane() for _ in range(CONNECTIONS)))
    calls = max(len(items), 1)
    return Rate(calls / (time.perf_counter() - began), (server.cpu_s() - spent) / calls * 1_000)
