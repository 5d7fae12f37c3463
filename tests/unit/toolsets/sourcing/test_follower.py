"""A stream that cannot be projected is parked and counted, others pass it, and it is tried again in time."""

import random
import shutil
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from backends.ports.errors import InvalidInput, Timeout, Unavailable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.values import Micros, NodeId
from tests.unit.toolsets.sourcing.library import BOOKS, PROJECTOR, SEQUELS, TITLED, Library, library, library_in
from toolsets.clock import system_now
from toolsets.sourcing.follower import BATCH_WEIGHT, Follower, rewind_if_restored
from toolsets.sourcing.health import ProjectionCounts
from toolsets.sourcing.lineage import FOLLOWS
from toolsets.sourcing.projection import Projection
from toolsets.sourcing.projection_store import GraphStore, KnownVectors, ProjectionStore
from toolsets.sourcing.write_path import InFlight


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = Micros(0)

    def __call__(self) -> Micros:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def books(tmp_path: Path) -> AsyncGenerator[Library]:
    async with library_in(tmp_path) as running:
        yield running


async def record(books: Library, stream: str, type_: str = TITLED) -> None:
    """Append an event past the write path, which would project it at once."""
    log = await books.sourced.live_stores.log()
    event = NewEvent(EventId(f"{stream}{type_}"), type_, {"title": stream}, Micros(0))
    await log.append([Write(StreamName(stream), (event,))], batch=BatchId(f"b{stream}{type_}"))


async def record_books(books: Library, count: int) -> list[NodeId]:
    """Append the titles of some books; return their ids."""
    ids = [NodeId(f"book-{number:02}") for number in range(count)]
    for book in ids:
        await record(books, BOOKS + book)
    return ids


async def started(books: Library, store: ProjectionStore, clock: Clock) -> Follower:
    log = await books.sourced.live_stores.log()
    follower = Follower(log, PROJECTOR, store, clock, InFlight(), random.Random(1))
    await follower.start()
    return follower


async def follow(follower: Follower) -> None:
    """Follow the log to its end."""
    while await follower.advance():
        pass


def parked_books(follower: Follower) -> set[str]:
    return {stream.removeprefix(BOOKS) for stream in follower.progress.parked}


class Poisoned(GraphStore):
    """A real graph whose engine fails whenever it is given one of some records, or any while it is `down`."""

    def __init__(self, target: GraphStore, error: Exception, *ids: str) -> None:
        super().__init__(PROJECTOR, target.graph, target.incarnation)
        self.error = error
        self.ids = set(ids)
        self.down = False
        self.writes = 0

    async def write(self, projections: Sequence[Projection], known_vectors: KnownVectors) -> None:
        """Fail, or store the records."""
        self.writes += 1
        records = [record for projection in projections for record in (*projection.nodes, *projection.edges)]
        if self.down or any(record.id in self.ids for record in records):
            raise self.error
        await super().write(projections, known_vectors)


async def test_an_edge_waits_for_its_ends_while_others_pass(books: Library, clock: Clock) -> None:
    graph = await books.sourced.live_stores.graph()
    await record(books, f"{SEQUELS}a>b", "library.sequel_noted")
    await record(books, f"{BOOKS}a")
    follower = await started(books, graph, clock)
    await follow(follower)
    await follower.save()
    assert set(follower.progress.parked) == {f"{SEQUELS}a>b"}
    assert await graph.graph.count_edges() == {}
    assert (await books.projection_counts()).failed == 1

    await record(books, f"{BOOKS}b")
    await follow(follower)
    await follower.retry_parked()
    assert follower.progress.parked, "it is not due yet"
    clock.time = Micros(3_000_000)
    await follower.retry_parked()
    await follower.save()
    assert follower.progress.parked == {}
    assert await graph.graph.count_edges() == {"sequel": 1}
    assert await books.projection_counts() == ProjectionCounts(pending=2, processed=3, failed=0)


