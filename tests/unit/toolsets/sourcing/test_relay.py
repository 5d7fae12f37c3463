"""What the write path could not project is projected later: from the log, once, and never backwards."""

import asyncio
import json
import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from backends.ports.errors import StoreError, Unavailable
from backends.ports.events import EventLog, StreamName
from backends.ports.values import NodeId
from contracts.ports.event_records import read
from tests.support.leases import unanswered_leases
from tests.unit.toolsets.sourcing.library import BOOKS, PROJECTOR, Library, library_in
from toolsets.clock import system_now
from toolsets.reports import no_progress
from toolsets.sourcing import relay
from toolsets.sourcing.follower import Follower
from toolsets.sourcing.health import ProjectionCounts
from toolsets.sourcing.lineage import FOLLOWS, OtherLog, record_lineage
from toolsets.sourcing.projection_store import GraphStore
from toolsets.sourcing.write_path import InFlight

PATIENCE_S = 20.0


def remove(directory: Path, store: str) -> None:
    for file in directory.glob(f"{store}.db*"):
        file.unlink()


async def some_books(library: Library) -> None:
    """Write six events: four books, a new title of one, and a sequel."""
    for number in range(4):
        assert await library.title(f"b{number}", f"title {number}")
    await library.title("b1", "new title")
    await library.sequel("b0", "b1")


async def drained(library: Library) -> None:
    """Wait until nothing is pending and nothing is parked. Raises `TimeoutError`."""
    log = await library.sourced.live_stores.log()
    async with asyncio.timeout(PATIENCE_S):
        while (counted := await library.projection_counts()).pending or counted.failed:
            await log.wait(await log.head(), timeout_s=0.02)


async def assert_all_there(library: Library, *others: str) -> None:
    titles = sorted(["new title", "title 0", "title 2", "title 3", *others])
    assert await library.titles() == (titles, titles)
    graph = (await library.sourced.live_stores.graph()).graph
    assert await graph.count_edges() == {"sequel": 1}


@pytest.mark.parametrize(
    ("store", "before"),
    [("graph", ProjectionCounts(pending=6, processed=5)), ("vectors", ProjectionCounts(pending=5, processed=6))],
)
async def test_a_lost_store_is_made_again_from_the_log(tmp_path: Path, store: str, before: ProjectionCounts) -> None:
    async with library_in(tmp_path) as library:
        await some_books(library)
    remove(tmp_path, store)
    async with library_in(tmp_path) as library:
        assert await library.projection_counts() == before
        await library.sourced.relay.catch_up()
        assert await library.projection_counts() == ProjectionCounts(processed=11)
        await assert_all_there(library)


