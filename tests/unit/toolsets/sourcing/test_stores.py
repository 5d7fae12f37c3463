"""Servers that share a log, a store, or everything: each store has an identity, and with it a lease and a live generation."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from backends.ports.errors import Conflict, Unavailable
from backends.ports.graph import Graph
from backends.ports.values import NodeId, Revision
from tests.unit.toolsets.sourcing.library import PROJECTOR, Library, library, library_in
from toolsets.reports import no_progress
from toolsets.sourcing.generations import generation_namespace, store_meta


async def both(stack: AsyncExitStack, tmp_path: Path, *, shared: str) -> tuple[Library, Library]:
    """Run two servers on one log that share the stores named in `shared`, each with its own of the others."""

    def place(port: str, server: str) -> Path:
        return tmp_path / (port if port in shared else f"{port} of {server}")

    servers = [
        await stack.enter_async_context(library(tmp_path / "log", place("graph", server), place("vectors", server)))
        for server in ("blue", "green")
    ]
    return servers[0], servers[1]


@pytest.mark.parametrize("shared", ["", "graph", "vectors", "graph vectors"])
async def test_servers_on_one_log_show_each_others_writes_whatever_stores_they_share(
    tmp_path: Path, shared: str
) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared=shared)
        assert await blue.title("a", "from blue")
        assert await green.title("b", "from green")
        for _ in range(2):  # whoever leads a shared store brings it up for both
            await blue.sourced.relay.catch_up()
            await green.sourced.relay.catch_up()
        for server in (blue, green):
            assert await server.shows("from blue", "from green")
            assert (await server.sourced.health()).lag == 0


@pytest.mark.parametrize("shared", ["", "graph", "vectors", "graph vectors"])
async def test_a_rebuild_in_one_server_leaves_the_other_one_complete(tmp_path: Path, shared: str) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared=shared)
        assert await blue.title("a", "before")
        await green.sourced.relay.catch_up()
        for _ in range(2):
            report = await blue.sourced.rebuilder.rebuild(no_progress)
            assert report.digest == report.former_digest
            await green.sourced.relay.catch_up()
        assert await green.title("b", "after")
        for _ in range(2):
            await blue.sourced.relay.catch_up()
            await green.sourced.relay.catch_up()
        for server in (blue, green):
            assert await server.shows("after", "before")


async def test_a_rebuild_into_other_stores_is_complete_and_moves_nothing_here(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="")
        assert await blue.title("a", "moved")
        report = await blue.sourced.rebuilder.rebuild(no_progress, green.sourced.live_stores.stores)
        assert (report.digest, report.embedded) == (report.former_digest, 0)
        assert await blue.sourced.live_stores.generation("graph") == 1
        assert await green.titles() == (["moved"], ["moved"])
        assert await blue.title("b", "later")
        assert await green.shows("later", "moved")


async def test_two_rebuilds_of_one_store_do_not_run_together_but_those_of_different_stores_do(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="")
        await blue.title("a", "one")
        same = await stack.enter_async_context(
            library(tmp_path / "log", tmp_path / "graph of blue", tmp_path / "vectors of blue")
        )
        results = await asyncio.gather(
            *(each.sourced.rebuilder.rebuild(no_progress) for each in (blue, green, same)), return_exceptions=True
        )
        assert isinstance(results[0], Conflict) != isinstance(results[2], Conflict)
        assert not isinstance(results[1], BaseException)


async def test_a_store_has_one_identity_for_all_who_open_it(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="graph")
        graphs = {await each.sourced.live_stores.identity("graph") for each in (blue, green)}
        vectors = {await each.sourced.live_stores.identity("vectors") for each in (blue, green)}
        assert (len(graphs), len(vectors)) == (1, 2)


async def test_a_server_writes_the_coming_generation_before_and_the_former_one_after_a_switch(tmp_path: Path) -> None:
    """So that whoever reads either of them sees every acknowledged write."""
    async with AsyncExitStack() as stack:
        blue, green = await both(stack, tmp_path, shared="graph vectors")
        await green.title("a", "first")
        await green.sourced.relay.catch_up()
        running = asyncio.create_task(blue.sourced.rebuilder.rebuild(no_progress))
        number = 0
        while not running.done():
            await green.sourced.relay.catch_up()
            number += 1
            assert await green.title("b", f"edit {number}")
            assert f"edit {number}" in (await blue.titles())[0], "blue reads the generation that is live there"
            await asyncio.sleep(0.02)
        assert await blue.sourced.live_stores.generation("graph") == 2
        await green.sourced.relay.catch_up()
        assert await green.sourced.live_stores.generation("graph") == 2
        assert await blue.title("c", "after")
        former = await blue.sourced.live_stores.stores.graph(generation_namespace(PROJECTOR, 1))
        assert await green.title("d", "kept up")
        assert (await former.node_revisions([NodeId("d")])) == {NodeId("d"): Revision(1)}


async def test_a_write_stands_although_the_other_generation_fails_in_an_unforeseen_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as server:
        live = server.sourced.live_stores
        mirror = await live.open_generation("graph", 2)

        async def write(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(mirror, "write", write)
        live.attach_mirror("graph", mirror)
        assert await server.title("a", "kept")
        assert (await server.titles())[0] == ["kept"]


async def test_reading_goes_on_while_the_log_is_down_from_the_start(tmp_path: Path) -> None:
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        await server.title("a", "kept")
        await server.sourced.rebuilder.rebuild(no_progress)
        await server.titles()
    (tmp_path / "log").rename(tmp_path / "elsewhere")
    (tmp_path / "log").write_text("in the way")
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        assert await server.titles() == (["kept"], ["kept"])


async def test_a_start_without_the_log_serves_the_generation_that_became_live_while_another_one_ran(
    tmp_path: Path,
) -> None:
    """A server that was running notes the generation of a rebuild by a command, and so does the command."""
    places = (tmp_path / "log", tmp_path / "graph", tmp_path / "vectors")
    async with library(*places) as server, library(*places) as command:
        await server.title("a", "before")
        await server.titles()
        for _ in range(2):
            await command.sourced.rebuilder.rebuild(no_progress)
            await server.sourced.relay.catch_up()
        assert await server.title("b", "after")
    places[0].rename(tmp_path / "elsewhere")
    places[0].write_text("in the way")
    async with library(*places) as server:
        assert await server.titles() == (["after", "before"], ["after", "before"])


async def test_a_rebuild_notes_the_generation_that_it_made_live(tmp_path: Path) -> None:
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        await server.title("a", "kept")
        await server.sourced.rebuilder.rebuild(no_progress)
        for meta in [await store_meta(server.sourced.live_stores.stores, port) for port in PROJECTOR.ports()]:
            assert await meta.get_meta("library/generation") == "2"


async def test_callers_that_wait_for_a_store_share_the_error_of_its_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each of them waits in turn for an engine that hangs."""
    async with library(tmp_path / "log", tmp_path / "graph", tmp_path / "vectors") as server:
        live, openings = server.sourced.live_stores, 0

        async def hangs(_: object, __: object) -> Graph:
            nonlocal openings
            openings += 1
            await asyncio.sleep(0.1)
            raise Unavailable("the engine does not answer")

        monkeypatch.setattr(type(live.stores), "graph", hangs)
        live.invalidate("graph")
        outcomes = await asyncio.gather(*(live.graph() for _ in range(8)), return_exceptions=True)
        assert ([type(each) for each in outcomes], openings) == ([Unavailable] * 8, 1)
        with pytest.raises(Unavailable):
            await live.graph()
        assert openings == 2
        monkeypatch.undo()
        assert await server.title("a", "kept")
