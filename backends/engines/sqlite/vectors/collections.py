"""The tables of collections and their records: declared, written by revision with each change numbered, read by id."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from backends.engines.sqlite.declarations import Declared, SqlValue, column_value, merge, parse
from backends.engines.sqlite.schema import column, json_list, scalar, slot_columns, statement
from backends.kit.cosine import check_length
from backends.kit.declarations import check_same_model, parse_fields, undeclared_collection
from backends.ports.text import MAX_INDEXED_BYTES, normalized
from backends.ports.values import RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord

RECORD_COLUMNS: Final = "r.id, r.vector, r.text, r.rev, r.fields"
RecordRow = tuple[RecordId, bytes, str, Revision, str]
Row = tuple[SqlValue, ...]
REVISIONS: Final = "SELECT r.id, r.rev FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"

_FIND = "SELECT key, dim, model, fields, seq FROM collections WHERE ns = ? AND name = ?"
# An index per collection: words are counted and ranked within it.
_WORDS = "CREATE VIRTUAL TABLE words_{key} USING fts5(text, content = '', tokenize = 'unicode61')"
_REARRANGE = statement(
    "UPDATE records SET indexed = ?, {slots} WHERE rid = ?", slots=", ".join(f"{name} = ?" for name in slot_columns())
)
_STORED = (
    "SELECT r.id, r.rid, r.rev, r.dead, r.text, r.fields"
    " FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"
)
# A statement updates every index that has a column it names, changed or not, and even a NULL column costs time.
_ADD = (
    "INSERT INTO records(rid, collection, id, rev, dead, indexed, seq, fields, vector, text{slots})"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?{values})"
)
_CHANGE = "UPDATE records SET rev = ?, seq = ?, fields = ?, vector = ?, text = ?{slots} WHERE rid = ?"
_REVIVE = statement(
    "UPDATE records SET dead = ?, indexed = ?, rev = ?, seq = ?, fields = ?, vector = ?, text = ?, {slots} WHERE rid = ?",
    slots=", ".join(f"{name} = ?" for name in slot_columns()),
)
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'records'"
_INDEX = "INSERT INTO words_{key}(rowid, text) VALUES(?, ?)"
# The index keeps no texts of its own, so removing one needs the text.
_FORGET = "INSERT INTO words_{key}(words_{key}, rowid, text) VALUES('delete', ?, ?)"


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A collection as it is now; `seq` is the number of its last change."""

    key: int
    dim: int
    model: str
    declared: Declared
    seq: int


def find_collection(connection: sqlite3.Connection, namespace: str, name: str) -> StoredCollection | None:
    """Return a collection, None if there is none of that name."""
    row: tuple[int, int, str, str, int] | None = connection.execute(_FIND, (namespace, name)).fetchone()
    return None if row is None else StoredCollection(row[0], row[1], row[2], parse(row[3]), row[4])


def collection(connection: sqlite3.Connection, namespace: str, name: str) -> StoredCollection:
    """Return a collection. Raises `NotFound`."""
    if (found := find_collection(connection, namespace, name)) is None:
        raise undeclared_collection(name)
    return found


def declare_collection(connection: sqlite3.Connection, namespace: str, spec: CollectionSpec, wanted: Declared) -> None:
    """Save a declaration. Raises `Unusable` for another model and `Conflict` for another dimension or type."""
    known = find_collection(connection, namespace, spec.name)
    if known is None:
        created = connection.execute(
            "INSERT INTO collections(ns, name, dim, model, fields, seq) VALUES(?, ?, ?, ?, ?, 0)",
            (namespace, spec.name, spec.dim, spec.model, wanted.dump()),
        )
        connection.execute(statement(_WORDS, key=str(created.lastrowid)))
        return
    check_same_model(spec, model=known.model, dim=known.dim)
    declared = merge(known.declared, wanted, owner=f"collection {spec.name!r}")
    if declared.dump() == known.declared.dump():
        return
    connection.execute("UPDATE collections SET fields = ? WHERE key = ?", (declared.dump(), known.key))
    rows = connection.execute("SELECT rid, fields FROM records WHERE collection = ? AND dead = 0", (known.key,))
    for rid, fields in rows.fetchall():
        connection.execute(_REARRANGE, (declared.indexed, *declared.columns(parse_fields(fields)), rid))


@dataclass(frozen=True, slots=True)
class RecordWrite:
    """The new state of a record: live with all its parts, or a tombstone."""

    id: str
    rev: int
    text: str = ""
    vector: bytes | None = None
    fields: Mapping[str, Value] | None = None


class _Stored(NamedTuple):
    """What is stored of a record."""

    rid: int
    rev: int
    dead: int
    text: str
    fields: str


