"""Search by words: plain words become a query without syntax, ranked by BM25 within the collection."""

import re
import sqlite3
import unicodedata
from typing import Final

from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from backends.sqlite.filters import compile_filter
from backends.sqlite.statements import statement
from backends.sqlite.vectors.collections import Collection

MAX_WORDS: Final = 256
_WORD = re.compile(r"[^\W_]+")
_SEARCH = (
    "SELECT r.id, w.rank FROM words_{key} w CROSS JOIN records r ON r.rid = w.rowid"
    " WHERE words_{key} MATCH ? AND r.dead = 0 AND {where} ORDER BY w.rank, r.id LIMIT ?"
)


def words_query(text: str) -> str | None:
    """Return a query for any of the words of `text`, quoted so that none is syntax; None when it has no word."""
    composed = unicodedata.normalize("NFC", text)
    # Pieces of a compound word are searched too; with marks inside, only the whole is what the index calls a word.
    words = [*_WORD.findall(composed), *(part for part in composed.split() if _WORD.search(part))]
    unique = list(dict.fromkeys(words))[:MAX_WORDS]
    return " OR ".join('"{}"'.format(word.replace('"', '""')) for word in unique) or None


def keyword(connection: sqlite3.Connection, within: Collection, text: str, k: int, where: Filter | None) -> list[Hit]:
    """Return the best records that share words with `text`."""
    clause = compile_filter(where, within.declared, "r")
    if (query := words_query(text)) is None:
        return []
    search = statement(_SEARCH, key=str(within.key), where=clause.sql)
    rows: list[tuple[str, float]] = connection.execute(search, (query, *clause.values, k)).fetchall()
    return [Hit(RecordId(identifier), -rank) for identifier, rank in rows]
