"""Records of an earlier version of a projector are made anew before they are used, whatever happens meanwhile."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from backends.ports.errors import StoreError, Unavailable, Unusable
from backends.ports.events import StreamName
from backends.ports.graph import KindSpec, Node
from backends.ports.values import FieldSpec, NodeId, Revision
from tests.support.damage import table_gone
from tests.unit.toolsets.sourcing.library import BOOKS, PROJECTOR, Library, library, library_in
from toolsets.reports import no_progress
from toolsets.sourcing import rebuild, sourced
from toolsets.sourcing.aggregate import History, UnreadableEvent
from toolsets.sourcing.errors import failure
from toolsets.sourcing.generations import OlderRecords
from toolsets.sourcing.health import SourcedHealth, search_once
from toolsets.sourcing.projection import Projection, ProjectionPort, Projector
from toolsets.sourcing.stores import LiveStores
from toolsets.spec import ToolError

COUNT = 12


def _book(stream: StreamName, history: History) -> Projection:
    """Project a book with all its titles in a list, where the first version had the last one as a text."""
    former = PROJECTOR.streams[0].project(stream, history)
    titles = tuple(str(event.data["title"]) for event in history)
    node = Node(NodeId(stream.removeprefix(BOOKS)), "book", {"title": titles}, Revision(len(history)))
    return replace(former, nodes=(node,))


SECOND: Projector = replace(
    PROJECTOR,
    version=2,
    kinds=(KindSpec("book", (FieldSpec("title", "strs", text=True),)),),
    streams=(replace(PROJECTOR.streams[0], project=_book), PROJECTOR.streams[1]),
)


async def fill(folder: Path) -> None:
    """Write books and a sequel with the first version."""
    async with library_in(folder) as first:
        for number in range(COUNT):
            await first.title(f"b{number:02}", f"title {number}")
        await first.sequel("b00", "b01")


async def upgraded(library: Library) -> list[str]:
    """Return the titles of all books after opening the stores."""
    await library.sourced.ready()
    graph = (await library.sourced.live_stores.graph()).graph
    assert len((await graph.scan_edges()).items) == 1
    return [str(node.fields["title"]) for node in (await graph.find("book")).items]


EXPECTED = [str((f"title {number}",)) for number in range(COUNT)]


async def test_stores_of_an_earlier_version_are_rebuilt_when_they_are_opened(tmp_path: Path) -> None:
    await fill(tmp_path)
    async with library_in(tmp_path, projector=SECOND) as second:
        with pytest.raises(OlderRecords, match="earlier version"):
            await second.sourced.live_stores.graph()
        assert (await second.sourced.health()).problems
        assert await upgraded(second) == EXPECTED
        assert (await second.sourced.health()).problems == ()
        live = second.sourced.live_stores
        assert (await live.generation("graph"), await live.generation("vectors")) == (2, 2)
        assert await second.title("b00", "again")
    async with library_in(tmp_path, projector=SECOND) as again:
        await again.sourced.ready()
        assert await again.sourced.live_stores.generation("graph") == 2
        report = await again.sourced.rebuilder.rebuild(no_progress)
        assert (report.digest, report.embedded) == (report.former_digest, 0)


async def test_an_upgrade_that_was_killed_is_repeated(tmp_path: Path) -> None:
    """Wherever it stopped: a generation that is not whole is never live, and is cleared before the next attempt."""
    await fill(tmp_path)
    for after in (0, 1, COUNT - 1):
        dying = [sys.executable, "-m", "tests.unit.toolsets.sourcing.test_sourced", str(tmp_path), str(after)]
        ended = await asyncio.to_thread(subprocess.run, dying, timeout=120, check=False)
        assert ended.returncode == -signal.SIGKILL
        async with library_in(tmp_path, projector=SECOND) as second:
            with pytest.raises(OlderRecords):
                await second.sourced.live_stores.graph()
    async with library_in(tmp_path, projector=SECOND) as second:
        assert await upgraded(second) == EXPECTED


async def test_processes_that_start_together_upgrade_once(tmp_path: Path) -> None:
    await fill(tmp_path)
    async with library_in(tmp_path, projector=SECOND) as one, library_in(tmp_path, projector=SECOND) as two:
        with anyio.fail_after(60):
            assert await asyncio.gather(upgraded(one), upgraded(two)) == [EXPECTED, EXPECTED]
        assert await one.sourced.live_stores.generation("graph") == 2
        assert await two.sourced.live_stores.generation("graph") == 2


async def test_an_upgrade_that_another_process_ended_meanwhile_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(tmp_path)
    async with library_in(tmp_path, projector=SECOND) as one, library_in(tmp_path, projector=SECOND) as two:
        live = two.sourced.live_stores
        asked = live.has_older_records

        async def outdated_until_now() -> bool:
            monkeypatch.setattr(live, "has_older_records", asked)
            answer = await asked()
            await one.sourced.upgrade()
            return answer

        monkeypatch.setattr(live, "has_older_records", outdated_until_now)
        assert await upgraded(two) == EXPECTED
        assert (await live.generation("graph"), await live.generation("vectors")) == (2, 2)


async def test_the_relay_upgrades_what_could_not_be_upgraded_at_the_start(tmp_path: Path) -> None:
    """Without `ready`, as when the log was down then; writes wait in the log meanwhile."""
    await fill(tmp_path)
    async with library_in(tmp_path, projector=SECOND) as second:
        assert not await second.title("b00", "again")
        relay = asyncio.create_task(second.sourced.relay.run())
        with anyio.fail_after(60):
            while (await second.sourced.health()).lag != 0:
                await anyio.sleep(0.05)
        relay.cancel()
        graph = (await second.sourced.live_stores.graph()).graph
        assert (await graph.get_nodes([NodeId("b00")]))[NodeId("b00")].fields == {"title": ("title 0", "again")}


async def test_stores_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    async with library_in(tmp_path, projector=SECOND) as second:
        assert await second.title("b00", "title")
    async with library_in(tmp_path) as first:
        with pytest.raises(Unusable, match="newer version"):
            await first.sourced.ready()
        assert issubclass(OlderRecords, Unavailable)


def _loud_book(stream: StreamName, history: History) -> Projection:
    """Project a book as the first version does, but with its title in capitals."""
    former = PROJECTOR.streams[0].project(stream, history)
    return replace(
        former, nodes=tuple(replace(node, fields={"title": str(node.fields["title"]).upper()}) for node in former.nodes)
    )


LOUD: Projector = replace(
    PROJECTOR, version=2, streams=(replace(PROJECTOR.streams[0], project=_loud_book), PROJECTOR.streams[1])
)


async def test_a_server_of_the_former_version_writes_nothing_into_stores_of_a_newer_one(tmp_path: Path) -> None:
    """It notices the upgrade, and leaves the stores to a server that can write them; what it recorded is in the log."""
    async with (
        library_in(tmp_path, relay=True) as first,
        library_in(tmp_path, projector=LOUD) as second,
        anyio.create_task_group() as group,
    ):
        expected = [f"TITLE {number}" for number in range(COUNT)]
        for number in range(COUNT):
            await first.title(f"b{number:02}", f"title {number}")
        upgrade = asyncio.create_task(second.sourced.ready())
        while not upgrade.done():
            number = len(expected)
            await first.title(f"b{number:02}", f"title {number}")
            expected.append(f"TITLE {number}")
        await upgrade
        group.start_soon(second.sourced.relay.run)
        with anyio.fail_after(30):
            while not (await first.sourced.health()).problems:
                await anyio.sleep(0.05)
        assert "newer version" in str((await first.sourced.health()).problems)
        await first.title("last", "last")
        with pytest.raises(Unusable, match="newer version"):
            await first.titles()
        with anyio.fail_after(30):
            while (await second.sourced.health()).lag != 0:
                await anyio.sleep(0.05)
        assert (await second.titles())[0] == sorted([*expected, "LAST"])
        group.cancel_scope.cancel()


@asynccontextmanager
async def behind_its_log(folder: Path) -> AsyncGenerator[Library]:
    """Run a server on a log to which another one, with stores of its own, added a book."""
    async with library(folder / "log", folder / "other graph", folder / "other vectors") as other:
        await other.title("a", "title")
    async with library(folder / "log", folder / "graph", folder / "vectors") as server:
        yield server


async def test_projections_that_nobody_makes_are_a_problem_until_somebody_leads(tmp_path: Path) -> None:
    async with behind_its_log(tmp_path) as server:
        sentence = (
            "2 projections are pending, because no server leads the graph and the vector store: "
            "start a server, or run `entrepot rebuild`"
        )
        assert await server.sourced.health() == SourcedHealth(2, (sentence,))
        await server.sourced.relay.catch_up()
        assert await server.sourced.health() == SourcedHealth(0)


async def test_a_server_has_some_time_to_lead_before_it_says_that_nobody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with behind_its_log(tmp_path) as server:
        monkeypatch.setattr(server.sourced.relay, "is_running", True)
        assert await server.sourced.health() == SourcedHealth(2)
        monkeypatch.setattr(sourced, "LEADERLESS_S", 0.0)
        [problem] = (await server.sourced.health()).problems
        assert "no server leads the graph and the vector store" in problem


async def test_a_command_that_asks_once_sees_how_long_the_oldest_projection_has_been_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with behind_its_log(tmp_path) as server:
        monkeypatch.setattr(sourced, "LAGGING_S", 0.0)
        [problem] = (await server.sourced.health()).problems
        assert problem.startswith("2 projections are pending, the oldest for ")
        await server.sourced.relay.catch_up()
        assert await server.sourced.health() == SourcedHealth(0)


async def _die(folder: Path, after: int) -> None:
    """Upgrade, and kill this process when some books are projected; what it leased is free a second later."""
    rebuild.REBUILD_LEASE_S = 1.0
    projected: list[str] = []

    def dying(stream: StreamName, history: History) -> Projection:
        if len(projected) == after:
            os.kill(os.getpid(), signal.SIGKILL)
        projected.append(stream)
        return _book(stream, history)

    streams = (replace(SECOND.streams[0], project=dying), SECOND.streams[1])
    async with library_in(folder, projector=replace(SECOND, streams=streams)) as second:
        await second.sourced.upgrade()


if __name__ == "__main__":
    asyncio.run(_die(Path(sys.argv[1]), int(sys.argv[2])))


@pytest.mark.parametrize(
    ("error", "opens_again"), [(Unavailable("down"), True), (UnreadableEvent("a.b is not known"), False)]
)
async def test_using_a_store_words_its_errors_and_opens_it_again_after_a_failure(
    tmp_path: Path, error: Exception, *, opens_again: bool
) -> None:
    async with library_in(tmp_path) as library:
        live_stores = library.sourced.live_stores
        before = await live_stores.graph()
        with (
            pytest.raises(ToolError) as caught,
            library.sourced.using("graph", lambda error: failure("code", "Reading", error)),
        ):
            raise error
        assert caught.value.code == "code"
        assert caught.value.__cause__ is error
        assert ((await live_stores.graph()) is not before) == opens_again
        with pytest.raises(StoreError), library.sourced.invalidating("graph"):
            raise Unavailable("down")


async def test_a_text_is_embedded_as_its_passage_is(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        vector = await library.sourced.embed("a title")
        embedder = await library.sourced.live_stores.stores.embedder()
        assert (vector == (await embedder.embed(("a title",)))[0]).all()


async def test_damage_that_a_read_finds_is_a_problem_until_the_store_can_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metadata that health reads may lie in another file, which is whole."""
    async with library_in(tmp_path) as server:
        await server.title("a", "one")
        await server.sourced.relay.catch_up()
        is_damaged = True

        async def search(live_stores: LiveStores, port: ProjectionPort) -> None:
            if is_damaged:
                raise Unusable(f"The {port} are damaged.")
            await search_once(live_stores, port)

        monkeypatch.setattr(sourced, "search_once", search)
        assert (await server.sourced.health()).problems == ()
        with pytest.raises(Unusable), server.sourced.invalidating("vectors"):
            raise Unusable("The vectors are damaged.")
        for _ in range(2):
            assert (await server.sourced.health()).problems == ("The vectors are damaged.",)
        is_damaged = False
        assert (await server.sourced.health()).problems == ()


async def test_a_failure_that_passes_is_no_problem(tmp_path: Path) -> None:
    async with library_in(tmp_path) as server:
        await server.title("a", "one")
        await server.sourced.relay.catch_up()
        with pytest.raises(Unavailable), server.sourced.invalidating("vectors"):
            raise Unavailable("The vectors do not answer.")
        assert (await server.sourced.health()).problems == ()


async def test_only_nodes_with_the_last_version_of_their_streams_are_current(tmp_path: Path) -> None:
    streams = {NodeId(book): StreamName(BOOKS + book) for book in "abc"}
    async with (
        library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server,
        library(tmp_path / "log", tmp_path / "other graph", tmp_path / "other vectors") as other,
    ):
        await server.title("a", "one")
        await server.title("b", "two")
        await server.sourced.relay.catch_up()
        await server.sourced.release()
        await other.title("b", "two again")
        assert {*await server.sourced.current_nodes(streams)} == {"a"}
        assert await server.sourced.current_nodes({NodeId("c"): StreamName(f"{BOOKS}c")}) == {}
        with table_gone(tmp_path / "graph" / "graph.db", "nodes"):
            assert await server.sourced.current_nodes(streams) == {}
