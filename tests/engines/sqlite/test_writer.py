"""Commits shared by callers and by processes, and commits cut short."""

import asyncio
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import Conflict, Timeout
from backends.ports.events import BatchId, Expected, StreamName
from backends.stores import open_engine
from tests.engines.sqlite.samples import write

ROOT = Path(__file__).parents[3]
APPEND = """
import asyncio, sys
from pathlib import Path
from backends.ports.events import BatchId
from backends.engines.sqlite.adapter import ADAPTER
from tests.engines.sqlite.samples import write

async def main(name: str, count: int) -> None:
    engine = await ADAPTER.open({}, Path(sys.argv[1]))
    log = await engine.events()
    for number in range(count):
        await log.append([write(f"t/{name}/{number}"), write("t/shared/all")], batch=BatchId(f"{name}{number}"))
        print(number, flush=True)
    await engine.close()

asyncio.run(main(sys.argv[2], int(sys.argv[3])))
"""


async def appender(directory: Path, name: str, count: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", APPEND, str(directory), name, str(count), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )


async def test_a_conflict_in_a_shared_commit_fails_its_caller_only(engine: Engine) -> None:
    log = await engine.events()
    await log.append([write("t/s/taken")], batch=BatchId("first"))
    names = ["taken" if number % 3 == 0 else str(number) for number in range(60)]
    results = await asyncio.gather(
        *(
            log.append([write(f"t/s/{name}", expected=Expected.NEW)], batch=BatchId(f"b{number}"))
            for number, name in enumerate(names)
        ),
        return_exceptions=True,
    )
    assert [isinstance(result, Conflict) for result in results] == [name == "taken" for name in names]
    assert await log.count("t/s/") == 1 + sum(name != "taken" for name in names)


async def test_an_abandoned_append_is_whole_or_absent(engine: Engine) -> None:
    log = await engine.events()
    tasks = [
        asyncio.create_task(log.append([write("t/s/a", events=2), write("t/s/b")], batch=BatchId(f"b{number}")))
        for number in range(50)
    ]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await log.append([write("t/s/last")], batch=BatchId("last"))
    versions = await log.versions([StreamName("t/s/a"), StreamName("t/s/b")])
    assert versions[StreamName("t/s/a")] == 2 * versions[StreamName("t/s/b")] > 0
    assert await log.count() == len(await log.read_all(limit=10_000))


async def test_several_processes_append_to_one_log_and_none_is_refused(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    waiting = asyncio.create_task(log.wait(0, timeout_s=60))
    processes = [await appender(tmp_path, name, 40) for name in ("one", "two", "three")]
    results = [await process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], results
    assert await waiting
    assert await log.versions([StreamName("t/shared/all")]) == {"t/shared/all": 120}
    events = await log.read_all("t/", limit=10_000)
    assert [event.position for event in events] == sorted({event.position for event in events})
    assert len(events) == await log.count("t/") == 240
    await engine.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
async def test_what_a_killed_process_had_acknowledged_is_there(tmp_path: Path) -> None:
    process = await appender(tmp_path, "victim", 100_000)
    assert process.stdout is not None
    acknowledged = -1
    for _ in range(50):
        acknowledged = int(await process.stdout.readline())
    process.kill()
    rest = (await process.communicate())[0].split(b"\n")
    acknowledged = max([acknowledged, *(int(line) for line in rest[:-1])])
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    streams = [StreamName(f"t/victim/{number}") for number in range(acknowledged + 1)]
    assert set((await log.versions(streams)).values()) == {1}
    assert (await log.versions([StreamName("t/shared/all")]))[StreamName("t/shared/all")] * 2 == await log.count()
    assert (await engine.health()).ok
    await engine.close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_a_file_that_another_process_locks_is_a_timeout_and_works_afterwards(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {"busy_timeout_s": 0.02}, tmp_path)
    log = await engine.events()
    with closing(sqlite3.connect(tmp_path / "events.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        appends = (log.append([write("t/s/1")], batch=BatchId(f"b{number}")) for number in range(20))
        results = await asyncio.gather(*appends, return_exceptions=True)
        assert {type(result) for result in results} == {Timeout}
        assert await log.count() == 0
        other.execute("ROLLBACK")
    await log.append([write("t/s/1")], batch=BatchId("b0"))
    assert await log.count() == 1
    await engine.close()


async def test_a_locked_file_is_waited_for_no_longer_than_the_options_say(tmp_path: Path) -> None:
    """Two waits for one who came while another was waiting; with the default of 10 s both end within a tool's 30 s."""
    engine = await open_engine(ADAPTER, {"busy_timeout_s": 1}, tmp_path)
    log = await engine.events()
    with closing(sqlite3.connect(tmp_path / "events.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        with pytest.raises(Timeout):
            await log.append([write("t/s/1")], batch=BatchId("b"))
        assert 0.9 < time.monotonic() - started < 2.5
        other.execute("ROLLBACK")
    await engine.close()


async def test_a_write_whose_caller_gave_up_while_the_file_was_locked_is_not_made(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {"busy_timeout_s": 30}, tmp_path)
    log = await engine.events()
    with closing(sqlite3.connect(tmp_path / "events.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for name in ("waits for the lock", "waits in the queue"):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(log.append([write("t/s/1")], batch=BatchId(name)), 0.3)
        other.execute("ROLLBACK")
    await log.append([write("t/s/2")], batch=BatchId("last"))
    assert await log.count() == 1
    await engine.close()