async def test_a_graph_deleted_while_running_delays_writes_and_loses_none(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await some_books(library)
        remove(tmp_path, "graph")
        assert not await library.title("after", "after the loss")
        assert await library.projection_counts() == ProjectionCounts(pending=7, processed=6)
    async with library_in(tmp_path) as library:
        await library.sourced.relay.catch_up()
        await assert_all_there(library, "after the loss")


async def test_the_relay_notices_by_itself_that_stores_were_lost(tmp_path: Path) -> None:
    async with library_in(tmp_path, relay=True) as library:
        await some_books(library)
        remove(tmp_path, "graph")
        remove(tmp_path, "vectors")
        await drained(library)
        await assert_all_there(library)


@pytest.mark.parametrize("store", ["graph", "vectors"])
async def test_a_store_lost_in_use_is_not_read_before_it_has_everything_again(tmp_path: Path, store: str) -> None:
    """Half of the facts, or none, would look like an answer."""
    async with library_in(tmp_path) as library:
        await some_books(library)
        await library.titles()
        remove(tmp_path, store)
        relay, live = library.sourced.relay, library.sourced.live_stores
        with pytest.raises(StoreError, match="removed or replaced"):
            await library.titles()
        live.invalidate("graph")
        live.invalidate("vectors")
        with pytest.raises(Unavailable, match="was lost and is being filled again"):
            await library.titles()
        health = await library.sourced.health()
        assert any("was lost and is being filled again" in problem for problem in health.problems)
        await relay.catch_up()
        await assert_all_there(library)
        assert (await library.sourced.health()).problems == ()


@pytest.mark.parametrize("store", ["graph", "vectors"])
async def test_a_store_lost_while_no_server_ran_is_not_read_before_it_has_everything_again(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as library:
        await some_books(library)
    remove(tmp_path, store)
    monkeypatch.setattr("toolsets.sourcing.relay.START_S", 0)
    async with library_in(tmp_path) as leader, library_in(tmp_path) as other:
        for each in (leader, other):
            await each.sourced.ready()
            with pytest.raises(Unavailable, match="was lost and is being filled again"):
                await each.titles()
            problems = (await each.sourced.health()).problems
            assert any("was lost and is being filled again" in problem for problem in problems)
        await leader.sourced.relay.catch_up()
        await assert_all_there(leader)
        await other.sourced.relay.catch_up()
        await assert_all_there(other)
        assert (await leader.sourced.health()).problems == ()


async def test_a_lost_store_whose_filling_was_stopped_is_not_read_after_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as library:
        await some_books(library)
    remove(tmp_path, "graph")
    monkeypatch.setattr("toolsets.sourcing.relay.START_S", 0)
    monkeypatch.setattr("toolsets.sourcing.follower.BATCH_WEIGHT", 1)
    async with library_in(tmp_path) as library:
        await library.sourced.ready()
        live = library.sourced.live_stores
        follower = Follower(await live.log(), PROJECTOR, await live.store("graph"), system_now, InFlight(), live.rng)
        await follower.start()
        assert await follower.advance()
        # Killed: nothing is saved.
    async with library_in(tmp_path) as library:
        await library.sourced.ready()
        with pytest.raises(Unavailable, match="was lost and is being filled again"):
            await library.titles()
        await library.sourced.relay.catch_up()
        await assert_all_there(library)


async def test_stores_that_a_command_has_filled_are_read_at_once(tmp_path: Path) -> None:
    """A command projects what it writes, and saves no position."""
    async with library_in(tmp_path) as command:
        await some_books(command)
        async with library_in(tmp_path) as server:
            await server.sourced.ready()
            await assert_all_there(server)


def copied(directory: Path, store: str) -> Path:
    """Return a copy of a store as it is now."""
    copy = directory / f"{store} copy"
    with closing(sqlite3.connect(directory / f"{store}.db")) as live, closing(sqlite3.connect(copy)) as target:
        live.backup(target)
    return copy


@pytest.mark.parametrize("first", ["a reader", "health", "the relay", "a write"])
@pytest.mark.parametrize("store", ["graph", "vectors"])
async def test_an_older_copy_put_back_in_use_is_not_read_before_it_has_everything_again(
    tmp_path: Path, store: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolsets.sourcing.follower.SAVE_EVERY_S", 0)
    async with library_in(tmp_path) as library:
        await library.title("b0", "title 0")
        await library.sourced.relay.catch_up()
        copy = copied(tmp_path, store)
        await some_books(library)
        await library.sourced.relay.catch_up()
        remove(tmp_path, store)
        copy.rename(tmp_path / f"{store}.db")
        match first:
            case "a reader":
                with (
                    pytest.raises(Unavailable, match="removed or replaced"),
                    library.sourced.invalidating("graph"),
                    library.sourced.invalidating("vectors"),
                ):
                    await library.titles()
            case "health":
                assert "removed or replaced" in (await library.sourced.health()).problems[0]
            case "the relay":
                library.sourced.relay.check_soon()
                with pytest.raises(Unavailable, match="removed or replaced"):
                    await library.sourced.relay.catch_up()
            case _:
                assert not await library.title("b1", "new title")
        for _ in range(2):
            with pytest.raises(Unavailable, match="was lost and is being filled again"):
                await library.titles()
            health = await library.sourced.health()
            assert health.lag
            assert any("was lost and is being filled again" in problem for problem in health.problems)
        await library.sourced.relay.catch_up()
        await assert_all_there(library)
        assert (await library.sourced.health()).problems == ()


@pytest.mark.parametrize("first", ["the relay", "a write"])
async def test_an_older_state_of_an_engine_that_says_nothing_is_noticed(
    tmp_path: Path, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolsets.sourcing.follower.SAVE_EVERY_S", 0)
    async with library_in(tmp_path) as library, library_in(tmp_path) as other:
        await library.title("b0", "title 0")
        await library.sourced.relay.catch_up()
        copy = copied(tmp_path, "graph")
        await some_books(library)
        await library.sourced.relay.catch_up()
        await other.sourced.ready()
        await assert_all_there(other)
        with closing(sqlite3.connect(copy)) as former, closing(sqlite3.connect(tmp_path / "graph.db")) as live:
            former.backup(live)
        if first == "a write":
            assert await library.title("b9", "later")
        else:
            for each in (library, other):
                each.sourced.relay.check_soon()
            await other.sourced.relay.catch_up()
            with pytest.raises(Unavailable, match="was lost and is being filled again"):
                await other.titles()
        await library.sourced.relay.catch_up()
        await other.sourced.relay.catch_up()
        later = ("later",) if first == "a write" else ()
        await assert_all_there(library, *later)
        await assert_all_there(other, *later)


async def test_a_process_that_does_not_lead_reads_a_lost_store_once_another_one_has_filled_it(tmp_path: Path) -> None:
    async with library_in(tmp_path) as leader, library_in(tmp_path) as other:
        await some_books(leader)
        await leader.sourced.relay.catch_up()
        await other.titles()
        remove(tmp_path, "graph")
        for _ in range(2):
            with pytest.raises(StoreError):
                await other.titles()
            other.sourced.live_stores.invalidate("graph")
        assert "graph" in other.sourced.live_stores.filling
        with suppress(StoreError):
            await leader.sourced.relay.catch_up()
        await leader.sourced.relay.catch_up()
        await other.sourced.relay.catch_up()
        await assert_all_there(other)


async def test_a_relay_that_is_stopped_while_it_asks_for_its_lease_leaves_none_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as library, library_in(tmp_path) as next_one:
        with unanswered_leases(monkeypatch) as granted:
            running = asyncio.create_task(library.sourced.relay.run())
            await granted.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        log, live = await next_one.sourced.live_stores.log(), next_one.sourced.live_stores
        name = (await live.leadership("graph")).name
        assert await log.lease_owner(name) is not None
        await library.sourced.release()
        assert await log.lease_owner(name) is None


async def test_a_renewal_that_fails_in_an_unforeseen_way_does_not_end_the_relay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "RENEW_S", 0.05)
    async with library_in(tmp_path) as library:
        failed = asyncio.Event()

        async def renew(_: EventLog) -> None:
            failed.set()
            raise ZeroDivisionError

        monkeypatch.setattr(await library.sourced.live_stores.leadership("graph"), "renew", renew)
        running = asyncio.create_task(library.sourced.relay.run())
        async with asyncio.timeout(PATIENCE_S):
            await failed.wait()
            assert await library.title("b", "title")
        await asyncio.sleep(0.2)
        assert library.sourced.relay.is_running
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_leases_are_released_although_a_store_is_down(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        assert await library.title("b", "title")
        await library.sourced.relay.catch_up()
        live = library.sourced.live_stores
        log, names = await live.log(), [(await live.leadership(port)).name for port in ("graph", "vectors")]
        (tmp_path / "graph.db").rename(tmp_path / "aside")
        await library.sourced.release()
        assert [await log.lease_owner(name) for name in names] == [None, None]


async def test_a_full_disk_delays_projections_and_loses_nothing(tmp_path: Path) -> None:
    """Titles are one long word each: many bytes to store, one token to embed."""
    async with library_in(tmp_path, max_pages=120) as library:
        written = 1
        while await library.title(f"b{written}", f"{written} " + "x" * 1_000):
            written += 1
        assert (await library.projection_counts()).pending > 0
    async with library_in(tmp_path) as library:
        await library.sourced.relay.catch_up()
        graph, vectors = await library.titles()
        assert len(graph) == len(vectors) == written


async def test_a_damaged_store_is_waited_for_and_no_stream_is_blamed(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        assert await library.title("whole", "before")
        with closing(sqlite3.connect(tmp_path / "graph.db")) as database, database:
            database.execute("DROP TABLE nodes")
        database.close()
        assert not await library.title("later", "after")
        with pytest.raises(StoreError):
            await library.sourced.relay.catch_up()
        counted = await library.projection_counts()
        assert counted.pending >= 1
        assert counted.failed == 0


async def test_a_late_projection_never_puts_an_old_state_over_a_new_one(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await library.title("b", "first")
        stream = StreamName(f"{BOOKS}b")
        log = await library.sourced.live_stores.log()
        old = PROJECTOR.project(stream, tuple(await read(log, stream)))
        await library.title("b", "second")
        graph = (await library.sourced.live_stores.graph()).graph
        await GraphStore(PROJECTOR, graph, "x").write([old], {})
        assert (await library.titles())[0] == ["second"]
        assert (await graph.node_revisions([NodeId("b")])) == {NodeId("b"): 2}


async def test_two_instances_on_one_directory_lose_nothing(tmp_path: Path) -> None:
    async with library_in(tmp_path, relay=True) as one, library_in(tmp_path, relay=True) as two:
        edits = (each.title("shared", f"edit {number}") for number in range(6) for each in (one, two))
        books = (each.title(f"b{number}", f"title {number}") for number, each in enumerate((one, two) * 5))
        await asyncio.gather(*edits, *books)
        for instance in (one, two):
            await drained(instance)
            graph, vectors = await instance.titles()
            assert graph == vectors
            assert len(graph) == 11
        log = await one.sourced.live_stores.log()
        assert await log.count("library/book/") == 22


async def test_after_a_failure_of_the_log_a_write_notices_by_itself_that_it_went_back(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await library.sourced.ready()
        await library.title("a", "kept")
        live = library.sourced.live_stores
        meta = (await live.store("graph")).meta
        await record_lineage(await live.log(), meta, PROJECTOR.prefix, random.Random(1))
        followed = json.loads(str(await meta.get_meta(FOLLOWS)))
        await meta.set_meta(FOLLOWS, json.dumps(followed | {"event": "another"}))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(await live.log()), "read_streams", unanswered)
            with pytest.raises(Unavailable):
                await library.title("b", "while the log is down")
        with pytest.raises(OtherLog, match="has another event"):
            await library.title("b", "refused")
        assert await library.titles() == (["kept"], ["kept"])


async def unanswered(*_: object) -> None:
    raise Unavailable("the log does not answer")


async def test_a_log_that_went_back_in_use_is_not_written_before_the_stores_are_rebuilt(tmp_path: Path) -> None:
    """Stores would keep records that the log does not have, and refuse new ones as outdated."""
    async with library_in(tmp_path) as library, library_in(tmp_path) as command:
        await library.sourced.ready()
        await some_books(library)
        relay, live = library.sourced.relay, library.sourced.live_stores
        await relay.catch_up()
        meta = (await live.store("graph")).meta
        followed = json.loads(str(await meta.get_meta(FOLLOWS))) | {"own": 1_000}
        await meta.set_meta(FOLLOWS, json.dumps(followed))
        assert await library.title("late", "before it is noticed")
        for _ in range(2):
            relay.check_soon()
            with pytest.raises(OtherLog, match="to position 1000, but the log ends at 7: an older copy"):
                await relay.catch_up()
        assert json.loads(str(await meta.get_meta(FOLLOWS))) == followed
        with pytest.raises(OtherLog, match="an older copy"):
            await library.title("later", "after it was noticed")
        assert any("an older copy" in problem for problem in (await library.sourced.health()).problems)
        await command.sourced.rebuilder.rebuild(no_progress)
        await relay.catch_up()
        assert await library.title("later", "after the rebuild")
        await assert_all_there(library, "before it is noticed", "after the rebuild")
        assert (await library.sourced.health()).problems == ()
