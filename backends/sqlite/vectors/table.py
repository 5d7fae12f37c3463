"""The table of records: written by revision, each change numbered, read back by id."""

import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from backends.closeness import units
from backends.declarations import stored_fields
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import RecordId, Revision, Value
from backends.ports.vectors import VectorRecord
from backends.sqlite.declarations import SqlValue, column_value
from backends.sqlite.schema import slot_columns
from backends.sqlite.statements import column, json_list, scalar, statement
from backends.sqlite.vectors.collections import Collection

RECORD_COLUMNS: Final = "r.id, r.vector, r.text, r.rev, r.fields"
RecordRow = tuple[RecordId, bytes, str, Revision, str]
Row = tuple[SqlValue, ...]
REVISIONS: Final = "SELECT r.id, r.rev FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"

_STORED = (
    "SELECT r.id, r.rid, r.rev, r.dead, r.text, r.fields"
    " FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"
)
# Each column that a statement names costs its indexes an entry taken out and one put in, changed or not; and one that
# nobody fills still costs when a row is added.
_ADD = (
    "INSERT INTO records(rid, collection, id, rev, dead, indexed, seq, fields, vector, text{slots})"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?{values})"
)
_CHANGE = "UPDATE records SET rev = ?, seq = ?, fields = ?, vector = ?, text = ?{slots} WHERE rid = ?"
_TURN = statement(
    "UPDATE records SET dead = ?, indexed = ?, rev = ?, seq = ?, fields = ?, vector = ?, text = ?, {slots} WHERE rid = ?",
    slots=", ".join(f"{name} = ?" for name in slot_columns()),
)
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'records'"
_INDEX = "INSERT INTO words_{key}(rowid, text) VALUES(?, ?)"
# The index keeps no texts of its own, so it has to be told what it forgets.
_FORGET = "INSERT INTO words_{key}(words_{key}, rowid, text) VALUES('delete', ?, ?)"


@dataclass(frozen=True, slots=True)
class Change:
    """What a record becomes: live with all its parts, or a tombstone."""

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


def put(connection: sqlite3.Connection, into: Collection, records: Sequence[VectorRecord]) -> None:
    """Store records. Raises `InvalidInput`."""
    vectors = units([record.vector for record in records], into.dim)
    changes = [
        Change(
            record.id,
            record.rev,
            record.text,
            vector.tobytes(),
            into.declared.kept(record.fields, owner="the collection"),
        )
        for record, vector in zip(records, vectors, strict=True)
    ]
    write(connection, into, changes)


def write(connection: sqlite3.Connection, into: Collection, changes: Sequence[Change], *, force: bool = False) -> None:
    """Write changes whose revision is above the stored one (with `force`: all), numbering each."""
    rows = connection.execute(_STORED, (json_list([change.id for change in changes]), into.key))
    stored = {row[0]: _Stored(*row[1:]) for row in rows}
    writing = _Writing(into, into.seq, scalar(connection, _LAST))
    for change in changes:
        known = stored.get(change.id)
        if known is None or known.rev < change.rev or force:
            writing.take(change, known)
    writing.write(connection)


def records(rows: Iterable[RecordRow]) -> list[VectorRecord]:
    """Return the records of rows of `RECORD_COLUMNS`."""
    import numpy as np

    return [
        VectorRecord(identifier, np.frombuffer(vector, dtype=np.float32), text, rev, stored_fields(fields))
        for identifier, vector, text, rev, fields in rows
    ]


@dataclass(slots=True)
class _Writing:
    """The rows of some changes by what becomes of them, and the texts to index and to forget."""

    into: Collection
    seq: int
    """The number of the last change."""
    last: int
    """The highest row there ever was; new records get those after it, so that their words can go with them."""
    added: dict[int, list[Row]] = field(default_factory=dict[int, list[Row]])
    """By the number of columns that are filled."""
    changed: dict[tuple[int, ...], list[Row]] = field(default_factory=dict[tuple[int, ...], list[Row]])
    """By the columns that change."""
    turned: list[Row] = field(default_factory=list[Row])
    forgotten: list[Row] = field(default_factory=list[Row])
    texts: list[Row] = field(default_factory=list[Row])

    def take(self, change: Change, known: _Stored | None) -> None:
        """Sort in a change that is to be written."""
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
                self.turned.append((dead, indexed, *parts, *declared.columns(fields), rid))
            else:
                before = fields if known.fields == text else stored_fields(known.fields)
                names = [name for name in declared.slots if before.get(name) != fields.get(name)]
                slots = tuple(declared.slots[name] for name in names)
                columns = [column_value(fields.get(name)) for name in names]
                self.changed.setdefault(slots, []).append((*parts, *columns, rid))
        self._index(rid, None if known is None or known.dead else known.text, None if dead else change.text)

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it all."""
        for count, rows in self.added.items():
            slots = "".join(f", {name}" for name in slot_columns()[:count])
            connection.executemany(statement(_ADD, slots=slots, values=", ?" * count), rows)
        for changed, rows in self.changed.items():
            columns = "".join(f", {column(slot)} = ?" for slot in changed)
            connection.executemany(statement(_CHANGE, slots=columns), rows)
        connection.executemany(_TURN, self.turned)
        key = str(self.into.key)
        connection.executemany(statement(_FORGET, key=key), self.forgotten)
        connection.executemany(statement(_INDEX, key=key), self.texts)
        connection.execute("UPDATE collections SET seq = ? WHERE key = ?", (self.seq, self.into.key))

    def _index(self, rid: int, before: str | None, after: str | None) -> None:
        """Note which words the index is to forget and which to learn: none where a text stays as it is."""
        if before == after:
            return
        if before is not None and _indexable(before):
            self.forgotten.append((rid, _words(before)))
        if after is not None and _indexable(after):
            self.texts.append((rid, _words(after)))


def _indexable(text: str) -> bool:
    return len(text.encode()) <= MAX_INDEXED_BYTES


def _words(text: str) -> str:
    """Return the form that is indexed: a word written in two ways is one word."""
    return unicodedata.normalize("NFC", text)
