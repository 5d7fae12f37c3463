"""Counts of everything, kept while neither the log nor the store shows a change."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from backends.ports.values import Micros
from toolsets.clock import SECOND

AnswerT = TypeVar("AnswerT")

LIFETIME_S = 300


class CountCache(Generic[AnswerT]):
    """Remembers the last answer for at most five minutes, and only under the state of store and log that it shows."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._now = now
        self._key: tuple[str, int] | None = None
        self._until = 0
        self._answer: AnswerT | None = None

    async def get(
        self,
        key: tuple[str, int] | None,
        *,
        settled: Callable[[], Awaitable[bool]],
        count: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        """Return the answer for a state of store and log (None: not known), counting when it is not at hand.

        An answer counted while projections were still to be made is not kept.
        """
        if self._answer is not None and key is not None and key == self._key and self._now() < self._until:
            return self._answer
        # Asked before counting: what is made in between makes the count newer than the key, never older.
        keep = key is not None and await settled()
        answer = await count()
        if keep:
            self._key, self._answer, self._until = key, answer, self._now() + LIFETIME_S * SECOND
        return answer
