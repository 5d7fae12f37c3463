"""Files that are old, new, foreign or damaged."""

import dataclasses
import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite import verify
from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.connection import Call, Database
from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS, Layout, schema_version
from backends.engines.sqlite.settings import SqliteSettings
from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput, StoreError, Unavailable, Unusable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.graph import Edge, GraphBatch
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, Micros, NodeId, Revision
from backends.stores import open_engine
from tests.engines.sqlite.samples import KIND, batch, write

NS = namespace("n1")
PAGE = 4_096


async def refused(directory: Path, kind: type[StoreError]) -> str:
    with pytest.raises(kind) as caught:
        await open_engine(ADAPTER, {}, directory)
    return str(caught.value)


def test_a_file_of_an_older_version_is_migrated_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    older = Database(path, GRAPH, SqliteSettings())
    older.open()
    older.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO meta(ns, key, value) VALUES('n1', 'k', 'v')")
        connection.commit()
    steps = (("ALTER TABLE meta ADD COLUMN note TEXT",), ("UPDATE meta SET note = 'second step'",))
    newer = Database(path, dataclasses.replace(GRAPH, migrations=(*GRAPH.migrations, *steps)), SqliteSettings())
    newer.open()
    assert newer.version() == GRAPH.version + 2
    newer.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT value, note FROM meta").fetchall() == [("v", "second step")]


def test_many_that_make_one_file_at_the_same_moment_all_open_it(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)

    def make(database: Database) -> None:
        barrier.wait()
        database.open()

    with ThreadPoolExecutor(barrier.parties) as threads:
        for number in range(40):
            databases = [Database(tmp_path / f"{number}.db", GRAPH, SqliteSettings()) for _ in range(barrier.parties)]
            list(threads.map(make, databases))
            assert {database.version() for database in databases} == {GRAPH.version}
            for database in databases:
                database.close()


async def test_records_of_an_older_version_are_counted(tmp_path: Path) -> None:
    former = Database(
        tmp_path / "graph.db", dataclasses.replace(GRAPH, migrations=GRAPH.migrations[:1]), SqliteSettings()
    )
    former.open()
    former.close()
    declared = declare(KIND.fields).dump()
    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection:
        connection.execute("INSERT INTO kinds(ns, name, fields) VALUES('n1', 'concept', ?)", (declared,))
        connection.executemany(
            "INSERT INTO nodes(ns, id, kind, rev, dead, indexed, c0, fields) VALUES('n1', ?, 'concept', 1, ?, 1, ?, ?)",
            [("a", 0, "x", '{"name":"x"}'), ("b", 0, "x", '{"name":"x"}'), ("c", 0, None, "{}"), ("d", 1, None, None)],
        )
        connection.executemany(
            "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES('n1', ?, 'a', ?, ?, 1, ?, 1)",
            [("e1", "b", "knows", 0), ("e2", "d", "knows", 0), ("e3", "c", "likes", 1), ("e4", "c", "likes", 0)],
        )
        connection.commit()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    graph = await engine.graph(NS)
    for totals in ((), ("name",)):
        await graph.ensure([dataclasses.replace(KIND, totals=totals)])
        found = await graph.count_nodes(KIND.name, by=("name",))
        assert [(group.key, group.count) for group in found] == [(("x",), 2), ((None,), 1)]
        assert await graph.count_edges() == {"knows": 1, "likes": 1}
    await graph.apply(GraphBatch(deleted_nodes={NodeId("a"): Revision(2)}))
    found = await graph.count_nodes(KIND.name, by=("name",))
    assert [(group.key, group.count) for group in found] == [(("x",), 1), ((None,), 1)]
    assert await graph.count_edges() == {}
    await engine.close()


