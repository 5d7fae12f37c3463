"""Beside knowledge: the one name that both claim carries a prefix on the common endpoint, and none on memory's own."""

from pathlib import Path

from contracts.client import Serving, opened
from contracts.promises import promise
from contracts.servers import Combination
from tests.support.memory import link, store
from tests.support.servers import ours_http


@promise("memory:surface:prefixed")
async def test_the_clashing_name_is_prefixed_where_both_are_served_and_nowhere_else(tmp_path: Path) -> None:
    both = tmp_path / "both"
    both.mkdir()
    async with opened("stdio", Serving(both, Combination("embedded"), "knowledge,memory")) as connection:
        assert {"knowledge_create_relationship", "memory_create_relationship", "create_entity"} <= set(connection.tools)
        assert "create_relationship" not in connection.tools
        assert len(connection.tools) == 24
    async with ours_http(tmp_path / "http", toolsets="knowledge,memory") as server:
        common, own = server.caller("/mcp"), server.caller("/mcp/memory")
        for name in ("a", "b"):
            await store(common, "memory", name)
        assert (await link(common, "memory", "a", "b", "memory_create_relationship"))["status"] == "created"
        assert (await link(own, "memory", "b", "a"))["status"] == "created"