def put(connection: sqlite3.Connection, into: StoredCollection, records: Sequence[VectorRecord]) -> None:
    """Store records. Raises `InvalidInput` for a vector of another length and for fields that do not fit."""
    changes: list[RecordWrite] = []
    for record in records:
        check_length(record.vector, into.dim)
        fields = into.declared.kept(record.fields, owner="the collection")
        changes.append(RecordWrite(record.id, record.rev, record.text, record.vector.tobytes(), fields))
    write(connection, into, changes)


def write(connection: sqlite3.Connection, into: StoredCollection, changes: Sequence[RecordWrite]) -> None:
    """Write changes whose revision is above the stored one, numbering each."""
    rows = connection.execute(_STORED, (json_list([change.id for change in changes]), into.key))
    stored = {row[0]: _Stored(*row[1:]) for row in rows}
    record_writes = _RecordWrites(into, into.seq, scalar(connection, _LAST))
    for change in changes:
        known = stored.get(change.id)
        if known is None or known.rev < change.rev:
            record_writes.put(change, known)
    record_writes.write(connection)


def records(rows: Iterable[RecordRow]) -> list[VectorRecord]:
    """Return the records of rows of `RECORD_COLUMNS`."""
    import numpy as np

    return [
        VectorRecord(identifier, np.frombuffer(vector, dtype=np.float32), text, rev, parse_fields(fields))
        for identifier, vector, text, rev, fields in rows
    ]


@dataclass(slots=True)
class _RecordWrites:
    """The rows of changes by the statement that writes them, and the texts to index and to remove from the index."""

    into: StoredCollection
    seq: int
    """The number of the last change."""
    last: int
    """The highest row id ever used; new records get the next ones, which their words need before they are inserted."""
    added: dict[int, list[Row]] = field(default_factory=dict[int, list[Row]])
    """By the number of columns that are filled."""
    changed: dict[tuple[int, ...], list[Row]] = field(default_factory=dict[tuple[int, ...], list[Row]])
    """By the columns that change."""
    revived: list[Row] = field(default_factory=list[Row])
    forgotten: list[Row] = field(default_factory=list[Row])
    texts: list[Row] = field(default_factory=list[Row])

    def put(self, change: RecordWrite, known: _Stored | None) -> None:
        """Add a change that is to be written."""
        self.seq += 1
        declared, dead, fields = self.into.declared, change.vector is None, change.fields or {}
        indexed = 0 if dead else declared.indexed
        text = orjson.dumps(fields).decode()
        if known is None:
            self.last += 1
            columns = [] if dead else [column_value(fields.get(name)) for name in declared.slots]
            head = (self.last, self.into.key, change.id, change.rev, dead, indexed, self.seq)
            self.added.setdefault(len(columns), []).append((*head, text, change.vector, change.text, *columns))
            rid = self.last
        else:
            rid = known.rid
            parts = (change.rev, self.seq, text, change.vector, change.text)
            if dead or known.dead:
                self.revived.append((dead, indexed, *parts, *declared.columns(fields), rid))
            else:
                before = fields if known.fields == text else parse_fields(known.fields)
                names = [name for name in declared.slots if before.get(name) != fields.get(name)]
                slots = tuple(declared.slots[name] for name in names)
                columns = [column_value(fields.get(name)) for name in names]
                self.changed.setdefault(slots, []).append((*parts, *columns, rid))
        self._index(rid, None if known is None or known.dead else known.text, None if dead else change.text)

    def write(self, connection: sqlite3.Connection) -> None:
        """Execute the statements."""
        for count, rows in self.added.items():
            slots = "".join(f", {name}" for name in slot_columns()[:count])
            connection.executemany(statement(_ADD, slots=slots, values=", ?" * count), rows)
        for changed, rows in self.changed.items():
            columns = "".join(f", {column(slot)} = ?" for slot in changed)
            connection.executemany(statement(_CHANGE, slots=columns), rows)
        connection.executemany(_REVIVE, self.revived)
        key = str(self.into.key)
        connection.executemany(statement(_FORGET, key=key), self.forgotten)
        connection.executemany(statement(_INDEX, key=key), self.texts)
        connection.execute("UPDATE collections SET seq = ? WHERE key = ?", (self.seq, self.into.key))

    def _index(self, rid: int, before: str | None, after: str | None) -> None:
        """Add the words that the index loses and gains; none if the text stays the same."""
        if before == after:
            return
        if before is not None and _indexable(before):
            self.forgotten.append((rid, _words(before)))
        if after is not None and _indexable(after):
            self.texts.append((rid, _words(after)))


def _indexable(text: str) -> bool:
    return len(text.encode()) <= MAX_INDEXED_BYTES


def _words(text: str) -> str:
    """Return the indexed form, in which composed and decomposed words are the same."""
    return normalized(text, "NFC")
