"""Gathering: what comes while the like of it is under way waits, and is then done together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

ItemT = TypeVar("ItemT")
OutcomeT = TypeVar("OutcomeT")

Together: TypeAlias = Callable[[Sequence[ItemT]], Awaitable[Sequence[OutcomeT]]]
"""Does several things at once and returns an outcome for each, in their order."""


class _Entry(Generic[ItemT, OutcomeT]):
    """Somebody's thing, and his waiting until it is done (True) or until it is up to him to do it (False)."""

    def __init__(self, item: ItemT) -> None:
        self.item = item
        self.called: asyncio.Future[bool] | None = None
        self.outcome: OutcomeT
        self.error: Exception | None = None

    @property
    def waits(self) -> bool:
        return self.called is not None and not self.called.done()

    def settle(self, outcome: OutcomeT) -> None:
        self.outcome = outcome
        self.call(done=True)

    def call(self, *, done: bool) -> None:
        if self.called is not None and not self.called.done():
            self.called.set_result(done)


class Gathering(Generic[ItemT, OutcomeT]):
    """Who comes alone is served at once; who comes while others are served goes with the next of them."""

    def __init__(self, together: Together[ItemT, OutcomeT], *, at_once: int, rounds: int = 1) -> None:
        """Do at most `at_once` things together, and that `rounds` times side by side."""
        self._together = together
        self._at_once = at_once
        self._free = rounds
        self._waiting: deque[_Entry[ItemT, OutcomeT]] = deque()

    async def do(self, item: ItemT) -> OutcomeT:
        """Return the outcome for `item`. Raises what the doing raises, which then all raise that it was done for.

        One who is cancelled while he does it for others too leaves it to them to do it again.
        """
        entry = _Entry[ItemT, OutcomeT](item)
        if self._free:
            self._free -= 1
        elif await self._called(entry):
            if entry.error is not None:
                raise entry.error
            return entry.outcome
        return await self._lead(entry)

    async def _called(self, entry: _Entry[ItemT, OutcomeT]) -> bool:
        """Wait for one's turn; return whether somebody else did it meanwhile."""
        entry.called = asyncio.get_running_loop().create_future()
        self._waiting.append(entry)
        try:
            return await entry.called
        except asyncio.CancelledError:
            if not entry.called.cancelled() and not entry.called.result():
                self._pass_on()
            raise

    async def _lead(self, mine: _Entry[ItemT, OutcomeT]) -> OutcomeT:
        """Do what waits, with one's own first."""
        others = self._next()
        try:
            outcomes = await self._together([mine.item, *(each.item for each in others)])
        except Exception as error:
            for each in others:
                each.error = error
                each.call(done=True)
            raise
        else:
            for each, outcome in zip(others, outcomes[1:], strict=True):
                each.settle(outcome)
            return outcomes[0]
        finally:
            self._waiting.extendleft(each for each in reversed(others) if each.waits)
            self._pass_on()

    def _next(self) -> list[_Entry[ItemT, OutcomeT]]:
        others: list[_Entry[ItemT, OutcomeT]] = []
        while self._waiting and len(others) < self._at_once - 1:
            if (each := self._waiting.popleft()).waits:
                others.append(each)
        return others

    def _pass_on(self) -> None:
        """Call the next one who still waits to lead."""
        while self._waiting:
            if (each := self._waiting.popleft()).waits:
                each.call(done=False)
                return
        self._free += 1
