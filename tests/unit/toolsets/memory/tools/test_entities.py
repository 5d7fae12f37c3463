"""The tools that store entities."""

from pathlib import Path

from tests.support.damage import table_gone
from tests.support.toolsets.memory import memory_in


async def test_an_entity_is_created_once_and_keeps_what_it_has(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        created = await instance.store("memory", "Alice", "sings")
        assert created == {
            "status": "created",
            "database": "memory",
            "name": "Alice",
            "type": "thing",
            "observations_count": 1,
            "embedded": True,
        }
        again = await instance.store("memory", "Alice", "paints", "cooks")
        assert again == {**created, "status": "exists", "message": "Entity already exists"}


async def test_only_new_observations_are_added(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "Alice", "sings")
        added = await instance.ask("add_observations", entity_name="Alice", observations=["sings", "paints", "paints"])
        assert added == {
            "status": "updated",
            "database": "memory",
            "entity_name": "Alice",
            "added_observations": ["paints"],
            "total_observations": 2,
            "reembedded": True,
        }
        unchanged = await instance.ask("add_observations", entity_name="Alice", observations=["sings"])
        assert (unchanged["status"], unchanged["reembedded"], unchanged["total_observations"]) == (
            "no_change",
            False,
            2,
        )


async def test_an_entity_whose_text_cannot_be_embedded_now_is_stored(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.store("memory", "Bob")
        with table_gone(tmp_path / "vectors.db", "records"):
            assert (await instance.store("memory", "Alice"))["embedded"] is False
            assert (await instance.store("memory", "Bob"))["embedded"] is False
        assert (await instance.store("memory", "Bob"))["embedded"] is True
