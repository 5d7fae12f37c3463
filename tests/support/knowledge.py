"""A raw client's view of the knowledge tools, for tests that need many calls or a server that dies."""

import asyncio
import json
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import TypeVar, cast

from backends.ports.values import JsonObject
from tests.support.raw import Caller

PATIENCE_S = 20.0
ResultT = TypeVar("ResultT")


async def together(calls: Iterable[Coroutine[None, None, ResultT]]) -> list[ResultT]:
    """Return what concurrent calls return, in order; when one fails the others have ended too, and nothing is left open."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(call) for call in calls]
    return [task.result() for task in tasks]


async def ask(caller: Caller, tool: str, arguments: Mapping[str, object] | None = None) -> JsonObject:
    """Return the structured reply, success or error envelope."""
    return part(await result_of(caller, tool, arguments), "structuredContent")


async def result_of(caller: Caller, tool: str, arguments: Mapping[str, object] | None = None) -> JsonObject:
    """Return the whole result of a call: structured reply, text, metadata."""
    response = json.loads(await caller.call(tool, arguments or {}))
    return cast("JsonObject", response["result"])


def part(reply: JsonObject, key: str) -> JsonObject:
    """Return an object within a reply."""
    return cast("JsonObject", reply[key])


def rows(reply: JsonObject, key: str = "results") -> Sequence[JsonObject]:
    """Return a list of objects within a reply."""
    return cast("Sequence[JsonObject]", reply[key])


async def create(caller: Caller, name: str, **more: object) -> JsonObject:
    """Create a concept whose explanation says its name."""
    return await ask(caller, "create_concept", {"name": name, "explanation": f"All about {name}.", **more})


async def names_in(caller: Caller, area: str) -> list[str]:
    """Return the names that an exact search finds in an area, at most 100."""
    found = await ask(caller, "search_concepts_exact", {"area": area, "limit": 100})
    return sorted(str(row["name"]) for row in rows(found))


async def outbox(caller: Caller) -> tuple[int, int]:
    """Return how many projections are pending and how many failed."""
    counts = part(await ask(caller, "get_server_stats"), "outbox")
    return int(str(counts["pending"])), int(str(counts["failed"]))


async def drained(caller: Caller) -> None:
    """Wait until nothing is pending and nothing failed. Raises `TimeoutError` after 20 s."""
    async with asyncio.timeout(PATIENCE_S):
        while await outbox(caller) != (0, 0):
            await asyncio.sleep(0.05)