async def test_the_rest_of_an_interrupted_drop_is_counted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = await engine.graph(NS)
    wanted = dataclasses.replace(KIND, totals=("name",))
    await graph.ensure([wanted])
    edges = tuple(Edge(EdgeId(key), NodeId("a"), NodeId("b"), "knows", Revision(1)) for key in ("e1", "e2", "e3"))
    await graph.apply(dataclasses.replace(batch("a", "b"), edges=edges))
    whole, turns = Database.write, iter(range(1))

    async def cut_short(database: Database, call: Call[bool]) -> bool:
        if next(turns, None) is None:
            raise Unavailable("the disk is gone")
        return await whole(database, call)

    with monkeypatch.context() as patched:
        patched.setattr("backends.engines.sqlite.graph.store.DROPPED_AT_ONCE", 1)
        patched.setattr(Database, "write", cut_short)
        with pytest.raises(Unavailable):
            await graph.drop()
    await graph.ensure([wanted])
    assert await graph.count_edges() == {"knows": 2}
    assert [group.count for group in await graph.count_nodes(KIND.name, by=("name",))] == [1, 1]
    await graph.drop()
    await graph.ensure([wanted])
    assert (await graph.count_edges(), await graph.count_nodes(KIND.name, by=("name",))) == ({}, [])


def test_a_migration_that_fails_leaves_the_file_at_its_version(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    steps = (("CREATE TABLE half(x)",), ("this is not a statement",))
    broken = dataclasses.replace(GRAPH, migrations=(*GRAPH.migrations, *steps))
    older = Database(path, GRAPH, SqliteSettings())
    older.open()
    older.close()
    with pytest.raises(StoreError):
        Database(path, broken, SqliteSettings()).open()
    with closing(sqlite3.connect(path)) as connection:
        assert schema_version(connection) == GRAPH.version
        assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []


@pytest.mark.parametrize("layout", [EVENTS, GRAPH, VECTORS], ids=lambda layout: layout.file)
async def test_a_file_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path, layout: Layout) -> None:
    file = layout.file
    await (await open_engine(ADAPTER, {}, tmp_path)).close()
    with closing(sqlite3.connect(tmp_path / file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = (tmp_path / file).read_bytes()
    message = await refused(tmp_path, Unusable)
    assert f"newer version of Entrepot (schema 99, this one knows {layout.version})" in message
    assert file in message
    assert (tmp_path / file).read_bytes() == before


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("events.db", "restore it from a backup"),
        ("graph.db", "Run `entrepot rebuild`"),
        ("vectors.db", "moves it aside"),
    ],
)
async def test_a_damaged_file_is_refused_with_the_remedy_and_not_changed(
    tmp_path: Path, file: str, remedy: str
) -> None:
    (tmp_path / file).write_bytes(b"this was a database once " * 400)
    before = (tmp_path / file).read_bytes()
    message = await refused(tmp_path, Unusable)
    assert file in message
    assert remedy in message
    assert (tmp_path / file).read_bytes() == before


