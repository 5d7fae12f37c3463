"""Those who want the same key take turns; others do not wait for them."""

import anyio
import anyio.lowlevel

from toolsets.sourcing.turns import Turns


async def test_only_one_has_the_turn_and_they_come_in_order() -> None:
    turns, inside, order = Turns(), 0, list[int]()

    async def take(number: int) -> None:
        nonlocal inside
        async with turns.turn("stream"):
            inside += 1
            assert inside == 1
            await anyio.lowlevel.checkpoint()
            order.append(number)
            inside -= 1

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(take, number)
    assert order == [0, 1, 2, 3, 4]


async def test_another_key_is_another_turn() -> None:
    turns = Turns()
    async with turns.turn("one"):
        with anyio.fail_after(1):
            async with turns.turn("other"):
                entered = True
    assert entered
