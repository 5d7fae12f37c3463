"""The hierarchy: concepts counted per area, topic and subtopic."""

from collections.abc import Sequence
from dataclasses import dataclass

from backends.ports.graph import Group

NO_AREA = "Uncategorized"
NO_TOPIC = "General"
"""The name for a missing topic and for a missing subtopic."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A level of the tree; its count is the sum of the counts of its parts, if it has parts."""

    name: str
    count: int
    parts: tuple["Branch", ...] = ()


def branches(groups: Sequence[Group]) -> tuple[Branch, ...]:
    """Return the areas with their topics and subtopics, ordered by name, given counts by (area, topic, subtopic)."""
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
