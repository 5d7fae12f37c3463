"""Records in tables: changes are numbered, older revisions are ignored, and columns follow the declaration."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import numpy as np
import pytest

from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.schema import VECTORS, column, migrate, statement
from backends.engines.sqlite.vectors.collections import (
    RECORD_COLUMNS,
    RecordWrite,
    StoredCollection,
    collection,
    declare_collection,
    find_collection,
    put,
    records,
    write,
)
from backends.ports.errors import Conflict, InvalidInput, NotFound, Unusable
from backends.ports.values import FieldSpec
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, THINGS, axis, record

READ = statement("SELECT {columns} FROM records r WHERE r.dead = 0 ORDER BY r.id", columns=RECORD_COLUMNS)


@pytest.fixture
def connection() -> Generator[sqlite3.Connection]:
    """Return tables in which the collection of the samples is declared."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        migrate(opened, VECTORS)
        declare_collection(opened, "space", THINGS, declare(FIELDS))
        yield opened


def things(connection: sqlite3.Connection) -> StoredCollection:
    return collection(connection, "space", NAME)


def numbers(connection: sqlite3.Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT id, seq FROM records").fetchall())


def found(connection: sqlite3.Connection, word: str) -> list[str]:
    """Return the records in whose text the index has a word."""
    matching = "SELECT r.id FROM words_1 w JOIN records r ON r.rid = w.rowid WHERE words_1 MATCH ? ORDER BY r.id"
    return [name for [name] in connection.execute(matching, (word,))]


def test_records_are_read_as_they_were_put(connection: sqlite3.Connection) -> None:
    stored = [
        record("a", axis(1), "some words", rank=1, flag=False, tags=("x", "x"), rev=3),
        record("b", axis(2), colour="ü", score=-0.0),
    ]
    put(connection, things(connection), stored)
    back = records(connection.execute(READ))
    assert [(item.id, item.text, item.rev, item.fields) for item in back] == [
        (item.id, item.text, item.rev, item.fields) for item in stored
    ]
    assert all(np.array_equal(one.vector, two.vector) for one, two in zip(back, stored, strict=True))


def test_each_change_has_the_next_number(connection: sqlite3.Connection) -> None:
    """Also a tombstone; a change of an older revision has none."""
    put(connection, things(connection), [record("a"), record("b")])
    write(connection, things(connection), [RecordWrite("a", 2), RecordWrite("new", 5)])
    put(connection, things(connection), [record("b", rank=1), record("a", rev=2), record("c")])
    assert numbers(connection) == {"a": 3, "b": 2, "new": 4, "c": 5}
    assert things(connection).seq == 5
    assert [item.id for item in records(connection.execute(READ))] == ["b", "c"]


def test_the_word_index_follows_texts_tombstones_and_revivals(connection: sqlite3.Connection) -> None:
    put(connection, things(connection), [record("a", None, "lantern"), record("b", None, "lantern")])
    put(connection, things(connection), [record("a", None, "meadow", rev=2)])
    write(connection, things(connection), [RecordWrite("b", 2)])
    assert (found(connection, "lantern"), found(connection, "meadow")) == ([], ["a"])
    put(connection, things(connection), [record("b", None, "lantern", rev=3)])
    assert found(connection, "lantern") == ["b"]
    connection.execute("INSERT INTO words_1(words_1) VALUES('integrity-check')")


def test_composed_and_decomposed_words_are_the_same(connection: sqlite3.Connection) -> None:
    put(connection, things(connection), [record("a", None, "caf\u00e9"), record("b", None, "cafe\u0301")])
    assert found(connection, "caf\u00e9") == ["a", "b"]


def test_a_vector_of_another_length_and_an_undeclared_field_are_refused(connection: sqlite3.Connection) -> None:
    for wrong in (record("a", axis(0, DIM + 1)), record("a", shape="round")):
        with pytest.raises(InvalidInput):
            put(connection, things(connection), [record("b"), wrong])
    assert numbers(connection) == {}


def test_a_declaration_that_grows_moves_the_stored_fields_to_their_new_columns(connection: sqlite3.Connection) -> None:
    put(connection, things(connection), [record("a", flag=True, rank=7)])
    grown = (FieldSpec("flag", "bool", sort=True), FieldSpec("added", "str"))
    declare_collection(connection, "space", CollectionSpec(NAME, DIM, MODEL, grown), declare(grown))
    declared = things(connection).declared
    for field, value in (("flag", 1), ("rank", 7), ("added", None)):
        query = statement("SELECT {column}, indexed FROM records", column=column(declared.slots[field]))
        assert connection.execute(query).fetchone() == (value, declared.indexed)


def test_another_model_or_type_is_refused(connection: sqlite3.Connection) -> None:
    with pytest.raises(Unusable):
        declare_collection(connection, "space", CollectionSpec(NAME, DIM, "other"), declare(()))
    fields = (FieldSpec("rank", "str"),)
    with pytest.raises(Conflict):
        declare_collection(connection, "space", CollectionSpec(NAME, DIM, MODEL, fields), declare(fields))


def test_an_undeclared_collection_is_not_found(connection: sqlite3.Connection) -> None:
    assert find_collection(connection, "other", NAME) is None
    with pytest.raises(NotFound):
        collection(connection, "space", "other")
