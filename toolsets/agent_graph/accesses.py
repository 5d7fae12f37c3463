"""Reads are counted in memory and recorded together, so that reading costs no write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from threading import Lock

from backends.ports.values import Micros
from toolsets.agent_graph.entity import Counted, Entity, Landing

LATEST = 256
"""Reads not recorded yet that lists take into account; a busy server must not look up thousands for each."""
BATCH = 1_000
"""Entities whose reads are recorded in one step."""
REMEMBERED_S = 10.0
"""How long what was recorded stays known: a call that read the graph just before may still ask."""


@dataclass(frozen=True, slots=True)
class _Tally:
    """Reads of an entity; `version` is that of the entity in which they are recorded, None while they are nowhere."""

    count: int
    last: Micros
    version: int | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Tallies that were recorded together, and the time until which they are remembered."""

    tallies: Mapping[str, _Tally]
    until: float


class Accesses:
    """The reads of this process that an entity may not show yet.

    A read belongs to one of three: still counted, just being recorded, recorded of late. The last two know in which version
    of the entity they are, so that each is shown once, whether the entity was read before or after the recording.
    A decision may ask from another thread.
    """

    def __init__(self, now: Callable[[], Micros], clock: Callable[[], float]) -> None:
        self._now = now
        self._clock = clock
        self._counts: dict[str, _Tally] = {}
        self._leaving: dict[str, _Tally] = {}
        self._left: list[_Batch] = []
        self._moving = Lock()

    def note(self, entity_ids: Iterable[str]) -> None:
        """Count a read of each entity."""
        now = self._now()
        with self._moving:
            for entity_id in entity_ids:
                former = self._counts.pop(entity_id, _Tally(0, now))
                self._counts[entity_id] = _Tally(former.count + 1, now)  # at the end: the last one read

    def unrecorded(self, entity_id: str) -> tuple[int, Micros]:
        """Return how many reads an entity may lack at most, and when it was read last."""
        tallies = self._tallies(entity_id)
        return sum(tally.count for tally in tallies), max((tally.last for tally in tallies), default=Micros(0))

    def shown(self, entity: Entity) -> Entity:
        """Return the entity with its reads that are not in this version of it."""
        tallies = self._tallies(entity.id)
        missing = [tally for tally in tallies if tally.version is None or tally.version > entity.version]
        if not missing:
            return entity
        last = max(entity.accessed_at, *(tally.last for tally in missing))
        return replace(entity, accesses=entity.accesses + sum(tally.count for tally in missing), accessed_at=last)

    def moved(self, sources: Iterable[str], target: str) -> None:
        """Count for the target what was counted for entities that were merged into it."""
        with self._moving:
            for source in sources:
                if (tally := self._counts.pop(source, None)) is not None:
                    self._add(target, tally)

    @property
    def noted(self) -> Sequence[str]:
        """The last 256 entities with reads that are not recorded yet, the latest first."""
        return list(islice(dict.fromkeys(chain(reversed(self._counts), reversed(self._leaving))), LATEST))

    @property
    def batches(self) -> int:
        """How many steps it takes to record what is counted now."""
        return -(-len(self._counts) // BATCH)

    def taken(self) -> list[Counted]:
        """Begin to record up to 1,000 of the counts; return them as (id, count, last)."""
        with self._moving:
            self._left = [batch for batch in self._left if batch.until > self._clock()]
            self._leaving = {entity_id: self._counts.pop(entity_id) for entity_id in list(self._counts)[:BATCH]}
        return [(entity_id, tally.count, tally.last) for entity_id, tally in self._leaving.items()]

    def landing(self, landings: Iterable[Landing]) -> None:
        """Say in which version of which entity the counts being recorded are going to be."""
        self._leaving = {
            landing.entity_id: _Tally(landing.count, Micros(landing.last), landing.version) for landing in landings
        }

    def recorded(self) -> None:
        """Say that what was taken is recorded."""
        with self._moving:
            self._left.append(_Batch(self._leaving, self._clock() + REMEMBERED_S))
            self._leaving = {}

    def kept(self) -> None:
        """Count on what was taken and is not recorded."""
        with self._moving:
            leaving, self._leaving = self._leaving, {}
            for entity_id, tally in leaving.items():
                self._add(entity_id, tally)

    def _tallies(self, entity_id: str) -> list[_Tally]:
        with self._moving:
            everywhere = (self._counts, self._leaving, *(batch.tallies for batch in self._left))
            return [tallies[entity_id] for tallies in everywhere if entity_id in tallies]

    def _add(self, entity_id: str, tally: _Tally) -> None:
        former = self._counts.get(entity_id, _Tally(0, tally.last))
        self._counts[entity_id] = _Tally(former.count + tally.count, max(former.last, tally.last))
