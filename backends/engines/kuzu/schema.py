"""The tables of the file: nodes, edges, links, declarations and meta values. Kinds and types are data."""

from typing import Final

from backends.engines.kuzu.driver import Session
from backends.ports.values import MAX_FIELDS

VERSION: Final = "1"
SCHEMA_NOTE: Final = "/schema"
"""The key of the meta value with the schema version. No namespace begins with a slash."""


def slot_columns() -> list[str]:
    """Return the declarations of the field columns: texts, numbers, shadows of texts, and one column for all lists."""
    typed = (("s", "STRING"), ("n", "DOUBLE"), ("t", "STRING"))
    return [f"{letter}{slot} {kind}" for letter, kind in typed for slot in range(MAX_FIELDS)] + ["lists STRING[]"]


_TABLES: Final = (
    "CREATE NODE TABLE Node(key STRING PRIMARY KEY, ns STRING, id STRING, kind STRING, rev INT64, dead BOOL,"
    f" fields STRING, props STRING, {', '.join(slot_columns())})",
    # The authoritative table of edges: a relation has no key to look up edges by.
    "CREATE NODE TABLE Edge(key STRING PRIMARY KEY, ns STRING, id STRING, source STRING, target STRING, type STRING,"
    " rev INT64, dead BOOL, confidence DOUBLE, props STRING)",
    # A copy of the live edges for traversal, hidden while an end is deleted. A shortest-path search honours conditions
    # on links only: a condition on nodes drops paths that were found and does not look for others.
    "CREATE REL TABLE Link(FROM Node TO Node, id STRING, source STRING, type STRING, rev INT64, confidence DOUBLE,"
    " props STRING, hidden BOOL)",
    "CREATE NODE TABLE Kind(key STRING PRIMARY KEY, ns STRING, name STRING, fields STRING)",
    "CREATE NODE TABLE Note(key STRING PRIMARY KEY, ns STRING, text STRING)",
)


def create(session: Session) -> None:
    """Create the tables in a new file. They are on disk when this returns."""
    for table in _TABLES:
        session.run(table)
    session.run("CREATE (:Note {key: $key, ns: '', text: $version})", {"key": SCHEMA_NOTE, "version": VERSION})
    session.run("CHECKPOINT")


def version(session: Session) -> str | None:
    """Return the schema version of a file, None if the tables are another program's. Raises `DriverError`."""
    tables = {row[0] for row in session.run("CALL show_tables() RETURN name")}
    if "Note" not in tables:
        return None
    rows = session.run("MATCH (n:Note {key: $key}) RETURN n.text", {"key": SCHEMA_NOTE})
    return str(rows[0][0]) if rows else None
