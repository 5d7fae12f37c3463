"""Counts of projections done, waiting and failed, taken from the log and the stores themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backends.ports.errors import StoreError
from backends.ports.events import EventLog, RecordedEvent, StreamName
from toolsets.sourcing.follower import Standing, load_standing
from toolsets.sourcing.projection import Keys, Projector
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.targets import PortName, Target, ports_of

LOOKED_AT = 5_000
"""Events after a checkpoint that are compared one by one; when there are more, all of them count as waiting."""


@dataclass(frozen=True, slots=True)
class Outbox:
    """Pairs of event and store: the record was made, is still to be made, or was tried and failed."""

    pending: int = 0
    processed: int = 0
    failed: int = 0

    def __add__(self, other: "Outbox") -> "Outbox":
        """Add up two stores."""
        return Outbox(self.pending + other.pending, self.processed + other.processed, self.failed + other.failed)


async def event_counts(log: EventLog, projector: Projector) -> Mapping[str, int]:
    """Count the events under each projected prefix."""
    return {prefix: await log.count(prefix) for prefix in projector.prefixes}


async def outbox(sites: Sites, counts: Mapping[str, int]) -> Outbox:
    """Return the counts over the stores, given the events per prefix.

    A store that does not answer has all its events waiting. Raises the log's errors.
    """
    log = await sites.log()
    counted = Outbox()
    for port in ports_of(sites.projector):
        counted += await _outbox_of(sites, log, port, counts)
    return counted


async def waiting(sites: Sites, port: PortName) -> int:
    """Count the records of one store that are still to be made, failed ones included. Raises the store's errors."""
    log = await sites.log()
    target = await sites.target(port)
    counted = await _compare(log, sites.projector, target, total=None)
    return counted.pending + counted.failed


async def _outbox_of(sites: Sites, log: EventLog, port: PortName, counts: Mapping[str, int]) -> Outbox:
    total = sum(
        counts[prefix]
        for prefix, keys in sites.projector.prefixes.items()
        if (keys.graph if port == "graph" else keys.vectors) is not None
    )
    try:
        target = await sites.target(port)
    except StoreError:
        return Outbox(pending=total)
    try:
        return await _compare(log, sites.projector, target, total=total)
    except StoreError:
        sites.doubt(port)
        standing, _ = await load_standing(log, sites.projector, target)
        done = min(standing.pairs, total)
        return Outbox(pending=total - done, processed=done)


async def _compare(log: EventLog, projector: Projector, target: Target, *, total: int | None) -> Outbox:
    """Compare the log after the checkpoint with the store; without `total` nothing counts as processed."""
    standing, _ = await load_standing(log, projector, target)
    tail = await log.read_all(projector.prefix, after=standing.position, limit=LOOKED_AT)
    failed = await _behind(log, projector, target, standing)
    if len(tail) == LOOKED_AT:
        pending = len(tail) if total is None else max(0, total - standing.pairs)
    else:
        pending = await _pending(projector, target, tail, standing)
    return Outbox(pending, max(0, (total or 0) - pending - failed), failed)


async def _pending(projector: Projector, target: Target, tail: Sequence[RecordedEvent], standing: Standing) -> int:
    keys = {event.stream: found for event in tail if (found := _held(projector, target, event.stream)) is not None}
    keys = {stream: found for stream, found in keys.items() if stream not in standing.parked}
    stored = await target.revisions(keys)
    return sum(1 for event in tail if event.stream in keys and event.version > stored.get(event.stream, 0))


async def _behind(log: EventLog, projector: Projector, target: Target, standing: Standing) -> int:
    """Count the events of parked streams that their record does not show."""
    if not standing.parked:
        return 0
    streams = [StreamName(name) for name in standing.parked]
    keys = {stream: found for stream in streams if (found := _held(projector, target, stream)) is not None}
    stored = await target.revisions(keys)
    versions = await log.versions(tuple(keys))
    return sum(max(0, versions[stream] - stored.get(stream, 0)) for stream in keys)


def _held(projector: Projector, target: Target, stream: StreamName) -> Keys | None:
    keys = projector.keys(stream)
    return keys if keys is not None and target.holds(keys) else None
