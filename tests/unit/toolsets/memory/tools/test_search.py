"""The order of what is found by meaning."""

from pathlib import Path

import pytest

from tests.support.damage import table_gone
from tests.support.toolsets.knowledge import rows
from tests.support.toolsets.memory import Instance, memory_in

NAMES = ("volcano", "VOLCANO", "Volcano", "vOLCANO")
"""To the model they are one text: it reads all letters as small ones."""


async def found(instance: Instance, **more: int) -> list[tuple[str, float]]:
    reply = await instance.ask("semantic_search", query="lava from a mountain", threshold=0.0, **more)
    return [(str(row["name"]), float(str(row["similarity"]))) for row in rows(reply, "entities")]


@pytest.mark.parametrize("limit", [2, 10])
async def test_equal_similarities_go_by_name_also_when_compared_by_hand(tmp_path: Path, limit: int) -> None:
    async with memory_in(tmp_path) as instance:
        for name in (*NAMES, "Violin"):
            await instance.store("memory", name)
        near = await found(instance, limit=limit)
        with table_gone(tmp_path / "vectors.db", "records"):
            by_hand = await found(instance, limit=limit)
    assert [name for name, _ in near] == [*sorted(NAMES), "Violin"][:limit]
    assert len({similarity for name, similarity in near if name != "Violin"}) == 1
    assert [similarity for _, similarity in near] == [round(similarity, 4) for _, similarity in near]
    assert by_hand == near
