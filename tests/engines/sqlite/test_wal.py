"""Damage in the write-ahead log is reported, and so is a log of another file, whenever the backup was made."""

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from backends.engines.sqlite import wal
from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.wal import lost_behind
from backends.ports.adapter import Engine
from backends.ports.errors import Unusable
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.samples import write
from tests.support.folders import contents

APPENDS = 40
HEADER = 32
FRAME = 24 + 4_096
Damage = Callable[[bytearray], None]
SUFFIXES = ("", "-wal", "-shm")
Backup = Callable[[Path, Path], None]


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


async def opened(directory: Path) -> Engine:
    return await open_engine(ADAPTER, {}, directory)


async def append(engine: Engine, *names: str) -> None:
    log = await engine.events()
    for name in names:
        await log.append([write(f"a/b/{name}")], batch=BatchId(name))


async def streams_in(directory: Path) -> set[str]:
    engine = await opened(directory)
    found = {event.stream.rpartition("/")[2] for event in await (await engine.events()).read_all()}
    await engine.close()
    return found


def snapshot(running: Path, left: Path, suffixes: tuple[str, ...] = SUFFIXES) -> Path:
    """Copy the files of a running log as a killed process leaves them."""
    left.mkdir(exist_ok=True)
    for suffix in suffixes:
        shutil.copy(running / f"events.db{suffix}", left)
    return left


def checkpoint(directory: Path, mode: str) -> None:
    with closing(sqlite3.connect(directory / "events.db")) as connection:
        connection.execute(f"PRAGMA wal_checkpoint({mode})")


def by_the_backup_api(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)


