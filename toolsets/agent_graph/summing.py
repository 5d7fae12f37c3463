"""Takes together what adds to a state, so that reading it back takes time in proportion to its events."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeAlias

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from toolsets.sourcing.aggregate import History

Sums: TypeAlias = Mapping[str, Callable[[Sequence[RecordedEvent]], JsonObject]]
"""Per type of event: what several of them say together. Those of one type must not touch what those of another do."""


def summed(history: History, sums: Sums) -> Iterator[RecordedEvent]:
    """Yield events, of those in `sums` one of each type for all that follow one another.

    What is in use has thousands of them, and each would be added to all that there was before it.
    """
    for adds, run in groupby(history, key=lambda event: event.type in sums):
        if not adds:
            yield from run
            continue
        by_type: dict[str, list[RecordedEvent]] = {}
        for event in run:
            by_type.setdefault(event.type, []).append(event)
        # They do not touch the same: only the version and the time of the last change ask for an order.
        for events in sorted(by_type.values(), key=lambda events: events[-1].version):
            yield replace(events[-1], data=sums[events[-1].type](events))
