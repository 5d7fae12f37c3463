"""The agent_graph tools as tests of running servers use them."""

from backends.ports.values import JsonObject
from tests.support.knowledge import ask, part, rows
from tests.support.raw import Caller


async def create(caller: Caller, name: str, kind: str = "technology", **more: object) -> str:
    """Create an entity; return its id."""
    return str(part(await succeeded(caller, "kg_create_entity", name=name, type=kind, **more), "entity")["id"])


async def link(caller: Caller, source: str, target: str, kind: str = "RELATED_TO", **more: object) -> str:
    """Create a relationship; return its id."""
    ends = {"fromEntityId": source, "toEntityId": target, "type": kind, **more}
    return str(part(await succeeded(caller, "kg_create_relationship", **ends), "relationship")["id"])


async def found(caller: Caller, name: str, **more: object) -> list[str]:
    """Return the names of the entities that a search by name finds, up to 50."""
    reply = await succeeded(caller, "kg_find_entity", name=name, limit=50, **more)
    return [str(row["name"]) for row in rows(reply, "entities")]


async def succeeded(caller: Caller, tool: str, **arguments: object) -> JsonObject:
    """Call a tool that must succeed."""
    reply = await ask(caller, tool, arguments)
    assert reply["success"], reply
    return reply
