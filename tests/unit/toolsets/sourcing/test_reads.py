"""Nodes are read by any text that a client sends, and counts are kept only while they are true."""

import asyncio
import logging
from pathlib import Path

import anyio.lowlevel
import pytest

from backends.ports.events import StreamName
from backends.ports.values import Micros, NodeId
from tests.unit.toolsets.sourcing.library import BOOKS, library_in
from toolsets.sourcing.reads import CountCache


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


class Counting:
    """Counts how often it was counted."""

    def __init__(self) -> None:
        self.times = 0
        self.is_settled = True
        self.time = Micros(0)
        self.cache: CountCache[int] = CountCache(lambda: self.time)

    async def settled(self) -> bool:
        return self.is_settled

    async def count(self) -> int:
        self.times += 1
        await anyio.lowlevel.checkpoint()
        return self.times

    async def ask(self, key: tuple[str, int] | None) -> None:
        await self.cache.get(key, settled=self.settled, count=self.count)


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
