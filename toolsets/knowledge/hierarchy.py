"""The hierarchy: concepts counted per area, topic and subtopic, kept while the log shows no change."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from backends.ports.graph import Group
from backends.ports.values import Micros
from toolsets.clock import SECOND

AnswerT = TypeVar("AnswerT")

NO_AREA = "Uncategorized"
NO_TOPIC = "General"
"""Also where the subtopic is missing."""

LIFETIME_S = 300


@dataclass(frozen=True, slots=True)
class Branch:
    """A level of the tree: its count is the sum of its parts, where it has parts."""

    name: str
    count: int
    parts: tuple["Branch", ...] = ()


def branches(groups: Sequence[Group]) -> tuple[Branch, ...]:
    """Return the areas with their topics and subtopics, by name, from counts per (area, topic, subtopic)."""
    tree: dict[str, dict[str, dict[str, int]]] = {}
    for group in groups:
        area, topic, subtopic = (
            str(level) if level is not None else missing
            for level, missing in zip(group.key, (NO_AREA, NO_TOPIC, NO_TOPIC), strict=True)
        )
        leaves = tree.setdefault(area, {}).setdefault(topic, {})
        leaves[subtopic] = leaves.get(subtopic, 0) + group.count
    return tuple(
        _branch(area, tuple(_branch(topic, _leaves(leaves)) for topic, leaves in sorted(topics.items())))
        for area, topics in sorted(tree.items())
    )


def _branch(name: str, parts: tuple[Branch, ...]) -> Branch:
    return Branch(name, sum(part.count for part in parts), parts)


def _leaves(counts: dict[str, int]) -> tuple[Branch, ...]:
    return tuple(Branch(name, count) for name, count in sorted(counts.items()))


class HierarchyCache(Generic[AnswerT]):
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
