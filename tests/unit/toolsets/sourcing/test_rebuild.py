"""A rebuild makes an equal generation beside the live one, with reads and writes going on, and switches to it."""

import asyncio
import random
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from backends.ports.errors import Conflict, Unusable
from backends.ports.graph import GraphBatch
from backends.ports.values import NodeId, Revision
from tests.support.leases import unanswered_leases
from tests.unit.toolsets.sourcing.library import PROJECTOR, Library, library_in
from toolsets.reports import RebuildReport, no_progress
from toolsets.sourcing import follower, rebuild
from toolsets.sourcing.generations import generation_namespace
from toolsets.sourcing.projection_store import VERSION


@pytest.fixture
async def library(tmp_path: Path) -> AsyncGenerator[Library]:
    async with library_in(tmp_path) as running:
        yield running


async def rebuilt(library: Library) -> RebuildReport:
    return await library.sourced.rebuilder.rebuild(no_progress)


async def fill(library: Library) -> None:
    """Write twenty books, new titles of six, and 25 sequels, some of them twice."""
    rng = random.Random(5)
    books = [f"b{number}" for number in range(20)]
    for book in books:
        await library.title(book, f"title of {book}")
    for book in rng.sample(books, 6):
        await library.title(book, f"edited {rng.random()}")
    for _ in range(25):
        await library.sequel(*rng.sample(books, 2))


async def test_a_rebuild_gives_equal_digests_and_answers_as_before(library: Library) -> None:
    await fill(library)
    before = await library.titles()
    report = await rebuilt(library)
    assert report.digest == report.former_digest
    assert (report.generation, report.nodes, report.vectors, report.embedded) == (2, 20, 20, 0)
    assert await library.titles() == before
    again = await rebuilt(library)
    assert (again.generation, again.digest) == (3, report.digest)
    assert await library.titles() == before


async def test_what_a_rebuild_stored_is_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write adds a segment to SQLite's word index; a rebuild leaves one."""
    monkeypatch.setattr(follower, "BATCH_WEIGHT", 5)
    async with library_in(tmp_path) as library:
        await fill(library)
        await rebuilt(library)
    former, built = word_segments(tmp_path / "vectors.db")
    assert former > built == 1


def word_segments(file: Path) -> list[int]:
    """Return of how many segments the word index of each collection consists, in the order of their declaration."""
    with closing(sqlite3.connect(file)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'words%idx' ORDER BY rowid"
        ).fetchall()
        counts = (connection.execute(f"SELECT count(DISTINCT segid) FROM {name}") for (name,) in names)  # noqa: S608
        return [int(rows.fetchone()[0]) for rows in counts]


async def test_other_processes_follow_and_a_restart_stays_on_the_new_generation(tmp_path: Path) -> None:
    async with library_in(tmp_path, relay=True) as server:
        await fill(server)
        async with library_in(tmp_path) as command:
            await rebuilt(command)
        await server.title("after", "after the switch")
        await server.sourced.relay.catch_up()
        assert "after the switch" in (await server.titles())[0]
    async with library_in(tmp_path, relay=True) as restarted:
        await restarted.sourced.relay.catch_up()
        assert await restarted.sourced.live_stores.generation("graph") == 2
        assert "after the switch" in (await restarted.titles())[0]
        counted = await restarted.projection_counts()
        assert (counted.pending, counted.failed) == (0, 0)


async def test_reads_and_writes_go_on_while_it_runs(tmp_path: Path) -> None:
    async with library_in(tmp_path, relay=True) as library:
        await fill(library)
        running = asyncio.create_task(rebuilt(library))
        written: list[str] = []
        while not running.done():
            written.append(f"meanwhile {len(written):04}")
            await library.title(f"n{len(written)}", written[-1])
            assert written[-1] in (await library.titles())[0]
        report = await running
        assert len(written) > 5
        assert report.digest == report.former_digest, "what was written meanwhile is no difference"
        await library.sourced.relay.catch_up()
        graph, vectors = await library.titles()
        assert {*written} <= {*graph} & {*vectors}
        again = await rebuilt(library)
        assert again.digest == again.former_digest


async def test_a_lost_record_is_back_after_a_rebuild(library: Library) -> None:
    await library.title("lost", "lost")
    graph = await library.sourced.live_stores.stores.graph(generation_namespace(PROJECTOR, 1))
    await graph.apply(GraphBatch(deleted_nodes={NodeId("lost"): Revision(99)}))
    assert (await library.titles())[0] == []
    report = await rebuilt(library)
    assert report.digest != report.former_digest
    assert (await library.titles())[0] == ["lost"]


async def test_a_former_generation_without_its_collection_is_replaced(library: Library) -> None:
    await fill(library)
    before = await library.titles()
    vectors = await library.sourced.live_stores.stores.vectors(generation_namespace(PROJECTOR, 1))
    await vectors.drop(PROJECTOR.collections[0].name)
    report = await rebuilt(library)
    assert (report.generation, report.vectors, report.former_digest) == (2, 20, None)
    assert await library.titles() == before


