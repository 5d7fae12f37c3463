"""What was written last lies beside the log: damage there is told, and a write that was cut short is not."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backends.ports.errors import Unusable
from backends.ports.events import BatchId
from backends.sqlite.adapter import ADAPTER
from backends.sqlite.wal import lost_behind
from tests.unit.sqlite.samples import write

APPENDS = 40
HEADER = 32
FRAME = 24 + 4_096

Damage = Callable[[bytearray], None]


async def killed(directory: Path) -> Path:
    """Return a directory with what is on the disk while a log is open, as a killed process leaves it."""
    left = directory / "left"
    left.mkdir()
    engine = await ADAPTER.open({}, directory / "running")
    log = await engine.events()
    for number in range(APPENDS):
        await log.append([write(f"a/b/{number}")], batch=BatchId(f"b{number}"))
    for suffix in ("", "-wal"):
        shutil.copy(directory / "running" / f"events.db{suffix}", left)
    await engine.close()
    return left


async def events_in(directory: Path) -> int:
    engine = await ADAPTER.open({}, directory)
    count = await (await engine.events()).count("")
    await engine.close()
    return count


def damage(directory: Path, change: Damage) -> None:
    wal = directory / "events.db-wal"
    content = bytearray(wal.read_bytes())
    change(content)
    wal.write_bytes(content)


def overwrite(at: int, length: int = 64) -> Damage:
    """Return what writes over some bytes, counted from the end if negative."""

    def change(content: bytearray) -> None:
        start = at % len(content)
        content[start : start + length] = b"\xa5" * length

    return change


@pytest.mark.parametrize(
    ("at", "frame"),
    [(0, 0), (16, 0), (HEADER + 30, 1), (HEADER + 8, 1), (HEADER + 20 * FRAME + 100, 21), (HEADER + 40 * FRAME, 41)],
)
async def test_what_was_acknowledged_is_not_left_out_in_silence(tmp_path: Path, at: int, frame: int) -> None:
    """A page, its checksum, the salt of a frame, the header of all: the log is refused and left as it is."""
    left = await killed(tmp_path)
    damage(left, overwrite(at, 4))
    before = {file.name: file.read_bytes() for file in left.iterdir()}
    with pytest.raises(Unusable, match=f"events.db-wal is damaged from its frame {frame} on") as problem:
        await ADAPTER.open({}, left)
    assert problem.value.replaceable == ()
    assert {file.name: file.read_bytes() for file in left.iterdir()} == before


async def test_sqlite_itself_would_say_nothing(tmp_path: Path) -> None:
    """And the way out that is offered keeps what lies before the damage."""
    left = await killed(tmp_path)
    damage(left, overwrite(HEADER + 40 * FRAME))
    with closing(sqlite3.connect(left / "events.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [kept] = connection.execute("SELECT count(*) FROM events").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert 0 < kept < APPENDS
    assert await events_in(left) == kept


async def test_a_killed_process_leaves_everything(tmp_path: Path) -> None:
    assert await events_in(await killed(tmp_path)) == APPENDS


@pytest.mark.parametrize("cut", [100, FRAME, FRAME + 100])
async def test_a_transaction_that_was_cut_short_is_none(tmp_path: Path, cut: int) -> None:
    """So a loss of power leaves a log, or the last pages of it in any order: nobody was told of what they hold."""
    left = await killed(tmp_path)
    damage(left, lambda content: content.__delitem__(slice(len(content) - cut, None)))
    assert await events_in(left) == APPENDS - 1


async def test_of_the_last_transaction_nobody_can_say_whether_it_was_acknowledged(tmp_path: Path) -> None:
    left = await killed(tmp_path)
    damage(left, overwrite(-FRAME + 100))
    assert await events_in(left) == APPENDS - 1


async def test_frames_of_an_earlier_round_are_no_damage(tmp_path: Path) -> None:
    """Once all is folded in, writing begins anew over what is there."""
    path = tmp_path / "events.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t(x)")
        for size in (60, 3):
            for _ in range(size):
                connection.execute("INSERT INTO t VALUES(randomblob(3000))")
            assert lost_behind(Path(f"{path}-wal")) is None
            connection.execute("PRAGMA wal_checkpoint(RESTART)")


def test_nothing_or_a_beginning_is_no_damage(tmp_path: Path) -> None:
    wal = tmp_path / "events.db-wal"
    assert lost_behind(wal) is None
    for content in (b"", b"\0" * 10, b"\0" * HEADER):
        wal.write_bytes(content)
        assert lost_behind(wal) is None
