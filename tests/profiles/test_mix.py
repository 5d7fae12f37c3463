"""Two toolsets of one server stand on different engines, and neither store sees what the other keeps."""

from collections.abc import Mapping
from pathlib import Path

from contracts.servers import Combination
from tests.support.knowledge import ask, create, names_in, rows
from tests.support.memory import names, similar, store
from tests.support.servers import ours_http

APART: Mapping[str, str] = {
    "ENTREPOT_STORES__APART__KIND": "sqlite",
    "ENTREPOT_STORES__APART__DIRECTORY": "apart",
    "ENTREPOT_TOOLSETS__MEMORY__GRAPH": "apart",
    "ENTREPOT_TOOLSETS__MEMORY__VECTORS": "apart",
    "ENTREPOT_TOOLSETS__MEMORY__EVENTS": "apart",
}
"""Puts memory on SQLite files of its own; knowledge stays on the engines of the profile."""


async def test_two_toolsets_use_different_engines(
    engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    """Each toolset finds its own facts by words and by meaning, before and after a restart."""
    both = {**variables, **APART}
    for start in range(2):
        async with ours_http(
            tmp_path, "--profile", engines.profile, toolsets="knowledge,memory", variables=both
        ) as server:
            concepts, entities = server.caller("/mcp/knowledge"), server.caller("/mcp/memory")
            if start == 0:
                assert (await create(concepts, "kept by the profile", area="mix"))["success"]
                await store(entities, "memory", "kept apart", "It is in files of its own.")
            assert await names_in(concepts, "mix") == ["kept by the profile"]
            near = await ask(concepts, "search_concepts_semantic", {"query": "kept by the profile", "area": "mix"})
            assert [row["name"] for row in rows(near)] == ["kept by the profile"]
            assert await names(entities, "memory", "FILES OF ITS OWN") == ["kept apart"]
            assert await similar(entities, "memory", "files of its own") == ["kept apart"]
    assert (tmp_path / "apart" / "graph.db").exists()
