"""The embedded engine: one process per folder, and no acknowledged write is lost when it dies."""

import asyncio
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from chromadb.api.client import Client

from backends.engines.chroma.adapter import ADAPTER
from backends.engines.chroma.embedded import MIN_FREE_BYTES
from backends.engines.chroma.files import DATABASE
from backends.ports.errors import AlreadyOpen, NotFound, Timeout, Unavailable, Unusable
from backends.ports.ids import namespace
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, NAME, axis, cosine, fill, names_stored, record
from tests.engines.chroma.conftest import opened
from tests.support.damage import check_missed_while_moved

SPACE = namespace("here")
WRITER = """
import asyncio, pathlib, sys
from backends.engines.chroma.adapter import ADAPTER
from backends.ports.ids import namespace
from contracts.ports.vector_records import axis, fill, record

async def main():
    vectors = await (await ADAPTER.open({}, pathlib.Path(sys.argv[1]))).vectors(namespace("here"))
    for number in range(10_000):
        await fill(vectors, record(f"r{number:05}", axis(number % 16), f"word{number}", rank=number))
        print(number, flush=True)

asyncio.run(main())
"""


async def test_a_folder_can_be_open_once_under_any_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(tmp_path, target_is_directory=True)
    async with opened(tmp_path):
        for options, directory in (({}, tmp_path), ({}, tmp_path / "other"), ({"directory": "x/../chroma"}, tmp_path)):
            with pytest.raises(AlreadyOpen, match="open already"):
                await ADAPTER.open(options, directory)
    async with opened(tmp_path) as engine:
        assert (await engine.health()).ok


async def test_a_folder_stays_locked_while_an_abandoned_call_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def slow(*_: object, **__: object) -> None:
        assert goes_on.wait(30)

    engine = await ADAPTER.open({"timeout_s": 0.5}, tmp_path)
    monkeypatch.setattr(Client, "get_collection", slow)
    workers = [thread for thread in threading.enumerate() if thread.name.startswith("chroma")]
    try:
        with pytest.raises(Timeout):
            await names_stored(await engine.vectors(SPACE))
        await engine.close()
        with pytest.raises(AlreadyOpen):
            await ADAPTER.open({}, tmp_path)
    finally:
        goes_on.set()
    for worker in workers:
        await asyncio.to_thread(worker.join, 30)
    monkeypatch.undo()
    async with opened(tmp_path) as again:
        assert (await again.health()).ok


async def test_acknowledged_writes_survive_a_kill_and_the_folder_admits_one_process(tmp_path: Path) -> None:
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(tmp_path), stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    try:
        assert writer.stdout is not None
        acknowledged = [int(await writer.stdout.readline()) for _ in range(120)]
        with pytest.raises(AlreadyOpen):
            await ADAPTER.open({}, tmp_path)
    finally:
        writer.kill()
        await writer.wait()
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        got = await vectors.get(NAME, [RecordId(f"r{number:05}") for number in acknowledged])
        assert [got[RecordId(f"r{number:05}")].fields["rank"] for number in acknowledged] == acknowledged
        assert all(cosine(got[RecordId(f"r{n:05}")].vector, axis(n % DIM)) > 0.999 for n in acknowledged)
        nearest = {hit.id for hit in await vectors.dense(NAME, axis(3), 1_000, min_score=0.9)}
        assert {f"r{number:05}" for number in acknowledged if number % DIM == 3} <= nearest
        assert [hit.id for hit in await vectors.keyword(NAME, "word7", 5)] == ["r00007"]


