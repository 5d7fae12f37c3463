"""Damage in the write-ahead log is reported; a write that was cut short is no damage."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.wal import lost_behind
from backends.ports.errors import Unusable
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.samples import write

APPENDS = 40
HEADER = 32
FRAME = 24 + 4_096

Damage = Callable[[bytearray], None]


async def killed(directory: Path) -> Path:
    """Return a directory with the files of an open log, as a killed process leaves them."""
    left = directory / "left"
    left.mkdir()
    engine = await open_engine(ADAPTER, {}, directory / "running")
    log = await engine.events()
    for number in range(APPENDS):
        await log.append([write(f"a/b/{number}")], batch=BatchId(f"b{number}"))
    for suffix in ("", "-wal"):
        shutil.copy(directory / "running" / f"events.db{suffix}", left)
    await engine.close()
    return left


async def events_in(directory: Path) -> int:
    engine = await open_engine(ADAPTER, {}, directory)
    count = await (await engine.events()).count("")
    await engine.close()
    return count


def damage(directory: Path, change: Damage) -> None:
    wal = directory / "events.db-wal"
    content = bytearray(wal.read_bytes())
    change(content)
    wal.write_bytes(content)


def overwrite(at: int, length: int = 64) -> Damage:
    """Return a function that overwrites some bytes, counted from the end if negative."""

    def change(content: bytearray) -> None:
        start = at % len(content)
        content[start : start + length] = b"\xa5" * length

    return change


@pytest.mark.parametrize(
    ("at", "frame"),
    [(0, 0), (16, 0), (HEADER + 30, 1), (HEADER + 8, 1), (HEADER + 20 * FRAME + 100, 21), (HEADER + 40 * FRAME, 41)],
)
async def test_acknowledged_facts_are_not_skipped_silently(tmp_path: Path, at: int, frame: int) -> None:
    """In a page, its checksum, the salt of a frame or the header: the log is refused and not changed."""
    left = await killed(tmp_path)
    damage(left, overwrite(at, 4))
    before = {file.name: file.read_bytes() for file in left.iterdir()}
    with pytest.raises(Unusable, match=f"events.db-wal is damaged from its frame {frame} on") as problem:
        await open_engine(ADAPTER, {}, left)
    assert problem.value.replaceable == ()
    assert {file.name: file.read_bytes() for file in left.iterdir()} == before


async def test_sqlite_itself_reports_nothing(tmp_path: Path) -> None:
    """The remedy that is offered keeps what precedes the damage."""
    left = await killed(tmp_path)
    damage(left, overwrite(HEADER + 40 * FRAME))
    with closing(sqlite3.connect(left / "events.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [kept] = connection.execute("SELECT count(*) FROM events").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert 0 < kept < APPENDS
    assert await events_in(left) == kept


async def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    assert await events_in(await killed(tmp_path)) == APPENDS


@pytest.mark.parametrize("cut", [100, FRAME, FRAME + 100])
async def test_a_transaction_that_was_cut_short_is_no_damage(tmp_path: Path, cut: int) -> None:
    """A loss of power leaves such a log, with its last pages in any order: none of them was acknowledged."""
    left = await killed(tmp_path)
    damage(left, lambda content: content.__delitem__(slice(len(content) - cut, None)))
    assert await events_in(left) == APPENDS - 1


async def test_a_damaged_last_transaction_is_skipped(tmp_path: Path) -> None:
    left = await killed(tmp_path)
    damage(left, overwrite(-FRAME + 100))
    assert await events_in(left) == APPENDS - 1


async def test_frames_from_before_a_restart_are_no_damage(tmp_path: Path) -> None:
    """After a checkpoint, writing starts again over the old frames."""
    path = tmp_path / "events.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t(x)")
        for size in (60, 3):
            for _ in range(size):
                connection.execute("INSERT INTO t VALUES(randomblob(3000))")
            assert lost_behind(Path(f"{path}-wal")) is None
            connection.execute("PRAGMA wal_checkpoint(RESTART)")


def test_a_missing_or_empty_wal_is_no_damage(tmp_path: Path) -> None:
    wal = tmp_path / "events.db-wal"
    assert lost_behind(wal) is None
    for content in (b"", b"\0" * 10, b"\0" * HEADER):
        wal.write_bytes(content)
        assert lost_behind(wal) is None
