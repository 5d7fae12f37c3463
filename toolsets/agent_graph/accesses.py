"""Reads are counted in memory and recorded together, so that reading costs no write."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import islice

from backends.ports.values import Micros
from toolsets.agent_graph.entity import Counted, Entity

LATEST = 256
"""Reads not recorded yet that lists take into account; a busy server must not look up thousands for each."""
BATCH = 1_000
"""Entities whose reads are recorded in one step."""


class Accesses:
    """The reads of this process that are not recorded yet."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._now = now
        self._counts: dict[str, tuple[int, Micros]] = {}
        self._taken: dict[str, tuple[int, Micros]] = {}
        """Of these, what is being recorded; the record may be there before that is known."""

    def note(self, entity_ids: Iterable[str]) -> None:
        """Count a read of each entity."""
        now = self._now()
        for entity_id in entity_ids:
            count, _ = self._counts.pop(entity_id, (0, now))
            self._counts[entity_id] = (count + 1, now)  # at the end: the last one read

    def unrecorded(self, entity_id: str) -> tuple[int, Micros]:
        """Return how often an entity was read since the last recording, and when last."""
        return self._counts.get(entity_id, (0, Micros(0)))

    def shown(self, entity: Entity) -> Entity:
        """Return the entity with the reads that are still to be recorded."""
        count, last = self._counts.get(entity.id, (0, entity.accessed_at))
        taken, last_taken = self._taken.get(entity.id, (0, last))
        if entity.accessed_at >= last_taken:
            count -= taken
        if count <= 0:
            return entity
        return replace(entity, accesses=entity.accesses + count, accessed_at=max(entity.accessed_at, last))

    def moved(self, sources: Iterable[str], target: str) -> None:
        """Count for the target what was counted for entities that were merged into it."""
        for source in sources:
            if (counted := self._counts.pop(source, None)) is not None:
                count, last = self._counts.get(target, (0, Micros(0)))
                self._counts[target] = (count + counted[0], max(last, counted[1]))

    @property
    def noted(self) -> Collection[str]:
        """The last 256 entities read since the last recording, the latest first."""
        return list(islice(reversed(self._counts), LATEST))

    def taken(self) -> list[Counted]:
        """Return up to 1,000 of the counts as (id, count, last)."""
        self._taken = dict(islice(self._counts.items(), BATCH))
        return [(entity_id, *counted) for entity_id, counted in self._taken.items()]

    def recorded(self, counted: Iterable[Counted]) -> None:
        """Forget reads that are recorded now; what was counted meanwhile stays."""
        self._taken = {}
        for entity_id, count, _ in counted:
            now, last = self._counts.get(entity_id, (0, Micros(0)))
            if now > count:
                self._counts[entity_id] = (now - count, last)
            else:
                self._counts.pop(entity_id, None)