@pytest.mark.parametrize(
    "error", [Timeout("too slow"), Unavailable("lost"), KeyError("unforeseen"), InvalidInput("no")]
)
@pytest.mark.parametrize("poison", ["book-00", "book-01", "book-02"])
async def test_a_record_at_which_the_engine_fails_does_not_hold_up_the_others(
    books: Library, clock: Clock, poison: str, error: Exception
) -> None:
    ids = await record_books(books, 3)
    target = Poisoned(await books.sourced.live_stores.graph(), error, poison)
    follower = await started(books, target, clock)
    await follow(follower)
    await follower.save()
    assert set(await target.graph.node_revisions(ids)) == {*ids} - {poison}
    assert parked_books(follower) == {poison}

    clock.time = Micros(3_000_000)
    await follower.retry_parked()
    assert [entry.attempts for entry in follower.progress.parked.values()] == [2]
    target.ids.clear()
    clock.time = Micros(9_000_000)
    await follower.retry_parked()
    assert follower.progress.parked == {}
    assert set(await target.graph.node_revisions(ids)) == {*ids}


async def test_a_store_that_takes_nothing_is_no_records_fault(books: Library, clock: Clock) -> None:
    """Nothing is parked, and it does not take a try for each record to find out."""
    ids = await record_books(books, 16)
    target = Poisoned(await books.sourced.live_stores.graph(), Unavailable("it does not write"))
    target.down = True
    follower = await started(books, target, clock)
    with pytest.raises(Unavailable, match="does not write"):
        await follower.advance()
    assert (follower.progress.parked, follower.progress.position) == ({}, 0)
    assert target.writes <= 4
    target.down = False
    await follow(follower)
    assert len(await target.graph.node_revisions(ids)) == len(ids)


async def test_an_unreadable_event_fails_alone_and_is_retried(books: Library, clock: Clock) -> None:
    await record(books, f"{BOOKS}c", "library.imagined")
    await record(books, f"{BOOKS}a")
    vectors = await books.sourced.live_stores.vectors()
    follower = await started(books, vectors, clock)
    await follow(follower)
    for attempt in (1, 2, 3):
        (parked,) = follower.progress.parked.values()
        assert (parked.attempts, parked.retry_at - clock.time) == (attempt, 2**attempt * 1_000_000)
        assert "imagined" in parked.error
        clock.time = Micros(parked.retry_at)
        await follower.retry_parked()
    await follower.save()
    assert await books.projection_counts() == ProjectionCounts(pending=2, processed=1, failed=1)
    assert (await books.sourced.health()).problems[0] == "1 projection failed and is tried again"
    assert (await started(books, vectors, clock)).progress == follower.progress


async def test_a_store_that_fails_after_a_while_is_blamed_itself(books: Library, clock: Clock) -> None:
    """It took a first record and then no other: a few are parked before the store is suspected, not all."""
    ids = await record_books(books, 40)
    target = Poisoned(await books.sourced.live_stores.graph(), Unavailable("full"), *ids[1:])
    follower = await started(books, target, clock)
    for _ in range(30):
        with pytest.raises(Unavailable):
            await follower.advance()
    assert len(follower.progress.parked) <= 3
    assert follower.progress.position == 0
    target.ids.clear()
    clock.time = Micros(1_000_000_000)
    await follow(follower)
    await follower.retry_parked()
    assert set(await target.graph.node_revisions(ids)) == {*ids}
    assert follower.progress.parked == {}


async def test_several_bad_records_do_not_stop_a_batch(books: Library, clock: Clock) -> None:
    """Wherever they stand, in the end the others are stored and they are parked."""
    ids = await record_books(books, 40)
    poison = {ids[0], ids[20], ids[39]}
    target = Poisoned(await books.sourced.live_stores.graph(), KeyError("unforeseen"), *poison)
    follower = await started(books, target, clock)
    await follow(follower)
    assert set(await target.graph.node_revisions(ids)) == {*ids} - poison
    assert parked_books(follower) == poison


WEIGHED = 6


