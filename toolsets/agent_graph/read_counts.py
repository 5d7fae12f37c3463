"""Counts reads in memory, to be recorded in batches, so that a read costs no write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from threading import Lock

from backends.ports.graph import Node
from backends.ports.values import Micros
from toolsets.agent_graph.entity import NO_READS, Counted, Entity, Reads, RecordedReads
from toolsets.agent_graph.projections import entity_in

MAX_LATEST_READS = 256
"""The most entities with unrecorded reads that a listing takes into account, so that it stays cheap on a busy server."""
MAX_BATCH_ENTITIES = 1_000
"""The most entities whose reads are recorded in one write."""
REMEMBERED_S = 10.0
"""How long recorded reads are remembered, for calls that read the graph just before they were recorded."""


@dataclass(frozen=True, slots=True)
class _Tally:
    """Reads of an entity; `version` is the version of the entity that includes them, None while they are unrecorded."""

    count: int
    last: Micros
    version: int | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Tallies that were recorded together, and the time until which they are remembered."""

    tallies: Mapping[str, _Tally]
    until: float


class ReadCounts:
    """The reads of this process that a projected entity may not include yet.

    A read is counted, being recorded, or recently recorded. In the last two states the version of the entity that includes
    it is known, so it is shown exactly once, whether the entity was loaded before or after the recording. Decisions may
    call these methods from another thread.
    """

    def __init__(self, now: Callable[[], Micros], clock: Callable[[], float]) -> None:
        self._now = now
        self._clock = clock
        self._counts: dict[str, _Tally] = {}
        self._being_recorded: dict[str, _Tally] = {}
        self._recently_recorded: list[_Batch] = []
        self._lock = Lock()

    def count(self, entity_ids: Iterable[str]) -> None:
        """Count a read of each entity."""
        now = self._now()
        with self._lock:
            for entity_id in entity_ids:
                former = self._counts.pop(entity_id, _Tally(0, now))
                self._counts[entity_id] = _Tally(former.count + 1, now)  # at the end, because it is the last read

    def unrecorded(self, entity_id: str, version: int = 0) -> Reads:
        """Return the reads that a version of an entity does not include; by default, the most that the graph may lack."""
        count, last = NO_READS
        for tally in self._tallies(entity_id):
            if tally.version is None or tally.version > version:
                count, last = count + tally.count, max(last, tally.last)
        return count, last

    def with_unrecorded_reads(self, entity: Entity) -> Entity:
        """Return the entity with the reads that this version of it does not include."""
        count, last = self.unrecorded(entity.id, entity.version)
        if not count:
            return entity
        return replace(entity, accesses=entity.accesses + count, accessed_at=max(entity.accessed_at, last))

    def entity_in(self, node: Node) -> Entity:
        """Return the entity of a node, with the reads that this version of it does not include."""
        return entity_in(node, self.unrecorded(node.id, node.rev))

    def transfer(self, sources: Mapping[str, int], target: str) -> None:
        """Transfer the counts of merged entities, given with the versions that were merged, to their target."""
        with self._lock:
            for source, version in sources.items():
                if (tally := self._counts.pop(source, None)) is not None:
                    self._add(target, tally)
                tally = self._being_recorded.get(source)
                if tally is not None and (tally.version is None or tally.version > version):
                    # The merge was first, so these reads will be recorded for the target, at a version not known yet.
                    former = self._being_recorded.get(target, _Tally(0, tally.last))
                    moved = _Tally(former.count + tally.count, max(former.last, tally.last))
                    others = {id_: other for id_, other in self._being_recorded.items() if id_ != source}
                    self._being_recorded = {**others, target: moved}

    @property
    def noted(self) -> Sequence[str]:
        """The ids of up to 256 entities with unrecorded reads, the last read first."""
        return list(
            islice(dict.fromkeys(chain(reversed(self._counts), reversed(self._being_recorded))), MAX_LATEST_READS)
        )

    @property
    def batches(self) -> int:
        """The number of writes that record everything counted now."""
        return -(-len(self._counts) // MAX_BATCH_ENTITIES)

    def take_batch(self) -> list[Counted]:
        """Take up to 1,000 counts for recording; return them as (id, count, last)."""
        with self._lock:
            self._recently_recorded = [batch for batch in self._recently_recorded if batch.until > self._clock()]
            self._being_recorded = {
                entity_id: self._counts.pop(entity_id) for entity_id in list(self._counts)[:MAX_BATCH_ENTITIES]
            }
        return [(entity_id, tally.count, tally.last) for entity_id, tally in self._being_recorded.items()]

    def set_versions(self, recorded: Iterable[RecordedReads]) -> None:
        """Set the entity and the version that will include each of the counts being recorded."""
        tallies = {reads.entity_id: _Tally(reads.count, Micros(reads.last), reads.version) for reads in recorded}
        with self._lock:
            self._being_recorded = tallies

    def mark_recorded(self) -> None:
        """Mark the taken counts as recorded."""
        with self._lock:
            self._recently_recorded.append(_Batch(self._being_recorded, self._clock() + REMEMBERED_S))
            self._being_recorded = {}

    def restore(self) -> None:
        """Put back the taken counts that were not recorded."""
        with self._lock:
            tallies, self._being_recorded = self._being_recorded, {}
            for entity_id, tally in tallies.items():
                self._add(entity_id, tally)

    def _tallies(self, entity_id: str) -> list[_Tally]:
        with self._lock:
            everywhere = (self._counts, self._being_recorded, *(batch.tallies for batch in self._recently_recorded))
            return [tallies[entity_id] for tallies in everywhere if entity_id in tallies]

    def _add(self, entity_id: str, tally: _Tally) -> None:
        former = self._counts.get(entity_id, _Tally(0, tally.last))
        self._counts[entity_id] = _Tally(former.count + tally.count, max(former.last, tally.last))
