"""Coalescing: calls that arrive while others are running wait, and are then served together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

ItemT = TypeVar("ItemT")
OutcomeT = TypeVar("OutcomeT")

ServeTogether: TypeAlias = Callable[[Sequence[ItemT]], Awaitable[Sequence[OutcomeT]]]
"""Serves several items together and returns an outcome for each, in order."""


class _Caller(Generic[ItemT, OutcomeT]):
    """A caller waiting for its turn. `turn` becomes True when it was served, False when it must run the next round."""

    def __init__(self, item: ItemT) -> None:
        self.item = item
        self.turn: asyncio.Future[bool] | None = None
        self.outcome: OutcomeT
        self.error: Exception | None = None

    @property
    def waits(self) -> bool:
        return self.turn is not None and not self.turn.done()

    def serve(self, outcome: OutcomeT) -> None:
        self.outcome = outcome
        self.wake(served=True)

    def fail(self, error: Exception) -> None:
        self.error = error
        self.wake(served=True)

    def wake(self, *, served: bool) -> None:
        if self.turn is not None and not self.turn.done():
            self.turn.set_result(served)


class Coalescer(Generic[ItemT, OutcomeT]):
    """Serves a single call at once, and calls that arrive meanwhile in as few rounds as possible, in order."""

    def __init__(self, serve: ServeTogether[ItemT, OutcomeT], *, max_items: int, rounds: int = 1) -> None:
        """Serve at most `max_items` items in a round, and at most `rounds` rounds at the same time."""
        self._serve = serve
        self._max_items = max_items
        self._free = rounds
        self._waiting: deque[_Caller[ItemT, OutcomeT]] = deque()

    async def submit(self, item: ItemT) -> OutcomeT:
        """Return the outcome for `item`. Raises what its round raises, as do all calls of that round.

        If the call that runs a round is cancelled, the others of the round are served by a later one.
        """
        caller = _Caller[ItemT, OutcomeT](item)
        if self._free:
            self._free -= 1
        elif await self._was_served(caller):
            if caller.error is not None:
                raise caller.error
            return caller.outcome
        return await self._run_round(caller)

    async def _was_served(self, caller: _Caller[ItemT, OutcomeT]) -> bool:
        """Wait for the caller's turn; return whether another call served it meanwhile."""
        caller.turn = asyncio.get_running_loop().create_future()
        self._waiting.append(caller)
        try:
            return await caller.turn
        except asyncio.CancelledError:
            if not caller.turn.cancelled() and not caller.turn.result():
                self._start_next_round()
            raise

    async def _run_round(self, mine: _Caller[ItemT, OutcomeT]) -> OutcomeT:
        """Serve the callers that wait, `mine` first."""
        others = self._next()
        try:
            outcomes = await self._serve([mine.item, *(each.item for each in others)])
        except Exception as error:
            for each in others:
                each.fail(error)
            raise
        else:
            for each, outcome in zip(others, outcomes[1:], strict=True):
                each.serve(outcome)
            return outcomes[0]
        finally:
            # Callers that still wait belong to a round that was cancelled.
            self._waiting.extendleft(each for each in reversed(others) if each.waits)
            self._start_next_round()

    def _next(self) -> list[_Caller[ItemT, OutcomeT]]:
        others: list[_Caller[ItemT, OutcomeT]] = []
        while self._waiting and len(others) < self._max_items - 1:
            if (each := self._waiting.popleft()).waits:
                others.append(each)
        return others

    def _start_next_round(self) -> None:
        """Wake the next caller that still waits, to run a round."""
        while self._waiting:
            if (each := self._waiting.popleft()).waits:
                each.wake(served=False)
                return
        self._free += 1
