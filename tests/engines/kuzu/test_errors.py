"""The driver's messages become store errors; a damaged file is left as it is."""

import hashlib
import random
from pathlib import Path

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.driver import DriverError
from backends.engines.kuzu.errors import damaged_error, exhausted, own_files, translate, unwritten
from backends.ports.errors import AlreadyOpen, StoreError, Timeout, Unavailable, Unusable
from tests.engines.kuzu.files import filled, opened


@pytest.mark.parametrize("damage", ["empty", "head", "half", "foreign", "noise"])
async def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, driver: str, damage: str) -> None:
    path = await filled(tmp_path, driver)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "head": whole[:100],
            "half": whole[: len(whole) // 2],
            "foreign": b"SQLite format 3\0" * 999,
            "noise": whole[:100] + random.Random(1).randbytes(len(whole) - 100),
        }[damage]
    )
    before = hashlib.sha256(path.read_bytes()).digest()
    with pytest.raises(Unusable, match="run `entrepot rebuild`") as problem:
        await opened(tmp_path, driver)
    assert problem.value.replaceable[0] == path
    assert hashlib.sha256(path.read_bytes()).digest() == before


@pytest.mark.parametrize(
    ("message", "kind", "sentence"),
    [
        ("Interrupted.", Timeout, "took too long and was stopped"),
        ("Runtime exception: Timeout waiting for active transactions", Timeout, "another transaction held it"),
        ("IO exception: Could not set lock on file", AlreadyOpen, "another process has it open"),
        ("The file is not a valid Kuzu database file!", Unusable, "written by the other driver"),
        ("Trying to read a database file with a different version.", Unusable, "another version of the driver"),
        ("IO exception: No space left on device", Unavailable, "the disk is full"),
        ("IO exception: Cannot write to file. path: x", Unavailable, "the disk is full"),
        ("Buffer manager exception: Unable to allocate memory!", Unavailable, "raise buffer_pool_mib"),
        ("IO exception: Cannot open file x: Permission denied", Unavailable, "check the owner and the permissions"),
        ("Cannot open file x: Read-only file system", Unavailable, "a read-only file system"),
        ("Cannot open file x: Is a directory", Unavailable, "cannot be opened"),
        ("Corrupted wal file.", Unusable, "entrepot rebuild"),
        ("Parser exception: extraneous input\nmore", StoreError, "Parser exception: extraneous input"),
    ],
)
def test_the_text_of_an_error_decides(message: str, kind: type[StoreError], sentence: str) -> None:
    """The drivers raise one class for everything."""
    found = translate(DriverError(message), Path("/data/graph.kuzu"))
    assert type(found) is kind
    assert str(found).startswith("/data/graph.kuzu")
    assert sentence in str(found)
    assert "\n" not in str(found)


async def test_a_statement_that_is_none_is_an_error_of_the_driver(database: DatabaseFile) -> None:
    with pytest.raises(StoreError, match=r"graph\.kuzu: Parser exception") as problem:
        await database.read(lambda session: session.run("this is no statement"))
    assert type(problem.value) is StoreError


def test_only_lack_of_memory_and_of_space_are_distinguished_from_other_errors() -> None:
    memory, space, other = map(DriverError, ("Unable to allocate memory!", "Cannot write to file x", "anything"))
    assert [exhausted(error) for error in (memory, space, other)] == [True, False, False]
    assert [unwritten(error) for error in (memory, space, other)] == [False, True, False]


def test_every_companion_of_a_damaged_file_can_be_moved_away() -> None:
    path = Path("/data/graph.kuzu")
    assert damaged_error(path, "is damaged").replaceable == own_files(path)
    assert own_files(path)[:2] == (path, Path("/data/graph.kuzu.wal"))
