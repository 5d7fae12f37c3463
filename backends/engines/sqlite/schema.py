"""The tables and indexes of the three files, their migrations, and what statements over them are made of.

Generated identifiers are inserted into templates; values are always bound.
"""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from backends.ports.errors import Unusable

APPLICATION_ID: Final = 0x456E7472
"""'Entr': identifies Entrepot's files before anything in them is changed."""

SLOTS: Final = 16
"""The fields that a kind may declare (`MAX_FIELDS`); each slot is a column."""
GROUPED_SLOTS: Final = 3
"""The first sortable fields, such as an area or a type: nodes equal in one of them are listed newest first."""
ORDERED_SLOTS: Final = range(GROUPED_SLOTS, GROUPED_SLOTS + 2)
"""The next sortable fields, such as a time: by them such nodes are listed in descending order."""

COMPANIONS: Final = ("-wal", "-shm")
"""The suffixes of files that belong to a database file."""

Migration = tuple[str, ...]


class TextColumns(NamedTuple):
    """The columns of a table that must be readable: plain texts, and texts that are JSON or null."""

    table: str
    plain: tuple[str, ...]
    json: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileSchema:
    """A kind of file: its name, and the statements that lead from version n to n + 1."""

    file: str
    table: str
    """A table that no other kind of file has."""
    migrations: tuple[Migration, ...]
    texts: tuple[TextColumns, ...]
    is_log: bool
    """The log holds the events themselves: it is committed with a full sync and never recreated while it is in use."""
    misfits: str | None = None
    """A query that yields rows only for records whose parts do not fit each other."""

    @property
    def version(self) -> int:
        """The schema version that this code writes."""
        return len(self.migrations)

    @property
    def remedy(self) -> str:
        """What an operator can do about a damaged file."""
        if self.is_log:
            return "It holds the events themselves: restore it from a backup. Nothing was overwritten."
        return (
            "Run `entrepot rebuild`: it moves it aside and fills a new one from the event log. Nothing was overwritten."
        )

    def replaceable(self, path: Path) -> tuple[Path, ...]:
        """Return the files that can be moved away when one is damaged; none of the log."""
        return () if self.is_log else tuple(Path(f"{path}{suffix}") for suffix in ("", *COMPANIONS))


def slot_columns() -> tuple[str, ...]:
    """Return the names of the columns that hold declared fields."""
    return tuple(f"c{slot}" for slot in range(SLOTS))


def statement(template: str, /, **pieces: str) -> str:
    """Return `template` with its named pieces, which are parts of statements from this package, never a caller's text."""
    return template.format(**pieces)


def column(slot: int, alias: str = "") -> str:
    """Return the column of a slot; no other identifier depends on a declaration."""
    return f"{alias}.c{slot:d}" if alias else f"c{slot:d}"


def json_list(values: "list[str] | list[int] | tuple[str, ...] | tuple[int, ...]") -> str:
    """Return values as a JSON array, to be bound as one value and read by `json_each`."""
    return orjson.dumps(values).decode()


def scalar(connection: sqlite3.Connection, query: str, *values: str | int) -> int:
    """Return the integer that the query yields, 0 if it yields nothing."""
    row = connection.execute(query, values).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _slot_indexes(table: str, owner: str) -> Migration:
    # `indexed` is the number of sortable fields of the row's kind, so a row has no index entry for other slots.
    return tuple(
        f"CREATE INDEX {table}_c{slot} ON {table}({owner}, c{slot}, id) WHERE dead = 0 AND indexed > {slot}"
        for slot in range(SLOTS)
    )


