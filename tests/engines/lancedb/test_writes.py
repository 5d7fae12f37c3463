"""Writes that wait share a commit; several processes on one folder leave one row per id, and lose nothing."""

import subprocess
import sys
from pathlib import Path

import anyio

from backends.ports.values import RecordId, Revision
from contracts.ports.vector_records import NAME, THINGS, axis, cloud, fill, names_stored, record
from tests.engines.lancedb.tables import bare_table, opened, small_files


async def test_waiting_writes_share_a_commit(tmp_path: Path) -> None:
    records = [record(f"r{each:02}", row, rank=each) for each, row in enumerate(cloud(50, 2))]
    async with opened(tmp_path) as vectors:
        await vectors.ensure(THINGS)
        async with anyio.create_task_group() as group:
            for item in records:
                group.start_soon(vectors.upsert, NAME, [item])
            # Writes of one id are not combined: each is compared with the stored revision.
            for rev in (3, 5, 4):
                group.start_soon(vectors.upsert, NAME, [record("same", axis(1), rank=rev, rev=rev)])
            group.start_soon(vectors.delete, NAME, {RecordId("gone"): Revision(1)})
        assert await small_files(tmp_path) < 20
        assert await names_stored(vectors) == [*(item.id for item in records), "same"]
        assert (await vectors.get(NAME, [RecordId("same")]))[RecordId("same")].fields == {"rank": 5}
        assert await vectors.revisions(NAME, [RecordId("gone")]) == {"gone": 1}


async def test_a_cancelled_writer_does_not_stop_the_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(THINGS)
        async with anyio.create_task_group() as group:
            for each in range(20):

                async def write(each: int = each) -> None:
                    with anyio.move_on_after(0.001 if each % 2 else None):
                        await vectors.upsert(NAME, [record(f"r{each:02}")])

                group.start_soon(write)
        assert {f"r{each:02}" for each in range(0, 20, 2)} <= {*await names_stored(vectors)}


def writer(directory: Path, seed: int, count: int, ids: int, revisions: int) -> "subprocess.Popen[str]":
    numbers = map(str, (seed, count, ids, revisions))
    command = [sys.executable, "-m", "tests.engines.lancedb.writer", str(directory), *numbers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def highest(lines: list[str]) -> dict[str, int]:
    """Return the highest acknowledged revision of each id."""
    best: dict[str, int] = {}
    for line in lines:
        name, rev = line.split()
        best[name] = max(best.get(name, 0), int(rev))
    return best


async def test_two_processes_that_write_the_same_new_ids_leave_one_row_each(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("before"))
        running = [writer(tmp_path, seed, 50, 6, 1_000) for seed in (1, 2)]
        output = [process.communicate(timeout=120)[0] for process in running]
        assert [process.returncode for process in running] == [0, 0]
        expected = highest([line for text in output for line in text.splitlines()])
        assert await names_stored(vectors) == sorted(["before", *expected])
        stored = await vectors.get(NAME, [RecordId(name) for name in expected])
        assert {name: item.rev for name, item in stored.items()} == expected
        assert all(item.fields == {"rank": item.rev} for item in stored.values())
    assert await (await bare_table(tmp_path)).count_rows() == len(expected) + 1


async def test_acknowledged_writes_survive_a_kill(tmp_path: Path) -> None:
    process = writer(tmp_path, 3, 10_000, 100_000, 1)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline() for _ in range(40)]
    process.kill()
    acknowledged += process.communicate(timeout=60)[0].splitlines()
    async with opened(tmp_path) as vectors:
        assert {*await names_stored(vectors)} >= {*highest(acknowledged)}
