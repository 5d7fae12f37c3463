"""Health of a projector's log and stores, and counts of processed, pending and failed projections."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import AlreadyOpen, InvalidInput, StoreError, Unusable
from backends.ports.events import EventLog, RecordedEvent, StreamName
from backends.ports.values import Micros
from toolsets.replies import counted
from toolsets.sourcing.follower import COMPARED_AT_START, FollowerProgress, is_behind, load_progress, rewind_if_restored
from toolsets.sourcing.generations import LiveGenerationUnknown, OlderRecords
from toolsets.sourcing.lineage import check_lineage
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort, Projector
from toolsets.sourcing.projection_store import INCARNATION, ProjectionStore
from toolsets.sourcing.stores import LiveStores
from toolsets.spec import ToolsetHealth

MAX_COMPARED = 5_000
"""The most events after a checkpoint that are compared one by one; if there are more, all count as pending."""

EMBEDDER = "embedder"


@dataclass(frozen=True, slots=True)
class ProjectionCounts:
    """Counts of (event, store) pairs, by whether the store has the stream's record at that version."""

    pending: int = 0
    processed: int = 0
    failed: int = 0
    """Pairs whose stream failed and is parked."""

    def __add__(self, other: "ProjectionCounts") -> "ProjectionCounts":
        """Add the counts of two stores."""
        return ProjectionCounts(
            self.pending + other.pending, self.processed + other.processed, self.failed + other.failed
        )


@dataclass(frozen=True, slots=True)
class SourcedHealth:
    """The number of pending projections, which is harmless by itself, and sentences for the operator about problems."""

    lag: int | None = 0
    """None if unknown, because the log or a store does not answer."""
    problems: tuple[str, ...] = ()

    def toolset_health(self, *others: str) -> ToolsetHealth:
        """Return a toolset's health, with other problems first, each once."""
        problems = tuple(dict.fromkeys((*others, *self.problems)))
        return ToolsetHealth(ok=not problems, lag=self.lag, problems=problems)


async def sourced_health(live_stores: LiveStores, stalled: Callable[[], Sequence[str]]) -> SourcedHealth:
    """Query the log and every store of a projector concurrently, and count the pending projections. Never raises `StoreError`.

    It also writes: the checkpoint of a store that turns out to be an older copy starts at the beginning again. Such a store
    is marked as being refilled, which is not read; one with nothing pending is readable again; one that fails is opened
    again before its next use. `stalled` returns the errors that keep this process's relay from bringing its stores up.
    """
    calls: dict[str, Callable[[], Awaitable[object]]] = {"event log": partial(_ask_log, live_stores)}
    if "vectors" in live_stores.projector.ports():
        calls[EMBEDDER] = live_stores.stores.embedder
    calls |= {PORT_NAMES[port]: partial(_ask_store, live_stores, port) for port in live_stores.projector.ports()}
    problems = await failures_of(calls)
    if problems:
        return SourcedHealth(None, tuple(dict.fromkeys(problems.values())))
    try:
        sums = await projection_counts(live_stores, await event_counts(await live_stores.log(), live_stores.projector))
    except StoreError as error:
        return SourcedHealth(None, (f"the events in the log cannot be counted: {error}",))
    found = [f"projections are not being written: {error}" for error in stalled()]
    filling = (PORT_NAMES[port] for port in sorted(live_stores.filling))
    found += [f"the {name} was lost and is being filled again from the event log" for name in filling]
    if sums.failed:
        failed = counted(sums.failed, "projection failed and is", "projections failed and are")
        found.append(f"{failed} tried again")
    return SourcedHealth(sums.pending + sums.failed, tuple(found))


async def without_leader(live_stores: LiveStores) -> tuple[ProjectionPort, ...]:
    """Return the stores without a leader, whose pending projections are therefore not made.

    Raises the errors of the log and of the stores.
    """
    log = await live_stores.log()
    ports: Sequence[ProjectionPort] = live_stores.projector.ports()
    found: list[ProjectionPort] = [
        port for port in ports if await log.lease_owner((await live_stores.leadership(port)).name) is None
    ]
    return tuple(found)


async def embedder_problems(stores: Stores) -> tuple[str, ...]:
    """Return a sentence if the embedder fails."""

    async def embed() -> None:
        await (await stores.embedder()).embed(("ready?",))

    return tuple((await failures_of({EMBEDDER: embed})).values())


async def search_once(live_stores: LiveStores, port: ProjectionPort) -> None:
    """Make a small search in every kind or collection of a store. Raises the errors of the store and of the embedder."""
    projector = live_stores.projector
    if port == "graph":
        graph = (await live_stores.graph()).graph
        for kind in projector.kinds:
            await graph.find(kind.name, limit=1)
        return
    vectors = await live_stores.vectors()
    query = (await vectors.embedder.embed(("ready?",)))[0]
    for collection in projector.collections:
        await vectors.vectors.dense(collection.name, query, 1)


async def failures_of(calls: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, str]:
    """Make all calls concurrently; return a sentence for each that raised a `StoreError`, in the given order.

    That of a permanent error is the same for all calls that have its cause, such as a wrong option of their store.
    """
    sentences: dict[str, str] = {}

    async def ask(name: str) -> None:
        try:
            await calls[name]()
        except StoreError as error:
            sentences[name] = failure_sentence(name, error)

    async with anyio.create_task_group() as group:
        for name in calls:
            group.start_soon(ask, name)
    return {name: sentences[name] for name in calls if name in sentences}


