"""Lists by certainty, and the hierarchy."""

import json
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.toolsets.knowledge import Instance, rows, toolset_in
from toolsets import concurrency
from toolsets.knowledge.hierarchy import Branch
from toolsets.knowledge.tools import analytics
from toolsets.knowledge.tools.analytics import hierarchy_reply


def column(reply: JsonObject, name: str, key: str = "results") -> list[Json]:
    return [row[name] for row in rows(reply, key)]


async def test_certainty_lists_the_weakest_first_with_both_bounds_inside(knowledge: Instance) -> None:
    for score in (50, 0, 100, 30):
        await knowledge.create(f"c{score}", certainty_score=score)
    reply = await knowledge.ask("get_concepts_by_certainty", max_certainty=50)
    assert column(reply, "certainty_score") == [0, 30, 50]
    assert reply["message"] == "Found 3 concepts with certainty between 0 and 50"
    assert column(await knowledge.ask("get_concepts_by_certainty"), "certainty_score") == [0, 30, 50, 100]


async def test_the_hierarchy_follows_every_write(knowledge: Instance) -> None:
    id_ = await knowledge.create("A", area="X", topic="T")
    await knowledge.create("B")
    reply = await knowledge.ask("list_hierarchy")
    assert reply["message"] == "Hierarchy contains 2 areas with 2 concepts"
    assert column(reply, "name", "areas") == ["Uncategorized", "X"]
    await knowledge.ask("update_concept", concept_id=id_, area="Y")
    assert column(await knowledge.ask("list_hierarchy"), "name", "areas") == ["Uncategorized", "Y"]
    await knowledge.ask("delete_concept", concept_id=id_)
    assert (await knowledge.ask("list_hierarchy"))["total_concepts"] == 1


async def test_a_large_hierarchy_is_worded_beside_the_event_loop(
    knowledge: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "THREAD_FROM", 2)
    for name in ("A", "B"):
        await knowledge.create(name, area=name)
    threads = threads_of(monkeypatch, analytics, "hierarchy_reply")
    assert column(await knowledge.ask("list_hierarchy"), "name", "areas") == ["A", "B"]
    assert is_beside_loop(threads)


async def test_a_hierarchy_kept_by_one_process_follows_the_writes_of_another(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as one, toolset_in(tmp_path) as two:
        await one.create("a")
        assert (await one.ask("list_hierarchy"))["total_concepts"] == 1
        await two.create("b")
        assert (await one.ask("list_hierarchy"))["total_concepts"] == 2


@pytest.mark.parametrize("limit", [1, 3, 5])
async def test_concepts_of_equal_certainty_come_by_name(knowledge: Instance, limit: int) -> None:
    for name in ("d", "b", "e", "a", "c"):
        await knowledge.create(name, certainty_score=50)
    await knowledge.create("weakest", certainty_score=1)
    reply = await knowledge.ask("get_concepts_by_certainty", limit=limit)
    assert [row["name"] for row in rows(reply)] == ["weakest", "a", "b", "c", "d", "e"][:limit]


async def test_a_hierarchy_of_more_than_eight_megabytes_shows_some_of_it() -> None:
    leaves = tuple(Branch(f"subtopic {number:05} {'x' * 960}", 1, ()) for number in range(2_000))
    tree = (
        Branch("one", 2_000, (Branch("topic", 2_000, leaves),)),
        Branch("two", 4_000, (Branch("t", 4_000, leaves * 2),)),
    )
    reply = hierarchy_reply(tree).structured
    assert len(json.dumps(reply)) < 4_000_000 * 1.05
    assert reply["total_concepts"] == 6_000
    found, areas = str(reply["message"]), rows(reply, "areas")
    shown = sum(
        1 + len(rows(area, "topics")) + sum(len(rows(topic, "subtopics")) for topic in rows(area, "topics"))
        for area in areas
    )
    assert (
        found
        == f"Hierarchy contains 2 areas with 6000 concepts; {shown} of 6004 shown, because a reply stops at about 8 MB"
    )
    assert 2_000 < shown < 4_000
