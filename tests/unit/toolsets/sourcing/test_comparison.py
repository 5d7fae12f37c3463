"""Two sets of stores that follow one log are compared at one position of it, and what differs is named."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from backends.ports.errors import Unusable
from backends.ports.graph import Edge, GraphBatch, Node
from backends.ports.values import EdgeId, NodeId, RecordId, Revision
from tests.unit.toolsets.sourcing.library import TITLES, Library, library
from tests.unit.toolsets.sourcing.test_stores import both
from toolsets.reports import ComparisonReport, Difference, no_progress


@pytest.fixture
async def moved(tmp_path: Path) -> AsyncGenerator[tuple[Library, Library]]:
    """Two servers on one log, the stores of the second filled by a rebuild of the first."""
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="")
        for number in range(6):
            await blue.title(f"b{number}", f"title {number}")
        await blue.sequel("b0", "b1")
        await blue.sourced.rebuilder.rebuild(no_progress, green.sourced.live_stores.stores)
        yield blue, green


async def compared_libraries(blue: Library, green: Library) -> ComparisonReport:
    return await blue.sourced.rebuilder.compare(no_progress, green.sourced.live_stores.stores)


async def test_stores_that_were_just_filled_are_the_same(moved: tuple[Library, Library]) -> None:
    blue, green = moved
    report = await compared_libraries(blue, green)
    assert report.equal
    assert (report.nodes, report.edges, report.vectors, report.differences) == (6, 1, 6, ())
    assert report.digest == report.other_digest
    log = await blue.sourced.live_stores.log()
    assert report.position == await log.head("library/")


async def test_what_was_written_since_they_were_filled_is_brought_up_first(moved: tuple[Library, Library]) -> None:
    blue, green = moved
    await blue.title("late", "written after the move")
    await blue.title("b0", "another title")
    report = await compared_libraries(blue, green)
    assert (report.equal, report.nodes) == (True, 7)
    assert (await green.titles())[0] == (await blue.titles())[0]


async def test_each_record_that_differs_is_named(moved: tuple[Library, Library]) -> None:
    blue, green = moved
    stores = green.sourced.live_stores
    batch = GraphBatch(
        nodes=(
            Node(NodeId("b1"), "book", {"title": "changed behind its back"}, Revision(9)),
            Node(NodeId("stray"), "book", {"title": "of no event"}, Revision(1)),
        ),
        edges=(Edge(EdgeId("b0>b1"), NodeId("b0"), NodeId("b1"), "sequel", Revision(9), 0.5),),
        deleted_nodes={NodeId("b2"): Revision(9)},
    )
    await (await stores.graph()).graph.apply(batch)
    await (await stores.vectors()).vectors.delete(TITLES, {RecordId("b3"): Revision(9)})
    report = await compared_libraries(blue, green)
    assert report.differences == (
        Difference("node", "book", "b1", "different"),
        Difference("node", "book", "b2", "missing"),
        Difference("node", "book", "stray", "unexpected"),
        Difference("edge", "", "b0>b1", "different"),
        Difference("passage", TITLES, "b3", "missing"),
    )
    assert report.differing == 5
    assert report.digest != report.other_digest


async def test_writes_that_go_on_are_no_difference(moved: tuple[Library, Library]) -> None:
    blue, green = moved
    stop = asyncio.Event()

    async def write() -> None:
        rng = random.Random(4)
        while not stop.is_set():
            await blue.title(f"b{rng.randrange(9)}", f"title {rng.random()}")
            await asyncio.sleep(0.03)

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        report = await compared_libraries(blue, green)
        stop.set()
    assert report.equal, report.differences


async def test_stores_that_were_never_filled_and_the_same_ones_are_refused(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="")
        await blue.title("a", "here only")
        with pytest.raises(Unusable, match="never filled: run `entrepot rebuild --to` first"):
            await compared_libraries(blue, green)
        with pytest.raises(Unusable, match="are the live ones"):
            await compared_libraries(blue, blue)


async def test_stores_with_another_log_are_refused(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        places = [[tmp_path / server / port for port in ("log", "graph", "vectors")] for server in ("blue", "green")]
        blue, green = [await stack.enter_async_context(library(*place)) for place in places]
        for each in (blue, green):
            await each.title("a", "one")
            await each.sourced.relay.catch_up()
        with pytest.raises(Unusable, match="another event log"):
            await compared_libraries(blue, green)
