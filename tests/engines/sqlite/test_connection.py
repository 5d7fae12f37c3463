"""A file in use: deleted, moved away, upgraded by another version, damaged, created by many at once."""

import dataclasses
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.connection import DatabaseFile
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS, FileSchema
from backends.engines.sqlite.settings import SqliteSettings
from backends.ports.adapter import Engine
from backends.ports.errors import AlreadyOpen, Unavailable, Unusable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.graph import Graph
from backends.ports.values import Micros, NodeId
from backends.ports.vectors import Vectors
from backends.stores import open_engine
from tests.engines.sqlite.damage import NOT_JSON, NS, changed, filled, grown_log
from tests.engines.sqlite.samples import KIND, batch, write
from tests.support.damage import check_missed_while_moved

KEPT_OPEN = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
print("open", flush=True)
sys.stdin.read()
"""


def test_many_that_make_one_file_at_the_same_moment_all_open_it(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)

    def make(database: DatabaseFile) -> None:
        barrier.wait()
        database.open()

    with ThreadPoolExecutor(barrier.parties) as threads:
        for number in range(40):
            databases = [
                DatabaseFile(tmp_path / f"{number}.db", GRAPH, SqliteSettings()) for _ in range(barrier.parties)
            ]
            list(threads.map(make, databases))
            assert {database.version() for database in databases} == {GRAPH.version}
            for database in databases:
                database.close()


async def test_a_damaged_log_takes_no_more_writes(tmp_path: Path) -> None:
    """They would be lost when a backup replaces the log."""
    file = await grown_log(tmp_path)
    content = bytearray(file.read_bytes())
    content[len(content) // 2 :] = b"\xa5" * (len(content) - len(content) // 2)
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    file.write_bytes(content)
    with pytest.raises(Unusable, match="restore it from a backup"):
        await log.read_all("a/")
    with pytest.raises(Unusable, match="restore it from a backup"):
        await log.append(
            [Write(StreamName("a/new"), (NewEvent(EventId("new"), "t", {}, Micros(0)),))], batch=BatchId("new")
        )
    await engine.close()


async def projection(engine: Engine, file: str) -> Graph | Vectors:
    """Return the port that is kept in a file."""
    return await engine.graph(NS) if file == "graph.db" else await engine.vectors(NS)


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
async def test_a_projection_deleted_while_in_use_is_created_again_for_ports_that_are_asked_for_then(
    engine: Engine, tmp_path: Path, file: str
) -> None:
    """Every port that was on the deleted file fails, so that all of its users notice and ask again."""
    store, other = await projection(engine, file), await projection(engine, file)
    await store.set_meta("incarnation", "first")
    (tmp_path / file).unlink()
    for _ in range(2):
        for port in (store, other):
            with pytest.raises(Unavailable, match="removed or replaced"):
                await port.get_meta("incarnation")
            with pytest.raises(Unavailable, match="removed or replaced"):
                await port.set_meta("incarnation", "second")
    store = await projection(engine, file)
    assert await store.get_meta("incarnation") is None
    assert await store.set_meta("incarnation", "second", if_absent=True) == "second"
    assert (await engine.health()).ok


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
async def test_a_projection_that_was_moved_away_is_unavailable_until_it_is_back(
    engine: Engine, tmp_path: Path, file: str
) -> None:
    """None is made in its place: the rest of the file is in its WAL, which stays where it is."""
    await check_missed_while_moved(engine, await projection(engine, file), tmp_path / file)


async def test_a_write_to_a_deleted_graph_is_never_acknowledged(engine: Engine, tmp_path: Path) -> None:
    graph = await engine.graph(NS)
    await graph.ensure([KIND])
    await graph.apply(batch("a"))
    (tmp_path / "graph.db").unlink()
    with pytest.raises(Unavailable):
        await graph.apply(batch("b"))
    graph = await engine.graph(NS)
    await graph.ensure([KIND])
    await graph.apply(batch("b"))
    assert set(await graph.get_nodes([NodeId("a"), NodeId("b")])) == {"b"}


async def test_a_log_that_was_moved_away_is_unavailable_until_the_same_file_is_back(
    engine: Engine, tmp_path: Path
) -> None:
    log = await engine.events()
    await log.append([write("t/s/1")], batch=BatchId("b1"))
    (tmp_path / "events.db").rename(tmp_path / "elsewhere.db")
    with pytest.raises(Unavailable, match=r"events\.db"):
        await log.append([write("t/s/1")], batch=BatchId("b2"))
    assert not (tmp_path / "events.db").exists()
    assert not (await engine.health()).ok
    (tmp_path / "elsewhere.db").rename(tmp_path / "events.db")
    await log.append([write("t/s/1")], batch=BatchId("b3"))
    assert await log.versions([StreamName("t/s/1")]) == {"t/s/1": 2}


def former(file_schema: FileSchema) -> FileSchema:
    """Return a layout as its first version was."""
    return dataclasses.replace(file_schema, migrations=file_schema.migrations[:1])


def made(path: Path, file_schema: FileSchema) -> None:
    database = DatabaseFile(path, file_schema, SqliteSettings())
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


@pytest.mark.parametrize("file_schema", [EVENTS, GRAPH], ids=lambda file_schema: file_schema.file)
async def test_a_file_of_a_former_version_is_upgraded_only_when_no_process_has_it_open(
    tmp_path: Path, file_schema: FileSchema
) -> None:
    path = tmp_path / file_schema.file
    made(path, former(file_schema))
    with kept_open(path):
        with pytest.raises(AlreadyOpen, match=r"older version of Entrepot and is open in another process"):
            await open_engine(ADAPTER, {}, tmp_path)
        assert version_of(path) == 1
    engine = await open_engine(ADAPTER, {}, tmp_path)
    assert (await engine.health()).versions[file_schema.file] == f"schema {file_schema.version}"
    await engine.close()


def test_many_of_this_version_upgrade_one_file_at_the_same_moment(tmp_path: Path) -> None:
    for number in range(10):
        path = tmp_path / str(number) / GRAPH.file
        path.parent.mkdir()
        made(path, former(GRAPH))
        databases = [DatabaseFile(path, GRAPH, SqliteSettings()) for _ in range(6)]
        with ThreadPoolExecutor(len(databases)) as threads:
            for future in [threads.submit(database.open) for database in databases]:
                future.result()
        assert {database.version() for database in databases} == {GRAPH.version}
        for database in databases:
            database.close()


@pytest.mark.parametrize("file_schema", [EVENTS, GRAPH, VECTORS], ids=lambda file_schema: file_schema.file)
async def test_a_process_whose_file_a_newer_version_upgraded_writes_no_more(
    tmp_path: Path, file_schema: FileSchema
) -> None:
    database = DatabaseFile(tmp_path / file_schema.file, file_schema, SqliteSettings())
    database.open()
    with closing(sqlite3.connect(database.path)) as newer:
        newer.execute(f"PRAGMA user_version = {file_schema.version + 1}")
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


@pytest.mark.parametrize(("file_schema", "level"), [(EVENTS, 2), (GRAPH, 1), (VECTORS, 1)])
async def test_the_log_syncs_every_commit_and_projections_need_not(
    tmp_path: Path, file_schema: FileSchema, level: int
) -> None:
    """2 is FULL: acknowledged facts survive loss of power. 1 is NORMAL: lost records are replayed."""
    database = DatabaseFile(tmp_path / file_schema.file, file_schema, SqliteSettings())
    database.open()
    found = await database.write(lambda connection: connection.execute("PRAGMA synchronous").fetchone()[0])
    database.close()
    assert found == level


async def test_a_read_that_fails_leaves_no_transaction_open(engine: Engine, tmp_path: Path) -> None:
    await filled(engine)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    log = await engine.events()
    failures: list[Unusable] = []
    for _ in range(3):
        with pytest.raises(Unusable) as caught:
            await log.read_all()
        failures.append(caught.value)
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert failures
    assert not busy
