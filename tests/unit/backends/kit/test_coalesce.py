"""Calls that wait together are served together, and none waits for ever, whichever is cancelled and whatever fails."""

import asyncio
from collections.abc import Sequence

import pytest

from backends.kit.coalesce import Coalescer


class Kitchen:
    """Doubles numbers, one round at a time, when it is allowed to."""

    def __init__(self) -> None:
        self.rounds: list[list[int]] = []
        self.open = asyncio.Event()
        self._begun: asyncio.Queue[None] = asyncio.Queue()

    async def begins(self) -> None:
        """Wait for the next round to begin."""
        await self._begun.get()

    async def serve(self, orders: Sequence[int]) -> Sequence[int]:
        self.rounds.append(list(orders))
        self._begun.put_nowait(None)
        await self.open.wait()
        if -1 in orders:
            raise ValueError("not on the menu")
        return [2 * order for order in orders]


async def _ordered(gathering: Coalescer[int, int], kitchen: Kitchen, *orders: int) -> list["asyncio.Task[int]"]:
    """Start the calls in order; the first is being served when this returns."""
    tasks = [asyncio.create_task(gathering.submit(order)) for order in orders]
    await kitchen.begins()
    return tasks


async def test_a_single_call_is_served_at_once() -> None:
    kitchen = Kitchen()
    kitchen.open.set()
    gathering = Coalescer(kitchen.serve, max_items=8)
    assert [await gathering.submit(1), await gathering.submit(2)] == [2, 4]
    assert kitchen.rounds == [[1], [2]]


async def test_calls_that_come_meanwhile_are_served_together_each_with_its_outcome() -> None:
    kitchen = Kitchen()
    tasks = await _ordered(Coalescer(kitchen.serve, max_items=8), kitchen, 1, 2, 3, 4)
    kitchen.open.set()
    assert await asyncio.gather(*tasks) == [2, 4, 6, 8]
    assert kitchen.rounds == [[1], [2, 3, 4]]


async def test_a_round_has_at_most_as_many_items_as_allowed() -> None:
    kitchen = Kitchen()
    tasks = await _ordered(Coalescer(kitchen.serve, max_items=2), kitchen, *range(6))
    kitchen.open.set()
    assert await asyncio.gather(*tasks) == [0, 2, 4, 6, 8, 10]
    assert kitchen.rounds == [[0], [1, 2], [3, 4], [5]]


async def test_two_rounds_run_at_the_same_time() -> None:
    kitchen = Kitchen()
    gathering = Coalescer(kitchen.serve, max_items=8, rounds=2)
    tasks = [asyncio.create_task(gathering.submit(order)) for order in range(4)]
    await kitchen.begins()
    await kitchen.begins()
    assert kitchen.rounds == [[0], [1]]
    kitchen.open.set()
    assert await asyncio.gather(*tasks) == [0, 2, 4, 6]


async def test_a_failure_fails_every_call_of_its_round_and_no_other() -> None:
    kitchen = Kitchen()
    tasks = await _ordered(Coalescer(kitchen.serve, max_items=2), kitchen, 1, -1, 2, 3)
    kitchen.open.set()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [found[0], found[3]] == [2, 6]
    assert all(isinstance(each, ValueError) for each in found[1:3])


async def test_the_other_calls_of_a_cancelled_round_are_served_again() -> None:
    kitchen = Kitchen()
    gathering = Coalescer(kitchen.serve, max_items=8)
    tasks = await _ordered(gathering, kitchen, 1, 2, 3)
    await _cancelled(tasks[0])
    await kitchen.begins()
    await _cancelled(tasks[1])
    kitchen.open.set()
    assert await tasks[2] == 6
    assert await gathering.submit(4) == 8
    assert kitchen.rounds == [[1], [2, 3], [3], [4]]


async def test_a_call_that_left_the_queue_is_not_served() -> None:
    kitchen = Kitchen()
    tasks = await _ordered(Coalescer(kitchen.serve, max_items=8), kitchen, 1, 2, 3)
    await _cancelled(tasks[1])
    kitchen.open.set()
    assert [await tasks[0], await tasks[2]] == [2, 6]
    assert kitchen.rounds == [[1], [3]]


async def test_a_call_cancelled_at_its_turn_wakes_the_next() -> None:
    kitchen = Kitchen()
    gathering = Coalescer(kitchen.serve, max_items=1)

    async def first() -> int:
        doubled = await gathering.submit(1)
        # The second has been called by now, and is not awake yet.
        others[0].cancel()
        return doubled

    leading = asyncio.create_task(first())
    others = await _ordered(gathering, kitchen, 2, 3)
    kitchen.open.set()
    assert await leading == 2
    assert await others[1] == 6
    assert others[0].cancelled()
    assert kitchen.rounds == [[1], [3]]


async def _cancelled(task: "asyncio.Task[int]") -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
