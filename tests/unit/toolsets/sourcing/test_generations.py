"""Vectors that have lost a collection are filled again from the log, and are not read before they have everything."""

import random
from pathlib import Path

import pytest

from backends.ports.errors import NotFound, Unavailable
from backends.ports.values import Micros
from tests.unit.toolsets.sourcing.library import PROJECTOR, TITLES, Library, library_in
from toolsets.sourcing.follower import COMPARED_AT_START, load_progress
from toolsets.sourcing.generations import Pointer, generation_namespace, open_vectors

COUNT = 5


async def fill(library: Library) -> list[str]:
    """Write some books; return their titles."""
    titles = [f"title {number}" for number in range(COUNT)]
    for title in titles:
        assert await library.title(title.replace("title ", "b"), title)
    await library.sourced.relay.catch_up()
    return titles


async def drop(library: Library) -> None:
    """Remove the collection as another client does."""
    vectors = await library.sourced.live_stores.stores.vectors(generation_namespace(PROJECTOR, 1))
    await vectors.drop(TITLES)


@pytest.fixture(autouse=True)
def nothing_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare nothing before a checkpoint, as in a store with many more records."""
    assert COMPARED_AT_START > COUNT
    monkeypatch.setattr("toolsets.sourcing.follower.COMPARED_AT_START", 0)


async def test_a_collection_lost_in_use_is_filled_again_and_not_read_before(tmp_path: Path) -> None:
    async with library_in(tmp_path) as library:
        titles = await fill(library)
        await drop(library)
        with pytest.raises(NotFound):
            await library.titles()
        library.sourced.live_stores.invalidate("vectors")
        with pytest.raises(Unavailable, match="vector store was lost and is being filled again"):
            await library.titles()
        assert (await library.sourced.health()).lag == COUNT
        assert await library.shows(*titles)
        assert (await library.sourced.health()).problems == ()


@pytest.mark.parametrize("starts", [1, 2])
async def test_a_collection_lost_while_no_server_ran_is_filled_again_after_any_start(
    tmp_path: Path, starts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as library:
        titles = await fill(library)
        await drop(library)
    monkeypatch.setattr("toolsets.sourcing.relay.START_S", 0)
    for _ in range(starts):
        async with library_in(tmp_path) as library:
            await library.sourced.ready()
            with pytest.raises(Unavailable, match="was lost and is being filled again"):
                await library.titles()
    async with library_in(tmp_path) as library:
        assert await library.shows(*titles)


async def test_a_loss_is_noticed_although_the_process_was_killed_when_it_created_the_collection_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with library_in(tmp_path) as library:
        await fill(library)
        live = library.sourced.live_stores
        before = (await live.vectors()).incarnation
        await drop(library)
        vectors = await live.stores.vectors(generation_namespace(PROJECTOR, 1))

        async def ensure(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(type(vectors), "ensure", ensure)
            with pytest.raises(KeyboardInterrupt):
                await open_vectors(live.stores, PROJECTOR, 1, rng=random.Random(1))
        opened = await open_vectors(live.stores, PROJECTOR, 1, rng=random.Random(2))
        assert (opened.lost, opened.incarnation == before) == (True, False)
        progress, revision = await load_progress(await live.log(), PROJECTOR, opened)
        assert (progress.position, revision) == (0, 0)


def test_the_log_keeps_a_pointer_under_the_names_that_every_version_reads() -> None:
    pointer = Pointer(generation=2, next_generation=3, next_until=Micros(5))
    stored = {"generation": 2, "coming": 3, "coming_until": 5}
    assert pointer.model_dump(mode="json") == stored
    assert Pointer.model_validate(stored) == pointer
