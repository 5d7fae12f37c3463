"""Fill a server with WordNet through its own tools, many requests at a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from tests.bench.wordnet import Synset
from tests.support.raw import HttpCaller, structured

CONNECTIONS = 16

ItemT = TypeVar("ItemT")


async def load(host: str, port: int, synsets: list[Synset]) -> tuple[dict[str, str], float, float]:
    """Create a concept per synset and an edge per hypernym; return ids by key, and both rates per second."""
    ids: dict[str, str] = {}

    async def create(caller: HttpCaller, synset: Synset) -> None:
        arguments = {"name": synset.name, "explanation": synset.gloss, "area": synset.area, "topic": "WordNet"}
        ids[synset.key] = str(checked(await caller.call("create_concept", arguments))["concept_id"])

    async def relate(caller: HttpCaller, ends: tuple[str, str]) -> None:
        arguments = {"source_id": ends[0], "target_id": ends[1], "relationship_type": "includes"}
        checked(await caller.call("create_relationship", arguments))

    began = time.perf_counter()
    await _in_parallel(host, port, synsets, create)
    created = time.perf_counter()
    edges = [(ids[above], ids[synset.key]) for synset in synsets for above in set(synset.hypernyms) if above in ids]
    await _in_parallel(host, port, edges, relate)
    related = time.perf_counter()
    return ids, len(synsets) / (created - began), len(edges) / max(related - created, 1e-9)


def checked(response: bytes) -> Mapping[str, object]:
    """Return the structured content. Raises for an error reply."""
    content = structured(response)
    if not content.get("success"):
        raise RuntimeError(str(content))
    return content


async def _in_parallel(
    host: str, port: int, items: Iterable[ItemT], work: Callable[[HttpCaller, ItemT], Awaitable[None]]
) -> None:
    remaining = iter(items)

    async def lane() -> None:
        caller = HttpCaller(host, port, "/mcp/knowledge")
        for item in remaining:
            await work(caller, item)
        await caller.close()

    await asyncio.gather(*(lane() for _ in range(CONNECTIONS)))
