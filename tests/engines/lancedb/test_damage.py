"""Missing, truncated and foreign files: the error is clear and names a way out."""

import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.driver import ARROW, LANCE
from backends.engines.lancedb.errors import translate
from backends.ports.errors import InvalidInput, NotFound, StoreError, Unavailable, Unusable
from backends.ports.ids import namespace
from backends.ports.values import RecordId
from backends.registry import load_adapter
from backends.stores import open_engine
from contracts.ports.vector_records import NAME, THINGS, axis, fill, names_stored, record
from tests.engines.lancedb.tables import NAMESPACE, SPACE, TABLE, opened, table_folder, upsert_one_by_one
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


async def test_a_table_that_another_engine_recreated_is_reopened(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors, opened(tmp_path) as other:
        await fill(vectors, record("old"))
        assert await names_stored(other) == ["old"]
        await vectors.drop(NAME)
        with pytest.raises(NotFound):
            await other.count(NAME)
        await fill(vectors, record("new"))
        assert await names_stored(other) == ["new"]


@pytest.mark.parametrize("left", [0.0, 0.5])
async def test_a_truncated_data_file_makes_the_store_unusable(tmp_path: Path, left: float) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, *(record(f"r{number}", axis(1), "some words") for number in range(50)))
    for file in (table_folder(tmp_path) / "data").iterdir():
        os.truncate(file, int(file.stat().st_size * left))
    async with opened(tmp_path) as vectors:
        for attempt in (
            lambda: vectors.scan(NAME),
            lambda: vectors.dense(NAME, axis(1), 3),
            lambda: vectors.upsert(NAME, [record("r1", rev=2)]),
        ):
            with pytest.raises(Unusable, match="damaged"):
                await attempt()


async def test_a_garbled_manifest_makes_the_store_unusable(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r"))
    for file in (table_folder(tmp_path) / "_versions").iterdir():
        file.write_bytes(b"rubbish" * 20)
    async with opened(tmp_path) as vectors:
        with pytest.raises(Unusable, match="damaged"):
            await vectors.ensure(THINGS)


async def _foreign(directory: Path, note: dict[str, str]) -> None:
    place = directory / "lancedb" / SPACE
    connection = await LANCE.connect_async(str(place), storage_options={})
    columns = [ARROW.field("id", ARROW.utf8()), ARROW.field("value", ARROW.utf8())]
    await connection.create_table(TABLE, schema=ARROW.schema(columns, metadata=note))


@pytest.mark.parametrize(
    ("note", "sentence"),
    [({}, "another program"), ({"entrepot": '{"format":2,"dim":3,"model":"m"}'}, "newer version of Entrepot")],
)
async def test_a_table_of_another_program_or_version_is_refused(
    tmp_path: Path, note: dict[str, str], sentence: str
) -> None:
    await _foreign(tmp_path, note)
    async with opened(tmp_path) as vectors:
        with pytest.raises(Unusable, match=sentence):
            await vectors.ensure(THINGS)
        with pytest.raises(Unusable, match=sentence):
            await vectors.count(NAME)


async def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "lancedb").write_text("not a folder")
    with pytest.raises((Unusable, Unavailable), match="lancedb"):
        await ADAPTER.open({}, tmp_path)


@pytest.mark.parametrize(
    "options", [{"uri": "db://cloud"}, {"uri": ""}, {"space": "a/b"}, {"space": "../x"}, {"timeout_s": 0}]
)
async def test_an_option_out_of_bounds_is_refused(tmp_path: Path, options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open(options, tmp_path)


async def test_a_closed_store_is_unavailable(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r"))
    with pytest.raises(StoreError) as problem:
        await vectors.count(NAME)
    assert isinstance(problem.value, Unavailable)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("lance error: LanceError(IO): something new in {place}/n.things.lance/data, /root/io.rs:1:2", StoreError),
        ("lance error: LanceError(IO): something new in {encoded}/n.magic.lance/data, /root/io.rs:1:2", StoreError),
        ("lance error: Invalid user input: it doesn't like 'the magic door is closed', as it's output", StoreError),
        ("External error: no answer from http://host/closed?prefix=magic in 1ms", StoreError),
        ("lance error: Not found: {place}/n.magic.lance/_versions, /root/commit.rs:1:2", NotFound),
        ("Table 'n.magic' was not found", NotFound),
        ("lance error: LanceError(IO): file size is too small, /root/utils.rs:1:2", Unusable),
        ("Connection is closed", Unavailable),
    ],
)
def test_places_and_values_in_a_driver_message_are_ignored(message: str, error: type[StoreError]) -> None:
    """Places and quoted values may contain any of the driver's phrases."""
    place = "/data/it's closed/magic was not found"
    written = message.format(place=place.lstrip("/"), encoded=quote(place))
    assert type(translate(RuntimeError(written), place)) is error