EVENTS: Final = FileSchema(
    "events.db",
    "events",
    (
        (
            "CREATE TABLE prefixes(key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
            " events INTEGER NOT NULL, last INTEGER NOT NULL)",
            "CREATE TABLE streams(key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,"
            " p1 INTEGER NOT NULL, p2 INTEGER)",
            "CREATE TABLE events(position INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER NOT NULL,"
            " version INTEGER NOT NULL, p1 INTEGER NOT NULL, p2 INTEGER, id TEXT NOT NULL, type TEXT NOT NULL,"
            " schema INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL, meta TEXT NOT NULL)",
            "CREATE UNIQUE INDEX events_stream ON events(stream, version)",
            "CREATE INDEX events_p1 ON events(p1, position)",
            "CREATE INDEX events_p2 ON events(p2, position) WHERE p2 IS NOT NULL",
            "CREATE TABLE batches(id TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE checkpoints(name TEXT PRIMARY KEY, value TEXT NOT NULL, revision INTEGER NOT NULL)"
            " WITHOUT ROWID",
            "CREATE TABLE leases(name TEXT PRIMARY KEY, owner TEXT NOT NULL, token INTEGER NOT NULL,"
            " expires REAL NOT NULL) WITHOUT ROWID",
        ),
        (
            # One row, by which a log is distinguished from another: see `wal`.
            "CREATE TABLE chain(id INTEGER PRIMARY KEY, link BLOB NOT NULL)",
            # Null for a lease that a build before the first release took.
            "ALTER TABLE leases ADD COLUMN ttl REAL",
        ),
    ),
    (
        TextColumns("prefixes", ("name",), ()),
        TextColumns("streams", ("name",), ()),
        TextColumns("checkpoints", ("name",), ("value",)),
    ),
    is_log=True,
)

GRAPH: Final = FileSchema(
    "graph.db",
    "nodes",
    (
        (
            "CREATE TABLE kinds(ns TEXT NOT NULL, name TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY(ns, name))"
            " WITHOUT ROWID",
            "CREATE TABLE meta(ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(ns, key))"
            " WITHOUT ROWID",
            "CREATE TABLE nodes(rid INTEGER PRIMARY KEY, ns TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,"
            f" rev INTEGER NOT NULL, dead INTEGER NOT NULL, indexed INTEGER NOT NULL, {', '.join(slot_columns())},"
            " fields TEXT, props TEXT, UNIQUE(ns, id))",
            "CREATE INDEX nodes_kind ON nodes(ns, kind, id) WHERE dead = 0",
            "CREATE INDEX nodes_dead ON nodes(ns, id) WHERE dead = 1",
            *_slot_indexes("nodes", "ns, kind"),
            # Read backwards, the indexes above yield ids backwards too, so many equal values would have to be sorted.
            *(
                f"CREATE INDEX nodes_d{slot} ON nodes(ns, kind, c{slot} DESC, id) WHERE dead = 0 AND indexed > {slot}"
                for slot in range(SLOTS)
            ),
            # The newest of an area: equal in one of the first fields, ordered by a later one.
            *(
                f"CREATE INDEX nodes_g{slot}_{key} ON nodes(ns, kind, c{slot}, c{key} DESC, id)"
                f" WHERE dead = 0 AND indexed > {key}"
                for slot in range(GROUPED_SLOTS)
                for key in ORDERED_SLOTS
            ),
            # Counted along this index once; totals are stored since version 2.
            f"CREATE INDEX nodes_groups ON nodes(ns, kind, {', '.join(slot_columns()[:GROUPED_SLOTS])})"
            f" WHERE dead = 0 AND indexed >= {GROUPED_SLOTS}",
            # Shadows of text fields by slot; the table keeps the texts too, so that a candidate can be checked.
            # Since version 3 those of a list's elements, a line each.
            f"CREATE VIRTUAL TABLE texts USING fts5({', '.join(slot_columns())}, tokenize = 'trigram case_sensitive 1')",
            "CREATE TABLE edges(ns TEXT NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,"
            " type TEXT NOT NULL, rev INTEGER NOT NULL, dead INTEGER NOT NULL, confidence REAL NOT NULL,"
            " props TEXT, UNIQUE(ns, id))",
            "CREATE INDEX edges_out ON edges(ns, source, confidence DESC, target, id, type) WHERE dead = 0",
            "CREATE INDEX edges_in ON edges(ns, target, confidence DESC, source, id, type) WHERE dead = 0",
            "CREATE INDEX edges_type ON edges(ns, type) WHERE dead = 0",
        ),
        (
            "ALTER TABLE kinds ADD COLUMN totals TEXT NOT NULL DEFAULT '[]'",
            # Counts of live nodes by kind and the values of its totals; of live edges, with an empty kind, by type.
            "CREATE TABLE totals(ns TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL,"
            " PRIMARY KEY(ns, kind, key)) WITHOUT ROWID",
            "INSERT INTO totals SELECT ns, '', type, count(*) FROM edges WHERE dead = 0 GROUP BY ns, type",
            "DROP INDEX edges_type",
            "DROP INDEX nodes_groups",
        ),
        (
            # Each listing that a kind declares has an index of its own, made when it is declared.
            "ALTER TABLE kinds ADD COLUMN listings TEXT NOT NULL DEFAULT '[]'",
            # Shadows of the elements of list fields by slot, for live nodes.
            "CREATE TABLE elements(rid INTEGER NOT NULL, slot INTEGER NOT NULL, text TEXT NOT NULL, ns TEXT NOT NULL,"
            " kind TEXT NOT NULL, PRIMARY KEY(rid, slot, text)) WITHOUT ROWID",
            "CREATE INDEX elements_text ON elements(ns, kind, slot, text)",
        ),
        # The indexes of listings are created again, with another condition, when they are next declared.
        ("UPDATE kinds SET listings = '[]'",),
    ),
    (
        TextColumns("meta", ("ns", "key", "value"), ()),
        TextColumns("kinds", ("ns", "name"), ("fields", "totals", "listings")),
        TextColumns("nodes", ("ns", "id", "kind"), ("fields", "props")),
        TextColumns("edges", ("ns", "id", "source", "target", "type"), ("props",)),
    ),
    is_log=False,
)