async def test_a_damaged_folder_is_refused_unchanged_until_it_is_moved_away(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        await fill(await engine.vectors(SPACE), record("r"))
    database = tmp_path / "chroma" / "chroma.sqlite3"
    (tmp_path / "chroma" / "events.db").touch()
    damaged = b"no database at all, but long enough to look like one " * 200
    database.write_bytes(damaged)
    with pytest.raises(Unusable, match="run `entrepot rebuild`") as problem:
        await ADAPTER.open({}, tmp_path)
    own = {file.name for file in problem.value.replaceable}
    assert "chroma.sqlite3" in own
    assert own == {file.name for file in (tmp_path / "chroma").iterdir()} - {"events.db"}
    assert database.read_bytes() == damaged
    shutil.move(tmp_path / "chroma", tmp_path / "aside")
    async with opened(tmp_path) as engine:
        await fill(await engine.vectors(SPACE), record("r"))


async def test_a_folder_removed_while_open_is_reported_and_created_again(tmp_path: Path) -> None:
    """The next call reports it, nothing is answered from deleted files, and a new folder is created."""
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("before"))
        await vectors.set_meta("who", "the first")
        shutil.rmtree(tmp_path / "chroma")
        with pytest.raises(Unavailable, match="removed or replaced"):
            await vectors.get(NAME, [RecordId("before")])
        assert await vectors.get_meta("who") is None
        with pytest.raises(NotFound, match="declared"):
            await vectors.dense(NAME, axis(0), 1)
        await fill(vectors, record("after"))
        assert (await engine.health()).ok
    async with opened(tmp_path) as engine:
        assert await names_stored(await engine.vectors(SPACE)) == ["after"]


async def test_a_folder_that_was_moved_away_is_unavailable_until_it_is_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as engine:
        await check_missed_while_moved(engine, await engine.vectors(SPACE), tmp_path / "chroma" / DATABASE)


async def test_a_folder_removed_while_idle_is_unhealthy(tmp_path: Path) -> None:
    """Health reports it, and the next call repairs it."""
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("before"))
        shutil.rmtree(tmp_path / "chroma")
        health = await engine.health()
        assert not health.ok
        assert "removed or replaced" in health.detail
        await fill(vectors, record("after"))
        assert await names_stored(vectors) == ["after"]
        assert (await engine.health()).ok


async def test_a_folder_replaced_while_open_is_opened_again(tmp_path: Path) -> None:
    """A restored copy is read like any other folder."""
    async with opened(tmp_path) as engine:
        await fill(await engine.vectors(SPACE), record("old"))
    shutil.copytree(tmp_path / "chroma", tmp_path / "copy")
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("new"))
        shutil.rmtree(tmp_path / "chroma")
        (tmp_path / "copy").rename(tmp_path / "chroma")
        with pytest.raises(Unavailable, match="removed or replaced"):
            await fill(vectors, record("lost"))
        await fill(vectors, record("newer"))
        assert await names_stored(vectors) == ["newer", "old"]


async def test_reopening_a_folder_is_tried_with_every_call(tmp_path: Path) -> None:
    """A file in its place is named and left unchanged."""
    folder = tmp_path / "chroma"
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("before"))
        shutil.rmtree(folder)
        folder.write_text("in the way", encoding="utf-8")
        for _ in range(3):
            with pytest.raises(Unavailable, match=str(folder)):
                await fill(vectors, record("r"))
        assert folder.read_text(encoding="utf-8") == "in the way"
        folder.unlink()
        await fill(vectors, record("after"))
        assert await names_stored(vectors) == ["after"]


async def test_without_room_writes_are_refused_at_once_and_reads_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the engine would never return, and would hold the interpreter lock."""
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("before"))
        usage = shutil.disk_usage(tmp_path)._replace(free=MIN_FREE_BYTES - 1)

        def short_of_room(_: Path) -> object:
            return usage

        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", short_of_room)
            for write in (
                lambda: fill(vectors, record("later")),
                lambda: vectors.delete(NAME, {RecordId("before"): Revision(9)}),
                lambda: vectors.set_meta("key", "value"),
                lambda: vectors.ensure(CollectionSpec("other", DIM, "model")),
            ):
                with pytest.raises(Unavailable, match=r"is full .* 65536 kB are needed\); make room"):
                    await write()
            assert await names_stored(vectors) == ["before"]
            assert "is full" in (await engine.out_of_space() or "")
        await fill(vectors, record("later"))
        assert await names_stored(vectors) == ["before", "later"]
        assert await engine.out_of_space() is None
