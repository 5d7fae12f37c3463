"""Over-fetching: ask an engine for more candidates than wanted until enough of them match."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

AnswerT = TypeVar("AnswerT")

FACTOR: Final = 4
"""How many times as many candidates the next question asks for: few questions, and at most four times the work."""


async def overfetch(ask: Callable[[int], Awaitable[tuple[AnswerT, bool]]], *, first: int) -> AnswerT:
    """Return the first answer that is final.

    `ask` is given a number of candidates, `first` and then four times as many each time. It returns its answer and whether
    that is final: more candidates could not change it, or there are no more.
    """
    wanted = first
    while True:
        answer, final = await ask(wanted)
        if final:
            return answer
        wanted *= FACTOR
