"""Each error of the driver, and of decoding, becomes a store error that names the file and a remedy."""

import sqlite3
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.errors import PROBLEMS, damaged_error, is_busy, translate
from backends.engines.sqlite.schema import EVENTS, GRAPH, VECTORS, FileSchema
from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Undecodable, Unusable
from backends.ports.values import NodeId, RecordId
from backends.stores import open_engine
from tests.engines.sqlite.damage import CONTENT, NOT_JSON, NOT_UTF8, NS, changed, filled, refused


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


async def read(engine: Engine, port: str) -> None:
    match port:
        case "events":
            await (await engine.events()).read_all("a/")
        case "graph":
            await (await engine.graph(NS)).get_nodes([NodeId("one")])
        case _:
            await (await engine.vectors(NS)).get("texts", [RecordId("r")])


@pytest.mark.parametrize(
    ("port", "statement", "value"),
    [
        ("events", "UPDATE events SET data = CAST(? AS TEXT) WHERE position = 1", NOT_UTF8),
        ("events", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON),
        ("graph", "UPDATE nodes SET fields = CAST(? AS TEXT)", NOT_UTF8),
        ("graph", "UPDATE nodes SET fields = ?", NOT_JSON),
        ("vectors", "UPDATE records SET fields = ?", NOT_JSON),
        ("vectors", "UPDATE records SET vector = ?", b"\x00" * 15),
    ],
)
async def test_a_record_that_cannot_be_decoded_is_damage_of_its_file(
    tmp_path: Path, port: str, statement: str, value: bytes | str
) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    await filled(engine)
    path = tmp_path / f"{port}.db"
    changed(path, statement, value)
    for call in (lambda: read(engine, port), engine.verify):
        with pytest.raises(Unusable) as caught:
            await call()
        assert f"{path} is damaged" in str(caught.value)
        assert CONTENT not in "".join(traceback.format_exception(caught.value))
        assert bool(caught.value.replaceable) == (port != "events")
        assert isinstance(caught.value, Undecodable) == (port == "events")
        assert ("the event at position 1, version 1 of a/x/1, cannot" in str(caught.value)) == (port == "events")
    await engine.close()


def _busy(path: Path) -> None:
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(path, timeout=0)) as two:
        one.execute("BEGIN IMMEDIATE")
        two.execute("BEGIN IMMEDIATE")


def _interrupted(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.set_progress_handler(lambda: True, 1)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _read_only(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA query_only = 1")
        connection.execute("CREATE TABLE t(x)")


def _nowhere(path: Path) -> None:
    sqlite3.connect(path / "in" / "a file")


def _full(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("CREATE TABLE t(x)")
        connection.execute("CREATE TABLE u(x)")


def _no_database(path: Path) -> None:
    path.write_bytes(b"no database at all " * 100)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM sqlite_master")


def _too_big(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000)
        connection.execute("SELECT ?", ("x" * 2_000,)).fetchone()


def _closed(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.close()
    connection.execute("SELECT 1")


def _lone_surrogate(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT ?", ("\ud800",))


def _no_statement(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("this is no statement")


@pytest.mark.parametrize(
    ("fail", "kind", "sentence"),
    [
        (_busy, Timeout, "another process held the write lock"),
        (_interrupted, Timeout, "took too long and was stopped"),
        (_read_only, Unavailable, "it cannot be written"),
        (_nowhere, Unavailable, "it cannot be opened"),
        (_full, Unavailable, "the quota of the store is full"),
        (_no_database, Unusable, "Run `entrepot rebuild`"),
        (_too_big, InvalidInput, "too big"),
        (_closed, Unavailable, "is closed"),
        (_lone_surrogate, InvalidInput, "not storable as UTF-8"),
        (_no_statement, StoreError, "syntax error"),
    ],
)
def test_an_error_of_the_driver_becomes_a_store_error_that_names_the_file(
    tmp_path: Path, fail: Callable[[Path], None], kind: type[StoreError], sentence: str
) -> None:
    path = tmp_path / GRAPH.file
    with pytest.raises(PROBLEMS) as caught:
        fail(path)
    meaning = translate(caught.value, path, GRAPH)
    assert type(meaning) is kind
    assert str(path) in str(meaning)
    assert sentence in str(meaning)


def test_only_a_lock_of_another_connection_is_busy(tmp_path: Path) -> None:
    for fail, busy in ((_busy, True), (_no_statement, False)):
        with pytest.raises(sqlite3.OperationalError) as caught:
            fail(tmp_path / GRAPH.file)
        assert is_busy(caught.value) == busy


@pytest.mark.parametrize("file_schema", [EVENTS, GRAPH, VECTORS], ids=lambda file_schema: file_schema.file)
def test_every_file_but_the_log_can_be_moved_away_when_it_is_damaged(file_schema: FileSchema) -> None:
    path = Path("/data") / file_schema.file
    found = damaged_error(path, file_schema, "*** in database main ***\nTree 4 page 5: never used")
    assert "damaged or not a database (Tree 4 page 5: never used)" in str(found)
    assert found.replaceable == (() if file_schema.is_log else (path, Path(f"{path}-wal"), Path(f"{path}-shm")))
