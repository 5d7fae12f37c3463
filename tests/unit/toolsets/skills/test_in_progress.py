"""Skills that mean the same are stored one after the other; others do not wait for one another."""

import anyio
import numpy
import pytest

from toolsets.skills.in_progress import InProgress

ONE = numpy.array([1.0, 0.0], dtype=numpy.float32)
ALIKE = numpy.array([0.99, 0.141], dtype=numpy.float32)
OTHER = numpy.array([0.0, 1.0], dtype=numpy.float32)


async def test_alike_ones_wait_and_others_do_not() -> None:
    in_progress, order = InProgress(), list[str]()
    first_may_end = anyio.Event()

    async def first() -> None:
        async with in_progress.exclusive(ONE):
            order.append("first begins")
            await first_may_end.wait()
            order.append("first ends")

    async def alike() -> None:
        async with in_progress.exclusive(ALIKE):
            order.append("alike")

    async with anyio.create_task_group() as group:
        group.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(alike)
        await anyio.wait_all_tasks_blocked()
        async with in_progress.exclusive(OTHER):
            order.append("other")
        first_may_end.set()
    assert order == ["first begins", "other", "first ends", "alike"]


async def test_one_that_fails_lets_the_next_go_on() -> None:
    in_progress = InProgress()
    with pytest.raises(ValueError, match="away"):
        async with in_progress.exclusive(ONE):
            raise ValueError("away")
    with anyio.fail_after(5):
        async with in_progress.exclusive(ALIKE):
            pass