VECTORS: Final = FileSchema(
    "vectors.db",
    "records",
    (
        (
            "CREATE TABLE meta(ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(ns, key))"
            " WITHOUT ROWID",
            "CREATE TABLE collections(key INTEGER PRIMARY KEY AUTOINCREMENT, ns TEXT NOT NULL, name TEXT NOT NULL,"
            " dim INTEGER NOT NULL, model TEXT NOT NULL, fields TEXT NOT NULL, seq INTEGER NOT NULL, UNIQUE(ns, name))",
            "CREATE TABLE records(rid INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, id TEXT NOT NULL,"
            " rev INTEGER NOT NULL, dead INTEGER NOT NULL, indexed INTEGER NOT NULL, seq INTEGER NOT NULL,"
            f" {', '.join(slot_columns())}, fields TEXT, vector BLOB, text TEXT NOT NULL, UNIQUE(collection, id))",
            "CREATE INDEX records_seq ON records(collection, seq)",
            "CREATE INDEX records_live ON records(collection, id) WHERE dead = 0",
            *_slot_indexes("records", "collection"),
        ),
    ),
    (
        TextColumns("meta", ("ns", "key", "value"), ()),
        TextColumns("collections", ("ns", "name", "model"), ("fields",)),
        TextColumns("records", ("id", "text"), ("fields",)),
    ),
    is_log=False,
    misfits="SELECT 1 FROM records r JOIN collections c ON c.key = r.collection"
    " WHERE r.vector IS NOT NULL AND length(r.vector) <> 4 * c.dim LIMIT 1",
)


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the version that the file was written with; 0 for an empty one."""
    return scalar(connection, "PRAGMA user_version")


def check_ours(connection: sqlite3.Connection, path: Path, file_schema: FileSchema) -> None:
    """Raise `Unusable` for a file of another program, of a newer version or under a wrong name; reads only."""
    # One transaction, since another process may be making the file between two reads.
    connection.execute("BEGIN")
    try:
        owner = scalar(connection, "PRAGMA application_id")
        tables = {str(name) for [name] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        found = schema_version(connection)
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    empty = not tables
    if owner != APPLICATION_ID and not (owner == 0 and empty):
        raise Unusable(f"{path} is a database of another program; move it away or choose another directory")
    if found > file_schema.version:
        raise Unusable(
            f"{path} was written by a newer version of Entrepot (schema {found}, this one knows {file_schema.version}); "
            "upgrade Entrepot or choose another data directory"
        )
    if file_schema.table not in tables and tables & {each.table for each in (EVENTS, GRAPH, VECTORS)}:
        raise Unusable(f"{path} is no {file_schema.file} but another file of Entrepot's; put each back in its place")


def migrate(connection: sqlite3.Connection, file_schema: FileSchema) -> None:
    """Migrate the file to the layout's version, all steps or none; several processes may try at once."""
    if schema_version(connection) == file_schema.version:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(schema_version(connection), file_schema.version):
            for step in file_schema.migrations[version]:
                connection.execute(step)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {file_schema.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
