"""Looking for duplicates reports progress, and answers at any threshold."""

import asyncio
import threading
import time

import pytest

from backends.ports.values import Json
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.agent_graph import Instance, rows
from toolsets.agent_graph.duplicates import pairs as comparing
from toolsets.agent_graph.duplicates.model import Pairs
from toolsets.agent_graph.tools import maintenance
from toolsets.spec import CallContext


async def test_progress_is_reported_up_to_the_total(kg: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "REPORT_EVERY", 1)
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
    assert done == sorted(set(done)), "each value is greater than the one before"
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("threshold", [0.0, 1.0])
async def test_any_threshold_is_answered(kg: Instance, threshold: float) -> None:
    await kg.create("React")
    await kg.create("react.js")
    reply = await kg.ask("kg_find_duplicates", threshold=threshold)
    assert reply["count"] == len(rows(reply, "duplicates")) == 1


async def test_similarities_have_at_most_four_digits(kg: Instance) -> None:
    """By a slip (1 - 1.2 / 11), by letters, words and initials: none of them is a round number by itself."""
    for name in ("Information", "Informatiom", "Authentication Service", "Auth Service", "Alice", "Alicia"):
        await kg.create(name)
    found = rows(await kg.ask("kg_find_duplicates", threshold=0.1), "duplicates")
    similarities = [float(str(row["similarity"])) for row in found]
    assert len(similarities) >= 3
    assert 0.8909 in similarities
    assert [similarity for similarity in similarities if similarity != round(similarity, 4)] == []


async def test_many_duplicates_are_put_into_a_reply_beside_the_event_loop(
    kg: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        await kg.create(f"entity number {number}")
    threads = threads_of(monkeypatch, maintenance, "entity_body")
    reply = await kg.ask("kg_find_duplicates", threshold=0.1)
    assert int(str(reply["count"])) > 200
    assert is_beside_loop(threads)


async def test_one_comparison_runs_at_a_time(kg: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads are no faster, and slow down all other calls."""
    lock = threading.Lock()

    def find_pairs(*_: object, **__: object) -> Pairs:
        assert lock.acquire(blocking=False), "another one runs"
        time.sleep(0.01)
        lock.release()
        return Pairs((), truncated=False)

    monkeypatch.setattr(maintenance, "find_pairs", find_pairs)
    await asyncio.gather(*(kg.ask("kg_find_duplicates") for _ in range(4)))
