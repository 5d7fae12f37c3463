"""Processes of two versions that meet at one file: neither writes in its way what the other would misread."""

import dataclasses
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.connection import Database
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS, Layout
from backends.engines.sqlite.settings import SqliteSettings
from backends.ports.adapter import Engine
from backends.ports.errors import AlreadyOpen, Unusable
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.samples import write

KEPT_OPEN = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
print("open", flush=True)
sys.stdin.read()
"""


def former(layout: Layout) -> Layout:
    """Return a layout as its first version was."""
    return dataclasses.replace(layout, migrations=layout.migrations[:1])


def made(path: Path, layout: Layout) -> None:
    database = Database(path, layout, SqliteSettings())
    database.open()
    database.close()


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def kept_open(path: Path) -> Generator[None]:
    """Keep a file open in another process, as one of another version does."""
    with subprocess.Popen(
        [sys.executable, "-c", KEPT_OPEN, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield
        process.communicate()


@pytest.mark.parametrize("layout", [EVENTS, GRAPH], ids=lambda layout: layout.file)
async def test_a_file_of_a_former_version_is_upgraded_only_when_no_process_has_it_open(
    tmp_path: Path, layout: Layout
) -> None:
    path = tmp_path / layout.file
    made(path, former(layout))
    with kept_open(path):
        with pytest.raises(AlreadyOpen, match=r"older version of Entrepot and is open in another process"):
            await open_engine(ADAPTER, {}, tmp_path)
        assert version_of(path) == 1
    engine = await open_engine(ADAPTER, {}, tmp_path)
    assert (await engine.health()).versions[layout.file] == f"schema {layout.version}"
    await engine.close()


def test_many_of_this_version_upgrade_one_file_at_the_same_moment(tmp_path: Path) -> None:
    for number in range(10):
        path = tmp_path / str(number) / GRAPH.file
        path.parent.mkdir()
        made(path, former(GRAPH))
        databases = [Database(path, GRAPH, SqliteSettings()) for _ in range(6)]
        with ThreadPoolExecutor(len(databases)) as threads:
            for future in [threads.submit(database.open) for database in databases]:
                future.result()
        assert {database.version() for database in databases} == {GRAPH.version}
        for database in databases:
            database.close()


@pytest.mark.parametrize("layout", [EVENTS, GRAPH, VECTORS], ids=lambda layout: layout.file)
async def test_a_process_whose_file_a_newer_version_upgraded_writes_no_more(tmp_path: Path, layout: Layout) -> None:
    database = Database(tmp_path / layout.file, layout, SqliteSettings())
    database.open()
    with closing(sqlite3.connect(database.path)) as newer:
        newer.execute(f"PRAGMA user_version = {layout.version + 1}")
    with pytest.raises(Unusable, match=r"upgraded by a newer version .* Nothing of the call was written"):
        await database.write(lambda connection: connection.execute("CREATE TABLE misread(a)"))
    with pytest.raises(Unusable, match="upgraded by a newer version"):
        database.version()
    database.close()
    with closing(sqlite3.connect(database.path)) as newer:
        assert newer.execute("SELECT count(*) FROM sqlite_master WHERE name = 'misread'").fetchone() == (0,)


async def test_a_log_that_was_upgraded_meanwhile_is_reported_as_such(tmp_path: Path) -> None:
    engine: Engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    await log.append([write("a/b/c")], batch=BatchId("1"))
    with closing(sqlite3.connect(tmp_path / EVENTS.file)) as newer:
        newer.execute(f"PRAGMA user_version = {EVENTS.version + 1}")
    with pytest.raises(Unusable, match="start this process again"):
        await log.append([write("a/b/d")], batch=BatchId("2"))
    health = await engine.health()
    assert not health.ok
    assert "upgraded by a newer version" in health.detail
    await engine.close()
