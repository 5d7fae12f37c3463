"""The engine over a folder that was removed, put back, moved away or replaced by a file."""

import shutil
from pathlib import Path

import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.ports.errors import NotFound, Unavailable, Unusable
from backends.ports.ids import namespace
from backends.ports.values import RecordId
from backends.registry import load_adapter
from backends.stores import open_engine
from contracts.ports.vector_records import NAME, axis, fill, names_stored, record
from tests.engines.lancedb.tables import NAMESPACE, SPACE, opened, upsert_one_by_one
from tests.support.damage import check_missed_while_moved


async def test_a_collection_whose_folder_was_removed_is_undeclared_and_can_be_created_again(tmp_path: Path) -> None:
    engine = await open_engine(load_adapter("lancedb"), {}, tmp_path)
    vectors = await engine.vectors(NAMESPACE)
    await fill(vectors, record("r"))
    await vectors.set_meta("note", "kept")
    shutil.rmtree(tmp_path / "lancedb")
    for _ in range(2):
        with pytest.raises(Unavailable, match="removed or replaced"):
            await vectors.get(NAME, [RecordId("r")])
    vectors = await engine.vectors(NAMESPACE)
    with pytest.raises(NotFound):
        await vectors.get(NAME, [RecordId("r")])
    with pytest.raises(NotFound):
        await vectors.upsert(NAME, [record("r")])
    assert await vectors.get_meta("note") is None
    await fill(vectors, record("again"))
    assert await names_stored(vectors) == ["again"]
    await engine.close()


@pytest.mark.parametrize("first", ["read", "write", "health"])
async def test_an_older_copy_of_the_folder_that_is_put_back_is_opened_anew_and_stays_whole(
    tmp_path: Path, first: str
) -> None:
    engine = await open_engine(load_adapter("lancedb"), {}, tmp_path)
    vectors = await engine.vectors(NAMESPACE)
    await fill(vectors, record("old", axis(0), "some words"))
    shutil.copytree(tmp_path / "lancedb", tmp_path / "copy")
    await upsert_one_by_one(vectors, [record(f"r{number}", axis(0), "some words") for number in range(10)])
    shutil.rmtree(tmp_path / "lancedb")
    (tmp_path / "copy").rename(tmp_path / "lancedb")
    match first:
        case "read":
            with pytest.raises(Unavailable, match="removed or replaced"):
                await vectors.dense(NAME, axis(0), 3)
        case "write":
            with pytest.raises(Unavailable, match="removed or replaced"):
                await vectors.upsert(NAME, [record("later")])
        case _:
            assert not (await engine.health()).ok
    assert (await engine.health()).ok
    vectors = await engine.vectors(NAMESPACE)
    assert await names_stored(vectors) == ["old"]
    await upsert_one_by_one(vectors, [record(name, axis(0), "some words") for name in ("r3", "later")])
    assert await names_stored(vectors) == ["later", "old", "r3"]
    await engine.verify()
    await engine.close()
    async with opened(tmp_path) as again:
        assert await names_stored(again) == ["later", "old", "r3"]
        assert len(await again.dense(NAME, axis(0), 5)) == 3


@pytest.mark.parametrize("first", ["read", "write"])
async def test_an_older_copy_that_is_written_over_the_folder_is_opened_anew_and_stays_whole(
    tmp_path: Path, first: str
) -> None:
    """As `rsync --delete` does, which keeps the folders and removes the files that the copy lacks."""
    engine = await open_engine(load_adapter("lancedb"), {}, tmp_path)
    vectors = await engine.vectors(NAMESPACE)
    await fill(vectors, record("old", axis(0), "some words"))
    kept = {file for file in tmp_path.rglob("*") if file.is_file()}
    hints = {file: file.read_bytes() for file in kept if file.suffix == ".json"}
    await upsert_one_by_one(vectors, [record(f"r{number}", axis(0), "some words") for number in range(10)])
    for file in tmp_path.rglob("*"):
        if file.is_file() and file not in kept:
            file.unlink()
    for file, content in hints.items():
        file.write_bytes(content)
    with pytest.raises(Unavailable, match="removed or replaced"):
        await (vectors.count(NAME) if first == "read" else vectors.upsert(NAME, [record("later")]))
    vectors = await engine.vectors(NAMESPACE)
    assert await names_stored(vectors) == ["old"]
    await upsert_one_by_one(vectors, [record(name, axis(0), "some words") for name in ("r3", "later")])
    assert await names_stored(vectors) == ["later", "old", "r3"]
    await engine.verify()
    await engine.close()


async def test_a_folder_that_was_moved_away_is_unavailable_until_it_is_back(tmp_path: Path) -> None:
    engine = await open_engine(load_adapter("lancedb"), {}, tmp_path)
    vectors = await engine.vectors(namespace("n1"))
    await vectors.set_meta("key", "the folder exists")
    await check_missed_while_moved(engine, vectors, tmp_path / "lancedb" / SPACE)
    await engine.close()


async def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "lancedb").write_text("not a folder")
    with pytest.raises((Unusable, Unavailable), match="lancedb"):
        await ADAPTER.open({}, tmp_path)
