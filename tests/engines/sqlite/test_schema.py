"""Files of older and newer versions, of other programs, and under each other's names."""

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.connection import DatabaseFile
from backends.engines.sqlite.schema import (
    EVENTS,
    GRAPH,
    SLOTS,
    VECTORS,
    FileSchema,
    column,
    json_list,
    scalar,
    schema_version,
    slot_columns,
)
from backends.engines.sqlite.settings import SqliteSettings
from backends.ports.errors import StoreError, Unusable
from backends.ports.ids import namespace
from backends.stores import open_engine
from tests.engines.sqlite.damage import refused


def test_a_file_of_an_older_version_is_migrated_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    older = DatabaseFile(path, GRAPH, SqliteSettings())
    older.open()
    older.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO meta(ns, key, value) VALUES('n1', 'k', 'v')")
        connection.commit()
    steps = (("ALTER TABLE meta ADD COLUMN note TEXT",), ("UPDATE meta SET note = 'second step'",))
    newer = DatabaseFile(path, dataclasses.replace(GRAPH, migrations=(*GRAPH.migrations, *steps)), SqliteSettings())
    newer.open()
    assert newer.version() == GRAPH.version + 2
    newer.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT value, note FROM meta").fetchall() == [("v", "second step")]


def test_a_migration_that_fails_leaves_the_file_at_its_version(tmp_path: Path) -> None:
    path = tmp_path / "graph.db"
    steps = (("CREATE TABLE half(x)",), ("this is not a statement",))
    broken = dataclasses.replace(GRAPH, migrations=(*GRAPH.migrations, *steps))
    older = DatabaseFile(path, GRAPH, SqliteSettings())
    older.open()
    older.close()
    with pytest.raises(StoreError):
        DatabaseFile(path, broken, SqliteSettings()).open()
    with closing(sqlite3.connect(path)) as connection:
        assert schema_version(connection) == GRAPH.version
        assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []


@pytest.mark.parametrize("file_schema", [EVENTS, GRAPH, VECTORS], ids=lambda file_schema: file_schema.file)
async def test_a_file_of_a_newer_version_is_refused_and_not_changed(tmp_path: Path, file_schema: FileSchema) -> None:
    file = file_schema.file
    await (await open_engine(ADAPTER, {}, tmp_path)).close()
    with closing(sqlite3.connect(tmp_path / file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = (tmp_path / file).read_bytes()
    message = await refused(tmp_path, Unusable)
    assert f"newer version of Entrepot (schema 99, this one knows {file_schema.version})" in message
    assert file in message
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


def test_each_slot_has_a_column() -> None:
    assert (column(0), column(15, "n")) == ("c0", "n.c15")
    assert slot_columns() == tuple(column(slot) for slot in range(SLOTS))


def test_a_query_without_a_value_yields_zero() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert scalar(connection, "SELECT ? + 1", 4) == 5
        assert scalar(connection, "SELECT 5 WHERE 0") == 0
        assert scalar(connection, "SELECT max(x) FROM (SELECT 1 AS x WHERE 0)") == 0


@pytest.mark.parametrize("values", [[], ["a", 'with "quotes"', "ü"], [1, 2**63 - 1]])
def test_a_list_bound_as_one_value_is_read_unchanged(values: list[str] | list[int]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        rows = connection.execute("SELECT value FROM json_each(?)", (json_list(values),)).fetchall()
    assert [value for [value] in rows] == values
