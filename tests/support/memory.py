"""The memory tools as tests of running servers use them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from backends.ports.values import JsonObject
from tests.support import commands
from tests.support.knowledge import ask, part, rows
from tests.support.raw import Caller


def settings(folder: Path, *databases: str) -> tuple[str, str]:
    """Write settings that name databases besides the primary one; return the flags that choose them."""
    path = folder / "memory.toml"
    path.write_text(f"[toolsets.memory]\ndatabases = {json.dumps(databases)}\n", encoding="utf-8")
    return "--config", str(path)


async def store(caller: Caller, database: str, name: str, *observations: str) -> JsonObject:
    """Create an entity."""
    arguments = {"database": database, "name": name, "entity_type": "thing", "observations": list(observations)}
    return await ask(caller, "create_entity", arguments)


async def link(
    caller: Caller, database: str, source: str, target: str, tool: str = "create_relationship"
) -> JsonObject:
    """Create a relationship."""
    ends = {"database": database, "from_entity": source, "to_entity": target, "relationship_type": "KNOWS"}
    return await ask(caller, tool, ends)


async def names(caller: Caller, database: str, query: str, limit: int = 1_000) -> list[str]:
    """Return the names that a search by words finds."""
    found = await ask(caller, "search_entities", {"database": database, "query": query, "limit": limit})
    return [str(row["name"]) for row in rows(found, "entities")]


async def similar(caller: Caller, database: str, query: str) -> list[str]:
    """Return the names that a search by meaning finds, the closest ten."""
    found = await ask(caller, "semantic_search", {"database": database, "query": query, "threshold": 0.0})
    return [str(row["name"]) for row in rows(found, "entities")]


async def totals(caller: Caller) -> Mapping[str, tuple[int, int]]:
    """Return entities and relationships of each database."""
    found = part(await ask(caller, "get_graph_summary"), "databases")
    counts = {name: cast("Mapping[str, int]", each) for name, each in found.items()}
    return {name: (each["entities"], each["relationships"]) for name, each in counts.items()}


async def entrepot(*words: str) -> tuple[int, str]:
    """Run the command line; return exit code and what it says."""
    done = await commands.entrepot(*words)
    return done.returncode, done.stdout + done.stderr


def lines(said: str) -> Sequence[str]:
    """Return what a command said, a line each."""
    return said.strip().splitlines()