def by_vacuum(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


async def in_use_elsewhere(directory: Path) -> bool:
    """Ask another process whether the log is open."""
    look = "import pathlib, sys; from backends.engines.sqlite import wal; print(wal.in_use(pathlib.Path(sys.argv[1])))"
    return (await anyio.run_process([sys.executable, "-c", look, str(directory / "events.db-shm")])).stdout == b"True\n"


@pytest.mark.parametrize("folded", ["no checkpoint", "a checkpoint after the backup", "a checkpoint before the crash"])
@pytest.mark.parametrize("backup", [by_the_backup_api, by_vacuum])
async def test_a_backup_beside_the_wal_of_the_former_file_is_refused(
    tmp_path: Path, backup: Backup, folded: str
) -> None:
    running, copy = tmp_path / "running", tmp_path / "copy.db"
    engine = await opened(running)
    await append(engine, "first", "kept")
    backup(running / "events.db", copy)
    if folded == "a checkpoint after the backup":
        await append(engine, "between")
        checkpoint(running, "TRUNCATE")
    await append(engine, "later", "latest")
    if folded == "a checkpoint before the crash":
        checkpoint(running, "PASSIVE")
    left = snapshot(running, tmp_path / "left")
    await engine.close()
    shutil.copy(copy, left / "events.db")
    before = contents(left)
    with pytest.raises(Unusable, match=r"events\.db-wal does not belong to this events\.db.* Nothing was overwritten"):
        await opened(left)
    assert contents(left) == before
    for suffix in SUFFIXES[1:]:
        (left / f"events.db{suffix}").unlink()
    assert await streams_in(left) == {"first", "kept"}


async def test_a_copy_made_between_two_runs_is_refused_beside_the_wal_of_the_second(tmp_path: Path) -> None:
    """Although nothing but the first write of that run was copied from its WAL."""
    running = tmp_path / "running"
    engine = await opened(running)
    await append(engine, "kept")
    await engine.close()
    shutil.copy(running / "events.db", tmp_path / "copy.db")
    engine = await opened(running)
    await append(engine, "later")
    left = snapshot(running, tmp_path / "left")
    await engine.close()
    shutil.copy(tmp_path / "copy.db", left / "events.db")
    with pytest.raises(Unusable, match="does not belong to this"):
        await opened(left)


async def test_the_log_of_another_directory_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        engine = await opened(tmp_path / name)
        await append(engine, name)
        checkpoint(tmp_path / name, "TRUNCATE")
        await append(engine, f"{name}-later")
        snapshot(tmp_path / name, tmp_path / f"left of {name}")
        await engine.close()
    shutil.copy(tmp_path / "left of two" / "events.db", tmp_path / "left of one" / "events.db")
    with pytest.raises(Unusable, match="does not belong to this"):
        await opened(tmp_path / "left of one")


@pytest.mark.parametrize("suffixes", [SUFFIXES, SUFFIXES[:2]], ids=["with -shm", "without -shm"])
@pytest.mark.parametrize("steps", ["", "T", "P", "TP", "PP", "TTP"])
async def test_what_a_killed_process_leaves_is_taken(tmp_path: Path, suffixes: tuple[str, ...], steps: str) -> None:
    """Also after further kills, whether frames were copied into the file (P) or the WAL began again (T)."""
    left, expected = tmp_path / "0", set[str]()
    for life in range(3):
        engine = await opened(left)
        for number, step in enumerate([*steps, ""]):
            await append(engine, name := f"{life}-{number}")
            expected.add(name)
            if step:
                checkpoint(left, {"T": "TRUNCATE", "P": "PASSIVE"}[step])
        left_then = snapshot(left, tmp_path / str(life + 1), suffixes)
        await engine.close()
        left = left_then
        assert not wal.is_foreign(*(left / f"events.db{suffix}" for suffix in SUFFIXES))
    assert await streams_in(left) == expected


@pytest.mark.parametrize("suffixes", [SUFFIXES, SUFFIXES[:2]], ids=["with -shm", "without -shm"])
@pytest.mark.parametrize("before", ["nothing", "a whole checkpoint"])
async def test_a_checkpoint_that_a_reader_kept_back_is_taken(
    tmp_path: Path, suffixes: tuple[str, ...], before: str
) -> None:
    """A reader with an older snapshot, such as a backup, leaves some pages of a checkpoint in the WAL alone."""
    running = tmp_path / "running"
    engine = await opened(running)
    await append(engine, "first", "second")
    await engine.close()
    engine = await opened(running)
    await append(engine, "third")
    if before == "a whole checkpoint":
        checkpoint(running, "PASSIVE")
        await append(engine, "fourth")
    with closing(sqlite3.connect(f"file:{running}/events.db?mode=ro", uri=True, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        await append(engine, "acknowledged")
        checkpoint(running, "PASSIVE")
        left = snapshot(running, tmp_path / "left", suffixes)
        reader.execute("COMMIT")
    await engine.close()
    assert not wal.is_foreign(*(left / f"events.db{suffix}" for suffix in SUFFIXES))
    expected = {"first", "second", "third", "acknowledged"} | ({"fourth"} if before != "nothing" else set[str]())
    assert await streams_in(left) == expected


async def test_calls_that_are_committed_together_are_one_link(tmp_path: Path) -> None:
    engine = await opened(tmp_path / "running")
    log = await engine.events()
    await append(engine, "first")
    checkpoint(tmp_path / "running", "TRUNCATE")
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(append, engine, f"many-{number}")
    left = snapshot(tmp_path / "running", tmp_path / "left")
    assert await log.count() == 21
    await engine.close()
    assert len(await streams_in(left)) == 21


async def test_a_log_that_another_process_has_open_is_in_use(tmp_path: Path) -> None:
    engine = await opened(tmp_path)
    await append(engine, "first")
    assert await in_use_elsewhere(tmp_path)
    snapshot(tmp_path, tmp_path / "left")
    await engine.close()
    assert not wal.in_use(tmp_path / "events.db-shm")
    assert not wal.in_use(tmp_path / "left" / "events.db-shm")


async def test_opening_a_log_twice_in_one_process_keeps_the_locks_of_the_first(tmp_path: Path) -> None:
    one = await opened(tmp_path)
    await append(one, "first")
    two = await opened(tmp_path)
    await two.events()
    assert await in_use_elsewhere(tmp_path)
    await two.close()
    assert await in_use_elsewhere(tmp_path)
    await one.close()
