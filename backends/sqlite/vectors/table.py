"""The table of records: written by revision, each change numbered, read back by id."""

import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backends.closeness import units
from backends.declarations import stored_fields
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import RecordId, Revision, Value
from backends.ports.vectors import VectorRecord
from backends.sqlite.schema import SLOTS, slot_columns
from backends.sqlite.statements import json_list, statement
from backends.sqlite.vectors.collections import Collection

RECORD_COLUMNS: Final = "r.id, r.vector, r.text, r.rev, r.fields"
RecordRow = tuple[str, bytes, str, int, str]
REVISIONS: Final = "SELECT r.id, r.rev FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"

_STORED = (
    "SELECT r.id, r.rid, r.rev, r.dead, r.text"
    " FROM json_each(?) w CROSS JOIN records r ON r.collection = ? AND r.id = w.value"
)
_PUT = statement(
    "INSERT INTO records(collection, id, rev, dead, indexed, seq, fields, vector, text, {slots})"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?{values}) ON CONFLICT(collection, id) DO UPDATE SET rev = excluded.rev,"
    " dead = excluded.dead, indexed = excluded.indexed, seq = excluded.seq, fields = excluded.fields,"
    " vector = excluded.vector, text = excluded.text, {replaced} RETURNING rid",
    slots=", ".join(slot_columns()),
    values=", ?" * SLOTS,
    replaced=", ".join(f"{name} = excluded.{name}" for name in slot_columns()),
)
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


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is stored of a record."""

    rid: int
    rev: int
    dead: int
    text: str


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
    stored = _stored(connection, into, [change.id for change in changes])
    seq = into.seq
    for change in changes:
        known = stored.get(change.id)
        if known is not None and known.rev >= change.rev and not force:
            continue
        seq += 1
        if known is not None and not known.dead and _indexable(known.text):
            connection.execute(statement(_FORGET, key=str(into.key)), (known.rid, _words(known.text)))
        rid = _put(connection, into, change, seq)
        if change.vector is not None and _indexable(change.text):
            connection.execute(statement(_INDEX, key=str(into.key)), (rid, _words(change.text)))
    connection.execute("UPDATE collections SET seq = ? WHERE key = ?", (seq, into.key))


def record(row: RecordRow) -> VectorRecord:
    """Return the record of a row of `RECORD_COLUMNS`."""
    import numpy as np

    identifier, vector, text, rev, fields = row
    values = np.frombuffer(vector, dtype=np.float32)
    return VectorRecord(RecordId(identifier), values, text, Revision(rev), stored_fields(fields))


def _stored(connection: sqlite3.Connection, into: Collection, ids: list[str]) -> dict[str, _Stored]:
    rows: Iterator[tuple[str, int, int, int, str]] = connection.execute(_STORED, (json_list(ids), into.key))
    return {row[0]: _Stored(*row[1:]) for row in rows}


def _put(connection: sqlite3.Connection, into: Collection, change: Change, seq: int) -> int:
    fields = change.fields or {}
    dead = change.vector is None
    row: tuple[int] = connection.execute(
        _PUT,
        (
            into.key,
            change.id,
            change.rev,
            int(dead),
            0 if dead else into.declared.indexed,
            seq,
            orjson.dumps(fields).decode(),
            change.vector,
            change.text,
            *into.declared.columns(fields),
        ),
    ).fetchone()
    return row[0]


def _indexable(text: str) -> bool:
    return len(text.encode()) <= MAX_INDEXED_BYTES


def _words(text: str) -> str:
    """Return the form that is indexed: a word written in two ways is one word."""
    return unicodedata.normalize("NFC", text)