@pytest.mark.parametrize(("weight", "batches"), [(1, 1), (BATCH_WEIGHT // 2, 3), (2 * BATCH_WEIGHT, WEIGHED)])
async def test_a_batch_has_the_fewer_events_the_heavier_their_streams_are(
    tmp_path: Path, weight: int, batches: int
) -> None:
    projector = replace(PROJECTOR, streams=tuple(replace(kind, weight=weight) for kind in PROJECTOR.streams))
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as running:
        for number in range(WEIGHED):
            await running.title(str(number), f"title {number}")
        stores = running.sourced.live_stores
        store = await stores.store("graph")
        follower = Follower(await stores.log(), projector, store, system_now, InFlight(), random.Random(1))
        await follower.start()
        count = 0
        while await follower.advance():
            count += 1
        assert (count, follower.progress.pairs) == (batches, WEIGHED)


@pytest.fixture
def nothing_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare nothing before a checkpoint, as in a store with many more events since."""
    monkeypatch.setattr("toolsets.sourcing.follower.COMPARED_AT_START", 0)


@pytest.mark.usefixtures("nothing_compared")
@pytest.mark.parametrize("store", ["graph", "vectors"])
async def test_an_older_copy_of_a_store_is_filled_from_the_start_and_not_read_before(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("log", "graph", "vectors")}
    async with library(*places.values()) as server:
        await server.sourced.ready()
        await server.title("a", "old")
    shutil.copytree(places[store], tmp_path / "copy")
    async with library(*places.values()) as server:
        await server.sourced.ready()
        for book in "bcd":
            await server.title(book, book)
        await server.sourced.relay.catch_up()
    shutil.rmtree(places[store])
    (tmp_path / "copy").rename(places[store])
    with monkeypatch.context() as patch:
        patch.setattr("toolsets.sourcing.relay.START_S", 0)
        for _ in range(2):  # a start does not hide it from the next one
            async with library(*places.values()) as server:
                await server.sourced.ready()
                with pytest.raises(Unavailable, match="is being filled again"):
                    await server.titles()
                health = await server.sourced.health()
                assert (health.lag, len(health.problems)) == (3, 1)
    async with library(*places.values()) as server:
        await server.sourced.ready()
        assert await server.titles() == (["b", "c", "d", "old"], ["b", "c", "d", "old"])
        assert (await server.sourced.health()).problems == ()


@pytest.mark.usefixtures("nothing_compared")
async def test_an_older_copy_put_back_in_use_is_noticed_when_the_checkpoint_is_saved(
    books: Library, clock: Clock
) -> None:
    await record_books(books, 3)
    graph = await books.sourced.live_stores.graph()
    follower = await started(books, graph, clock)
    await follow(follower)
    await follower.save()
    copied = await graph.meta.get_meta(FOLLOWS)
    await record(books, f"{BOOKS}b")
    await follow(follower)
    await follower.save()
    await graph.meta.set_meta(FOLLOWS, str(copied))
    await record(books, f"{BOOKS}c")
    await follow(follower)
    await follower.save()
    assert (follower.progress.position, follower.progress.filling) == (0, True)
    await follow(follower)
    await follower.save()
    assert (follower.progress.pairs, follower.progress.filling) == (5, False)


@pytest.mark.usefixtures("nothing_compared")
async def test_a_store_that_another_process_advances_meanwhile_is_no_older_copy(
    books: Library, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record_books(books, 1)
    graph = await books.sourced.live_stores.graph()
    leader = await started(books, graph, clock)
    await follow(leader)
    await leader.save()
    read = graph.meta.get_meta

    async def advancing(key: str) -> str | None:
        """Return the value of now, and have the leader follow one more event before the caller goes on."""
        value = await read(key)
        monkeypatch.setattr(graph.meta, "get_meta", read)
        await record(books, f"{BOOKS}later")
        await follow(leader)
        await leader.save()
        return value

    monkeypatch.setattr(graph.meta, "get_meta", advancing)
    assert not await rewind_if_restored(await books.sourced.live_stores.log(), PROJECTOR, graph)
