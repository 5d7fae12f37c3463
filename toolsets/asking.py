"""Asking a store several things at once."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio

from backends.ports.errors import StoreError

AT_ONCE = 8
"""Questions under way at the same time."""

AnswerT = TypeVar("AnswerT")


async def answers(questions: Iterable[Callable[[], Awaitable[AnswerT]]]) -> list[AnswerT]:
    """Return the answers in the order of the questions. Raises the first `StoreError`; the other questions end with it."""
    remaining = iter(enumerate(questions))
    found: dict[int, AnswerT] = {}
    failures: list[StoreError] = []

    async def lane() -> None:
        try:
            for number, question in remaining:
                found[number] = await question()
        except StoreError as error:
            failures.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(lane)
    if failures:
        raise failures[0]
    return [found[number] for number in sorted(found)]
