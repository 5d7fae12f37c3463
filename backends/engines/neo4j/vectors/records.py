"""The records of a collection: written by revision, one writer at a time, and read by id."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from backends.engines.neo4j.connection import Connection, pair
from backends.engines.neo4j.errors import ChangedWhileRead
from backends.engines.neo4j.properties import Properties, field_properties
from backends.engines.neo4j.vectors.collections import StoredCollection, declaration_key
from backends.kit.cosine import check_length
from backends.kit.declarations import parse_fields
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, RecordId, Revision
from backends.ports.vectors import VectorRecord

RECORD_COLUMNS: Final = "n.id, n.raw, n.text, n.rev, n.fields"
MAX_WORD: Final = 200
"""In code points. The index splits longer words."""
MAX_WORDS: Final = 256
"""Each word is a term of the index's query; a longer text is searched by its first words."""

# A statement with a collection's label is planned per collection; one without it is planned once for all.
LIVE: Final = "n.ns = $v.ns AND n.fields IS NOT NULL"
"""The condition that a record belongs to the collection and is not a tombstone."""
KEYED: Final = "MATCH (n:EntrepotRecord) USING INDEX SEEK n:EntrepotRecord(ns, id)"
"""Reads the records of a collection in order of their ids, given conditions on `ns` and `id`."""

_WORD = re.compile(r"[^\W_]+")

_DECLARED: Final = "MATCH (c:EntrepotNote {ns: $v.meta, key: $v.key}) WHERE c.value = $v.declared"
# Writers lock the declaration: what they read stays true until they commit, and a dropped collection gets no records.
_LOCKED: Final = "MATCH (c:EntrepotNote {ns: $v.meta, key: $v.key}) SET c.turn = 0 WITH c WHERE c.value = $v.declared"
_NEWER: Final = (
    "UNWIND $v.rows AS r MERGE (n:EntrepotRecord {ns: $v.ns, id: r.id}) WITH n, r WHERE coalesce(n.rev, 0) < r.rev"
)
_PUT: Final = f"{_NEWER} SET n = r.set SET n:$($v.label)"
_END: Final = f"{_NEWER} SET n = r.set REMOVE n:$($v.label)"
_FIELDS: Final = (
    f"{KEYED} WHERE {LIVE} AND n.id > $v.after WITH n ORDER BY n.ns, n.id LIMIT $v.limit"
    " RETURN collect([n.id, n.fields]) AS rows"
)
_REARRANGE: Final = (
    "UNWIND $v.rows AS r MATCH (n:EntrepotRecord {ns: $v.ns, id: r.id}) WHERE n.fields = r.before SET n += r.set"
)
_REARRANGED_AT_ONCE: Final = 1_000
"""Records of one statement; their fields are in memory here and in the server."""

ResultT = TypeVar("ResultT")


def words(text: str) -> list[str]:
    """Return the words of a text, split the same way for the index and for searches."""
    return [word[:MAX_WORD] for word in _WORD.findall(shadow(text))]


def records_ns(within: StoredCollection) -> str:
    """Return the namespace of a collection's records. It differs from that of a former collection of the same name."""
    return f"{within.ns}/{within.key}"


def record(identifier: str, raw: bytes | None, text: str | None, rev: int, fields: str | None) -> VectorRecord:
    """Return the record of a row of `RECORD_COLUMNS`. Raises `ChangedWhileRead`."""
    import numpy as np

    if raw is None or text is None or fields is None:
        raise ChangedWhileRead(f"record {identifier!r} was deleted while it was read")
    vector = np.frombuffer(raw, dtype="<f4").astype(np.float32)
    return VectorRecord(RecordId(identifier), vector, text, Revision(rev), parse_fields(fields))


class RecordStatements:
    """Statements on the records of one collection. Each returns None if the declaration has changed."""

    def __init__(self, connection: Connection, name: str, within: StoredCollection) -> None:
        self._connection = connection
        self._name = name
        self.within = within

    async def read(
        self, query: str, values: Mapping[str, object], parse: Callable[..., ResultT], *, language: str = ""
    ) -> list[ResultT] | None:
        """Run a query that returns a list `rows` of lists. Return them, each converted by calling `parse` with its items."""
        whole = f"{language}{_DECLARED} CALL () {{ {query} }} RETURN rows"

        def parsed(rows: Sequence[Sequence[object]]) -> list[ResultT]:
            return [parse(*row) for row in rows]

        found = await self._connection.run(whole, self._values(values), parsed)
        return found[0] if found else None

    async def put(self, records: Sequence[VectorRecord]) -> int | None:
        """Store records and return how many were newer than the stored ones. Raises `InvalidInput`."""
        return await self._write(_PUT, rows=[self._row(item) for item in records])

    async def end(self, revisions: Mapping[RecordId, Revision]) -> int | None:
        """Write tombstones and return how many were newer than the stored records."""
        ns = records_ns(self.within)
        rows = [{"id": key, "rev": rev, "set": {"ns": ns, "id": key, "rev": rev}} for key, rev in revisions.items()]
        return await self._write(_END, rows=rows)

    async def rearrange(self) -> None:
        """Give stored records the properties that their fields' flags require now."""
        after = ""
        while True:
            stored = await self.read(_FIELDS, {"after": after, "limit": _REARRANGED_AT_ONCE}, pair)
            if not stored:
                return
            rows = [{"id": key, "before": text, "set": self._fields(parse_fields(text))} for key, text in stored]
            await self._write(_REARRANGE, rows=rows)
            after = stored[-1][0]

    async def _write(self, change: str, **values: object) -> int | None:
        query = f"{_LOCKED} CALL () {{ {change} RETURN count(*) AS changed }} RETURN changed"
        found = await self._connection.run(query, self._values(values), int)
        return found[0] if found else None

    def _values(self, values: Mapping[str, object]) -> dict[str, object]:
        held = self.within
        places = {"meta": held.ns, "key": declaration_key(self._name), "declared": held.dump()}
        return {**values, **places, "ns": records_ns(held), "label": held.label}

    def _fields(self, fields: Fields) -> Properties:
        return field_properties(fields, self.within.specs, owner="the collection")

    def _row(self, item: VectorRecord) -> Properties:
        check_length(item.vector, self.within.dim)
        stored = self._fields(item.fields)
        stored |= {"ns": records_ns(self.within), "id": item.id, "rev": item.rev, "text": item.text}
        # The index requires a list of numbers. The bytes are read back and scored, which is many times faster.
        stored |= {"vector": item.vector.tolist(), "raw": item.vector.astype("<f4").tobytes()}
        if len(item.text.encode()) <= MAX_INDEXED_BYTES:
            stored |= {"scope": self.within.scope, "words": " ".join(words(item.text))}
        return {"id": item.id, "rev": item.rev, "set": stored}
