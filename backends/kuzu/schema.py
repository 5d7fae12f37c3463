"""The tables of the file: nodes, edges, what links them, declarations and notes. Kinds and types are data."""

from typing import Final

from backends.kuzu.driver import Session
from backends.ports.values import MAX_FIELDS

VERSION: Final = "1"
SCHEMA_NOTE: Final = "/schema"
"""The key of the note with the version; no namespace begins with a slash."""


def slot_columns() -> list[str]:
    """Return the names and types of the columns for fields: texts, numbers, shadows of texts, all lists together."""
    typed = (("s", "STRING"), ("n", "DOUBLE"), ("t", "STRING"))
    return [f"{letter}{slot} {kind}" for letter, kind in typed for slot in range(MAX_FIELDS)] + ["lists STRING[]"]


_TABLES: Final = (
    "CREATE NODE TABLE Node(key STRING PRIMARY KEY, ns STRING, id STRING, kind STRING, rev INT64, dead BOOL,"
    f" fields STRING, props STRING, {', '.join(slot_columns())})",
    # The truth about edges, because a relation has no key to look it up by.
    "CREATE NODE TABLE Edge(key STRING PRIMARY KEY, ns STRING, id STRING, source STRING, target STRING, type STRING,"
    " rev INT64, dead BOOL, confidence DOUBLE, props STRING)",
    # The live edges once more, to walk along; hidden while an end is dead. A search for shortest paths heeds conditions
    # on links only: one on nodes drops paths that were found, and does not look for others.
    "CREATE REL TABLE Link(FROM Node TO Node, id STRING, source STRING, type STRING, rev INT64, confidence DOUBLE,"
    " props STRING, hidden BOOL)",
    "CREATE NODE TABLE Kind(key STRING PRIMARY KEY, ns STRING, name STRING, fields STRING)",
    "CREATE NODE TABLE Note(key STRING PRIMARY KEY, ns STRING, text STRING)",
)


def create(session: Session) -> None:
    """Make the tables in a new file, all on the disk when this returns."""
    for table in _TABLES:
        session.run(table)
    session.run("CREATE (:Note {key: $key, ns: '', text: $version})", {"key": SCHEMA_NOTE, "version": VERSION})
    session.run("CHECKPOINT")


def version(session: Session) -> str | None:
    """Return the version of the tables in a file, None when they are not ours. Raises `DriverError`."""
    tables = {row[0] for row in session.run("CALL show_tables() RETURN name")}
    if "Note" not in tables:
        return None
    rows = session.run("MATCH (n:Note {key: $key}) RETURN n.text", {"key": SCHEMA_NOTE})
    return str(rows[0][0]) if rows else None