async def test_a_database_of_another_program_is_refused_and_not_changed(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection:
        connection.execute("CREATE TABLE theirs(x)")
    before = (tmp_path / "graph.db").read_bytes()
    assert "another program" in await refused(tmp_path, Unusable)
    assert (tmp_path / "graph.db").read_bytes() == before


async def test_files_under_each_others_names_are_refused_and_not_changed(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    for store in (await engine.graph(namespace("n1")), await engine.vectors(namespace("n1"))):
        await store.set_meta("key", "value")
    await engine.close()
    graph, vectors = tmp_path / "graph.db", tmp_path / "vectors.db"
    graph.write_bytes(vectors.read_bytes())
    message = await refused(tmp_path, Unusable)
    assert "graph.db is no graph.db but another file of Entrepot's" in message
    assert graph.read_bytes() == vectors.read_bytes()


async def grown_log(directory: Path) -> Path:
    """Write 200 events and close the log; return its file."""
    engine = await open_engine(ADAPTER, {}, directory)
    log = await engine.events()
    for number in range(200):
        event = NewEvent(EventId(f"e{number}"), "t", {"n": "x" * 500}, Micros(0))
        await log.append([Write(StreamName("a/b"), (event,))], batch=BatchId(f"b{number}"))
    await engine.close()
    return directory / "events.db"


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


async def test_a_log_damaged_in_its_middle_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """In one line, although SQLite's own words have several."""
    file = await grown_log(tmp_path)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // PAGE * PAGE
    content[middle : middle + 3 * PAGE] = b"\xa5" * (3 * PAGE)
    file.write_bytes(content)
    message = await refused(tmp_path, Unusable)
    assert re.fullmatch(
        r".*/events\.db is damaged or not a database \(.+\)\. .* restore it from a backup\. .*", message
    )
    assert "***" not in message
    assert file.read_bytes() == content


async def test_looking_through_a_log_ends_in_time_and_leaves_the_rest_to_verifying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await grown_log(tmp_path)
    content = bytearray(file.read_bytes())
    content[-PAGE:] = b"\xa5" * PAGE
    file.write_bytes(content)
    monkeypatch.setattr(verify, "QUICK_CHECK_S", 0.0)
    monkeypatch.setattr(verify, "STEPS", 1)
    engine = await open_engine(ADAPTER, {}, tmp_path)
    with pytest.raises(Unusable, match=r"events\.db is damaged"):
        await engine.verify()
    await engine.close()


async def test_only_files_of_used_ports_are_created(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    assert await (await engine.events()).head() == 0
    assert (await engine.health()).detail == f"{tmp_path} answers: events.db"
    await engine.close()
    assert [file.name for file in tmp_path.glob("*.db")] == ["events.db"]


async def test_a_directory_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    assert "cannot be used" in await refused(tmp_path / "data", Unavailable)


@pytest.mark.parametrize("file", ["events.db", "graph.db", "vectors.db"])
async def test_a_file_that_cannot_be_opened_leaves_the_other_ports_usable(tmp_path: Path, file: str) -> None:
    """A directory in its place fails as a missing permission does; its port works once it is gone."""
    (tmp_path / file).mkdir()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    ports = {
        "events.db": engine.events,
        "graph.db": lambda: engine.graph(NS),
        "vectors.db": lambda: engine.vectors(NS),
    }
    for other, port in ports.items():
        if other == file:
            with pytest.raises(Unavailable, match=file):
                await port()
        else:
            await port()
    health = await engine.health()
    assert (health.ok, str(tmp_path / file) in health.detail) == (False, True)
    (tmp_path / file).rmdir()
    await ports[file]()
    assert (await engine.health()).ok
    await engine.close()


async def test_a_wrong_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="busy_timeout_s"):
        await open_engine(ADAPTER, {"busy_timeout_s": -1}, tmp_path)
    with pytest.raises(InvalidInput, match="colour"):
        await open_engine(ADAPTER, {"colour": "red"}, tmp_path)


async def test_a_full_projection_refuses_whole_batches_and_works_again_with_room(tmp_path: Path) -> None:
    graph = await (small := await open_engine(ADAPTER, {"max_pages": 150}, tmp_path)).graph(NS)
    await graph.ensure([KIND])
    large = batch(*(f"{number:04d}" * 100 for number in range(2_000)))
    with pytest.raises(Unavailable, match="full"):
        await graph.apply(large)
    await graph.apply(batch("small"))
    assert [group.count for group in await graph.count_nodes(KIND.name)] == [1]
    await small.close()
    graph = await (roomy := await open_engine(ADAPTER, {}, tmp_path)).graph(NS)
    await graph.apply(large)
    assert [group.count for group in await graph.count_nodes(KIND.name)] == [2_001]
    await roomy.close()


async def test_closing_twice_is_fine_and_later_calls_are_unavailable(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    await engine.close()
    await engine.close()
    with pytest.raises(Unavailable):
        await log.append([write("t/s/1")], batch=BatchId("b1"))
    with pytest.raises(Unavailable):
        await log.head()
    assert not (await engine.health()).ok


async def test_verifying_finds_damage_that_no_read_has_met(tmp_path: Path) -> None:
    """In the log too, even an index that lacks events; a rebuild must not replace the log."""
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    await log.append([write("a/b", events=50)], batch=BatchId("b"))
    await engine.verify()
    await engine.close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = sql || ' WHERE version > 9' WHERE name = 'events_p1'")
        connection.commit()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    with pytest.raises(Unusable, match=r"events.db is damaged .* restore it from a backup") as problem:
        await engine.verify()
    assert problem.value.replaceable == ()
    await engine.close()
