"""The tool that links entities."""

from pathlib import Path

from tests.support.toolsets.memory import memory_in


async def test_only_the_missing_end_of_an_edge_is_in_the_details(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "Alice")
        for source, target in (("Alice", "Nobody"), ("Nobody", "Alice"), ("Nobody", "Nobody")):
            assert await instance.ask(
                "create_relationship", from_entity=source, to_entity=target, relationship_type="KNOWS"
            ) == {
                "status": "error",
                "message": f"One or both entities not found: {source}, {target}",
                "details": {"missing": ["Nobody"]},
            }
