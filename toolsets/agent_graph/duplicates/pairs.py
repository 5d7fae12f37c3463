"""Finds the pairs of entities whose names are alike, without comparing each with each."""

from collections.abc import Sequence

from toolsets.agent_graph.duplicates.model import Named, Pairs, Progress

MAX_PAIRS = 10_000


def find_pairs(
    entities: Sequence[Named], *, threshold: float, limit: int = MAX_PAIRS, progress: Progress | None = None
) -> Pairs:
    """Return the pairs of one type whose similarity is at least `threshold`, the `limit` best of them.

    Most similar first, then as the entities stand in `entities`; `first` stands before `second` there, so give
    the oldest first. Blocking: run it in a worker thread. 10,000 entities take a second or two.
    """
    raise NotImplementedError
