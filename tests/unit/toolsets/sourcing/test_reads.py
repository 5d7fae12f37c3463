"""Nodes are read by any text that a client sends, searches show pending nodes and order ties, and counts are cached."""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

import anyio.lowlevel
import pytest

from backends.ports.events import StreamName
from backends.ports.graph import GraphBatch
from backends.ports.values import Micros, NodeId, Revision
from tests.support.damage import table_gone
from tests.unit.toolsets.sourcing.library import BOOKS, TITLES, Library, library_in
from toolsets.sourcing.reads import CountCache, nearest, ranked_hits


@pytest.mark.parametrize("text", ["", "\x01", "\ud800", "a b", "i" * 2_001])
async def test_a_text_that_is_no_id_names_no_node_and_the_graph_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    async with library_in(tmp_path) as library:
        assert await library.title("b", "title")
        with caplog.at_level(logging.WARNING):
            found = await library.sourced.nodes(
                {NodeId(name): StreamName(f"{BOOKS}{name}") for name in (text, "b", "unknown")}
            )
        assert list(found) == ["b"]
        assert not caplog.records


def streams_of(names: Iterable[str]) -> dict[NodeId, StreamName]:
    """Return the stream of each book by its id."""
    return {NodeId(name): StreamName(f"{BOOKS}{name}") for name in names}


async def found(library: Library, query: str, limit: int, *, pending: bool = True) -> list[str]:
    """Return the ids that a search by meaning shows."""
    sourced = library.sourced
    hits = await nearest(await sourced.live_stores.vectors(), TITLES, await sourced.embed(query), limit)
    nodes = await sourced.nodes(streams_of(str(hit.id) for hit in hits), pending=pending)
    return [str(node.id) for _, node in ranked_hits(hits, nodes, limit, name="title")]


async def test_a_search_finds_books_whose_nodes_are_pending(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await library.title("first", "cheese")
        with table_gone(tmp_path / "graph.db", "nodes"):
            assert not any([await library.title(f"b{number:02}", "the same title") for number in range(20)])
        assert (await library.titles())[0] == ["cheese"]
        assert await found(library, "the same title", 3) == ["b00", "b01", "b02"]


async def test_without_asking_for_pending_nodes_the_graph_alone_is_read(tmp_path: Path) -> None:
    """Of some ids most have no node, and reading all their streams takes longer than a search."""
    async with library_in(tmp_path) as library:
        await library.title("first", "cheese")
        with table_gone(tmp_path / "graph.db", "nodes"):
            assert not await library.title("b", "title")
        assert await library.sourced.nodes(streams_of("b")) == {}
        assert list(await library.sourced.nodes(streams_of("b"), pending=True)) == ["b"]


async def test_nodes_that_the_graph_lacks_are_left_out_while_the_log_fails(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await library.title("b", "title")
        with table_gone(tmp_path / "events.db", "events"):
            assert list(await library.sourced.nodes(streams_of(("b", "unknown")), pending=True)) == ["b"]


async def test_ties_are_ordered_by_name_however_many_there_are(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        for number in range(40):
            await library.title(f"b{number:02}", "the same title")
        await library.title("other", "cheese")
        hits = await nearest(
            await library.sourced.live_stores.vectors(), TITLES, await library.sourced.embed("the same title"), 3
        )
        assert {str(hit.id) for hit in hits} == {f"b{number:02}" for number in range(40)}
        assert await found(library, "the same title", 3) == ["b00", "b01", "b02"]


async def test_ten_hits_more_than_the_limit_stand_in_for_those_without_a_node(tmp_path: Path) -> None:
    """The scores differ, so there are no ties that would add hits."""
    async with library_in(tmp_path) as library:
        for number in range(20):
            await library.title(f"b{number:02}", " ".join(("cheese", *("moon",) * number)))
        sourced = library.sourced
        hits = await nearest(await sourced.live_stores.vectors(), TITLES, await sourced.embed("cheese"), 3)
        assert len(hits) == 3 + 10
        graph = (await sourced.live_stores.graph()).graph
        gone = {NodeId(hit.id): Revision(2) for hit in hits[:10]}
        await graph.apply(GraphBatch(deleted_nodes=gone))
        assert await found(library, "cheese", 3, pending=False) == [hit.id for hit in hits[10:]]


class Counting:
    """Counts how often it was counted."""

    def __init__(self) -> None:
        self.times = 0
        self.is_settled = True
        self.time = Micros(0)
        self.cache: CountCache[int] = CountCache(lambda: self.time)

    async def nothing_pending(self) -> bool:
        return self.is_settled

    async def count(self) -> int:
        self.times += 1
        await anyio.lowlevel.checkpoint()
        return self.times

    async def ask(self, key: tuple[str, int] | None) -> None:
        await self.cache.get(key, nothing_pending=self.nothing_pending, count=self.count)


async def test_it_is_counted_once_while_nothing_changes() -> None:
    counting = Counting()
    for _ in range(3):
        await counting.ask(("store", 7))
    assert counting.times == 1


async def test_it_is_counted_again_after_a_write_a_lost_store_or_five_minutes() -> None:
    counting = Counting()
    await counting.ask(("store", 7))
    await counting.ask(("store", 8))
    await counting.ask(("other", 8))
    counting.time = Micros(300_000_000)
    await counting.ask(("other", 8))
    assert counting.times == 4


async def test_a_lagging_answer_is_not_kept() -> None:
    counting = Counting()
    counting.is_settled = False
    await counting.ask(("store", 7))
    await counting.ask(("store", 7))
    await counting.ask(None)
    assert counting.times == 3


async def test_calls_that_come_while_one_counts_share_a_count() -> None:
    counting = Counting()
    counting.is_settled = False
    await asyncio.gather(*(counting.ask(("store", 7)) for _ in range(20)))
    assert counting.times == 2
