"""Several processes on one folder: one row per id, the highest revision wins, acknowledged writes stay."""

import subprocess
import sys
from pathlib import Path

from backends.ports.values import RecordId
from contracts.ports.vector_records import NAME, fill, names_stored, record
from tests.engines.lancedb.tables import bare_table, opened


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