def failure_sentence(name: str, error: StoreError) -> str:
    """Return the sentence for the operator about the error of a log or a store; `name` is "event log", for example.

    Only a retryable error is called an outage. Messages that say by themselves what is wrong are returned as they are.
    """
    match error:
        case OlderRecords() | Unusable() | AlreadyOpen() | InvalidInput():
            return str(error)
        case _ if error.retryable:
            return f"the {name} does not answer: {error}"
        case _:
            return f"the {name} cannot be used: {error}"


async def event_counts(log: EventLog, projector: Projector) -> Mapping[str, int]:
    """Return the number of events of each projected kind of stream, by prefix. Raises the log's errors."""
    return {kind.prefix: await log.count(kind.prefix) for kind in projector.streams}


async def projection_counts(live_stores: LiveStores, counts: Mapping[str, int]) -> ProjectionCounts:
    """Return the sum over all stores, given the result of `event_counts`.

    All events of a store that does not answer count as pending. Raises the log's errors.
    """
    log = await live_stores.log()
    sums = ProjectionCounts()
    for port in live_stores.projector.ports():
        sums += await _counts_of(live_stores, log, port, counts)
    return sums


async def pending_in(live_stores: LiveStores, port: ProjectionPort) -> int:
    """Return the number of pending projections of one store, failed ones included. Raises the store's errors."""
    log = await live_stores.log()
    sums = await _compare(live_stores, log, await live_stores.store(port), total=None)
    return sums.pending + sums.failed


async def pending_since(live_stores: LiveStores) -> Micros | None:
    """Return the time of the oldest event with a pending projection, among the first 5,000 after each checkpoint.

    None if none is pending. Raises the errors of the log and of the stores.
    """
    log = await live_stores.log()
    found: list[Micros] = []
    for port in live_stores.projector.ports():
        store = await live_stores.store(port)
        progress, _ = await load_progress(log, live_stores.projector, store)
        tail = await log.read_all(live_stores.projector.prefix, after=progress.position, limit=MAX_COMPARED)
        found += [event.at for event in await _pending(store, tail, progress)]
    return min(found, default=None)


async def _counts_of(
    live_stores: LiveStores, log: EventLog, port: ProjectionPort, counts: Mapping[str, int]
) -> ProjectionCounts:
    total = sum(counts[kind.prefix] for kind in live_stores.projector.streams if port in kind.ports())
    try:
        store = await live_stores.store(port)
    except StoreError:
        return ProjectionCounts(pending=total)
    try:
        return await _compare(live_stores, log, store, total=total)
    except StoreError:
        live_stores.invalidate(port)
        progress, _ = await load_progress(log, live_stores.projector, store)
        done = min(progress.pairs, total)
        return ProjectionCounts(pending=total - done, processed=done)


async def _compare(
    live_stores: LiveStores, log: EventLog, store: ProjectionStore, *, total: int | None
) -> ProjectionCounts:
    """Compare the log after the checkpoint with a live store; without `total` nothing counts as processed.

    If nothing is pending, a store that was being refilled becomes readable again.
    """
    projector = live_stores.projector
    progress, _ = await load_progress(log, projector, store)
    # An older copy of a store that was put back lacks records before its checkpoint.
    before = COMPARED_AT_START if store.port in live_stores.filling else 0
    tail = await log.read_all(projector.prefix, after=max(0, progress.position - before), limit=MAX_COMPARED)
    failed = await _failed(log, store, progress)
    if len(tail) == MAX_COMPARED:
        pending = len(tail) if total is None else max(0, total - progress.pairs)
    else:
        pending = len(await _pending(store, tail, progress))
    if not pending:
        live_stores.filling.discard(store.port)
    return ProjectionCounts(pending, max(0, (total or 0) - pending - failed), failed)


async def _pending(
    store: ProjectionStore, tail: Sequence[RecordedEvent], progress: FollowerProgress
) -> Sequence[RecordedEvent]:
    held = [event for event in tail if store.holds(event.stream) and event.stream not in progress.parked]
    if not held:
        return ()
    stored = await store.revisions({event.stream for event in held})
    return [event for event in held if event.version > stored.get(event.stream, 0)]


async def _failed(log: EventLog, store: ProjectionStore, progress: FollowerProgress) -> int:
    """Return the number of events of parked streams that their records do not include."""
    streams = [StreamName(name) for name in progress.parked if store.holds(StreamName(name))]
    if not streams:
        return 0
    stored = await store.revisions(streams)
    versions = await log.versions(tuple(streams))
    return sum(max(0, versions[stream] - stored.get(stream, 0)) for stream in streams)


async def _ask_log(live_stores: LiveStores) -> None:
    await (await live_stores.log()).head(live_stores.projector.prefix)


async def _ask_store(live_stores: LiveStores, port: ProjectionPort) -> None:
    try:
        if port == "vectors":
            await live_stores.stores.embedder()
    except StoreError:  # vectors are opened for an embedder, whose error is reported for itself
        return
    try:
        store = await live_stores.store(port)
    except LiveGenerationUnknown:  # the store answers; the log's error is reported for the log
        return
    try:
        await store.meta.get_meta(INCARNATION)
    except StoreError:
        live_stores.invalidate(port)
        raise
    try:
        log = await live_stores.log()
        if await is_behind(log, live_stores.projector, store):
            await rewind_if_restored(log, live_stores.projector, store)
            live_stores.filling.add(port)
        await check_lineage(log, store.port, store.meta, live_stores.projector.prefix, live_stores.rng)
    except Unusable:
        raise
    except StoreError:
        pass  # the log's error, which is reported for the log
