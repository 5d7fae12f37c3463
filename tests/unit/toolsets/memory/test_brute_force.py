"""Similarity is computed by hand while the vectors do not answer, in bounded time and over bounded many entities."""

from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from tests.support.damage import table_gone
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import Instance, memory_in
from toolsets.memory import brute_force

NAMES = ("Glacier", "Volcano", "Violin", "Meadow")


async def asked(instance: Instance, **more: float) -> JsonObject:
    """Ask for what is like a volcano."""
    return await instance.ask("semantic_search", query="lava from a mountain", threshold=0.0, **more)


async def filled(instance: Instance) -> None:
    for name in NAMES:
        await instance.store("memory", name)


async def test_the_reply_is_that_of_the_vectors_but_for_its_method(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await filled(instance)
        with table_gone(tmp_path / "vectors.db", "records"):
            by_hand = await asked(instance)
            nearest = await asked(instance, limit=1)
        expected = await asked(instance)
        assert expected["method"] == "vector_similarity"
        assert by_hand == {**expected, "method": "manual_calculation"}
        assert rows(nearest, "entities") == rows(expected, "entities")[:1]


def test_two_thousand_entities_are_compared_within_twenty_seconds() -> None:
    assert (brute_force.MAX_COMPARED, brute_force.BUDGET_S) == (2_000, 20.0)


async def test_of_many_entities_the_newest_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brute_force, "MAX_COMPARED", 2)
    monkeypatch.setattr(brute_force, "_PAGE", 1)
    async with memory_in(tmp_path) as instance:
        await filled(instance)
        with table_gone(tmp_path / "vectors.db", "records"):
            found = rows(await asked(instance), "entities")
    assert {str(row["name"]) for row in found} <= set(NAMES[2:])


async def test_comparing_ends_with_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brute_force, "BUDGET_S", 0.0)
    async with memory_in(tmp_path) as instance:
        await filled(instance)
        with table_gone(tmp_path / "vectors.db", "records"):
            reply = await asked(instance)
    assert (reply["count"], reply["method"]) == (0, "manual_calculation")