def rename_events(folder: Path, title: str) -> None:
    """Change the type of the events with a title into one that the projector does not know."""
    with closing(sqlite3.connect(folder / "events.db")) as connection, connection:
        assert connection.execute("UPDATE events SET type = 'library.t' WHERE data LIKE ?", (f"%{title}%",)).rowcount


async def test_a_record_whose_event_cannot_be_read_is_not_lost(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        await fill(library)
        await library.title("newer", "of a newer version")
        before = await library.titles()
        rename_events(tmp_path, "of a newer version")
        with pytest.raises(Unusable, match=r"an event cannot be read, .* library\.t is unknown"):
            await rebuilt(library)
        assert await library.titles() == before
        assert await library.sourced.live_stores.generation("graph") == 1


async def test_an_event_that_no_store_has_projected_does_not_stop_a_rebuild(tmp_path: Path) -> None:
    """As after files were moved aside: the other records are filled in, and the stream is tried again later."""
    async with library_in(tmp_path) as library:
        await fill(library)
        await library.title("newer", "of a newer version")
    rename_events(tmp_path, "of a newer version")
    for path in (*tmp_path.glob("graph.db*"), *tmp_path.glob("vectors.db*")):
        path.unlink()
    async with library_in(tmp_path) as library:
        assert (await rebuilt(library)).nodes == 20
        assert (await library.projection_counts()).failed == 2


@pytest.mark.parametrize("port", ["graph", "vectors"])
async def test_a_former_generation_that_cannot_be_opened_is_replaced(
    library: Library, port: Literal["graph", "vectors"], caplog: pytest.LogCaptureFixture
) -> None:
    """Its version is no number, which is no error of a store."""
    await fill(library)
    before = await library.titles()
    live = library.sourced.live_stores
    space = generation_namespace(PROJECTOR, 1)
    meta = await (live.stores.graph(space) if port == "graph" else live.stores.vectors(space))
    await meta.set_meta(VERSION, "a word")
    live.invalidate(port)
    report = await rebuilt(library)
    assert (report.generation, report.nodes, report.vectors, report.former_digest) == (2, 20, 20, None)
    assert await library.titles() == before
    assert "the former generation cannot be read" in caplog.text
    assert "a word" not in caplog.text


async def test_it_fills_other_stores_and_leaves_its_own_alone(tmp_path: Path) -> None:
    async with library_in(tmp_path / "here") as here, library_in(tmp_path / "there") as there:
        await fill(here)
        report = await here.sourced.rebuilder.rebuild(no_progress, there.sourced.live_stores.stores)
        assert (report.digest, report.generation, report.embedded) == (report.former_digest, 2, 0)
        assert (await rebuilt(here)).generation == 2


async def test_a_rebuild_that_takes_longer_than_its_lease_keeps_it(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "REBUILD_LEASE_S", 2)
    await library.title("a", "title")
    refused: list[str] = []

    async def slow(done: float, total: float | None = None, message: str | None = None) -> None:
        if refused:
            return
        await asyncio.sleep(2 * rebuild.REBUILD_LEASE_S)
        async with library_in(tmp_path) as other:
            with pytest.raises(Conflict) as caught:
                await rebuilt(other)
        refused.append(str(caught.value))

    report = await library.sourced.rebuilder.rebuild(slow)
    assert (report.generation, report.digest) == (2, report.former_digest)
    assert refused == ["another rebuild of these stores is running, or was killed less than 2 s ago"]
    assert (await rebuilt(library)).generation == 3, "its lease is free when it has ended"


async def test_a_rebuild_that_is_stopped_while_it_asks_for_its_lease_keeps_nobody_from_starting(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    await library.title("a", "title")
    with unanswered_leases(monkeypatch) as granted:
        stopped = asyncio.create_task(rebuilt(library))
        await granted.wait()
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    assert (await rebuilt(library)).generation == 2


async def test_a_rebuild_that_lost_its_lease_stops_and_switches_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after the machine slept: another one may have begun meanwhile."""
    monkeypatch.setattr(rebuild, "REBUILD_LEASE_S", 0.2)
    await library.title("a", "title")
    live = library.sourced.live_stores

    async def overslept(done: float, total: float | None = None, message: str | None = None) -> None:
        name = f"{PROJECTOR.prefix}rebuild/graph/{await live.identity('graph')}"
        log = await live.log()
        while await log.acquire_lease(name, "another one", ttl_s=60) is None:
            time.sleep(rebuild.REBUILD_LEASE_S)  # noqa: ASYNC251 (so that nothing can be renewed)
        await asyncio.sleep(60)

    with pytest.raises(Conflict, match="another one may have started"):
        await library.sourced.rebuilder.rebuild(overslept)
    assert await live.generation("graph") == 1
    assert await library.shows("title")
