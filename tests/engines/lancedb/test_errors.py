"""The driver's messages, truncated files and garbled manifests become store errors."""

import os
from pathlib import Path
from urllib.parse import quote

import pytest

from backends.engines.lancedb.errors import CommitConflict, damaged_error, own_tables, translate
from backends.ports.errors import NotFound, StoreError, Unavailable, Unusable
from contracts.ports.vector_records import NAME, THINGS, axis, fill, record
from tests.engines.lancedb.tables import opened, table_folder


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


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("lance error: LanceError(IO): something new in {location}/n.things.lance/data, /root/io.rs:1:2", StoreError),
        ("lance error: LanceError(IO): something new in {encoded}/n.magic.lance/data, /root/io.rs:1:2", StoreError),
        ("lance error: Invalid user input: it doesn't like 'the magic door is closed', as it's output", StoreError),
        ("External error: no answer from http://host/closed?prefix=magic in 1ms", StoreError),
        ("lance error: Not found: {location}/n.magic.lance/_versions, /root/commit.rs:1:2", NotFound),
        ("Table 'n.magic' was not found", NotFound),
        ("lance error: LanceError(IO): file size is too small, /root/utils.rs:1:2", Unusable),
        ("Connection is closed", Unavailable),
        (
            "Incompatible transaction: This Update is incompatible with concurrent transaction Overwrite at version 2",
            CommitConflict,
        ),
    ],
)
def test_places_and_values_in_a_driver_message_are_ignored(message: str, error: type[StoreError]) -> None:
    """Places and quoted values may contain any of the driver's phrases."""
    location = "/data/it's closed/magic was not found"
    written = message.format(location=location.lstrip("/"), encoded=quote(location))
    assert type(translate(RuntimeError(written), location)) is error


@pytest.mark.parametrize(
    ("message", "error", "sentence"),
    [
        ("Generic S3 error: status: 403 Forbidden", Unavailable, "refuses the credentials"),
        ("Generic S3 error: NoSuchBucket", Unavailable, "there is no such bucket"),
        ("Generic S3 error: error sending request", Unavailable, "does not answer as expected"),
        ("LanceError(IO): Permission denied (os error 13)", Unavailable, "may not read and write there"),
        ("LanceError(IO): No space left on device", Unavailable, "the disk is full"),
        ("Dataset already exists", CommitConflict, "other processes did not stop writing"),
        ("Commit conflict for version 7", CommitConflict, "other processes did not stop writing"),
    ],
)
def test_the_first_cause_in_a_message_counts(message: str, error: type[StoreError], sentence: str) -> None:
    """Of an object store, too, whose errors all begin alike."""
    found = translate(RuntimeError(message), "s3://bucket/x")
    assert type(found) is error
    assert str(found).startswith("s3://bucket/x: ")
    assert sentence in str(found)


def test_only_the_tables_of_a_folder_can_be_moved_away(tmp_path: Path) -> None:
    for name in ("b.lance", "a.lance", "other"):
        (tmp_path / name).mkdir()
    assert own_tables(str(tmp_path)) == (tmp_path / "a.lance", tmp_path / "b.lance")
    assert damaged_error(str(tmp_path), "a page").replaceable == own_tables(str(tmp_path))
    assert damaged_error("s3://bucket/x", "a page").replaceable == ()


def test_an_unknown_message_is_shown_without_positions_in_the_source_code() -> None:
    found = translate(RuntimeError("something new in a file, /root/io.rs:1:2\nmore"), "here")
    assert (type(found), str(found)) == (StoreError, "here: something new in a file")
