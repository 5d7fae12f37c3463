"""Looking for duplicates reports progress, and answers at any threshold."""

import pytest

from backends.ports.values import Json
from tests.support.toolsets.agent_graph import Instance, rows
from toolsets.spec import CallContext


async def test_progress_is_reported_up_to_the_total(kg: Instance) -> None:
    for number in range(30):
        await kg.create(f"entity number {number}")
    told: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None = None, message: str | None = None) -> None:
        assert message
        told.append((done, total))

    arguments: dict[str, Json] = {}
    reply = await kg.tools["kg_find_duplicates"].call(arguments, CallContext("kg_find_duplicates", progress=progress))
    assert not reply.is_error
    done = [step for step, _ in told]
    assert done == sorted(done)
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("threshold", [0.0, 1.0])
async def test_any_threshold_is_answered(kg: Instance, threshold: float) -> None:
    await kg.create("React")
    await kg.create("react.js")
    reply = await kg.ask("kg_find_duplicates", threshold=threshold)
    assert reply["count"] == len(rows(reply, "duplicates")) == 1
