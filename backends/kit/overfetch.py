"""Over-fetching: request more candidates than wanted until enough of them match."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

AnswerT = TypeVar("AnswerT")

FACTOR: Final = 4
"""The growth of the number of candidates per request: few requests, and at most four times the work."""


async def overfetch(ask: Callable[[int], Awaitable[tuple[AnswerT, bool]]], *, first: int) -> AnswerT:
    """Return the first answer that is final.

    `ask` gets a number of candidates: `first`, then four times as many each time. It returns its answer and whether that is
    final, because more candidates could not change it or there are no more.
    """
    wanted = first
    while True:
        answer, final = await ask(wanted)
        if final:
            return answer
        wanted *= FACTOR
