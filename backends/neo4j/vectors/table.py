"""The records of a collection: written by revision, one writer at a time, read back by id."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from backends.closeness import unit
from backends.declarations import stored_fields
from backends.neo4j.connection import Connection, pair
from backends.neo4j.properties import Properties, field_properties
from backends.neo4j.vectors.collections import Stored, note_of
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, RecordId, Revision
from backends.ports.vectors import VectorRecord

RECORD_COLUMNS: Final = "n.id, n.raw, n.text, n.rev, n.fields"
MAX_WORD: Final = 200
"""In code points; the index cuts longer words in pieces."""
MAX_WORDS: Final = 256

_WORD = re.compile(r"[^\W_]+")

# Writers lock the declaration: what they read stands until they commit, and a dropped collection gets no more records.
_LOCKED: Final = (
    "MATCH (c:EntrepotNote {{ns: $notes, key: $note}}) SET c.turn = coalesce(c.turn, 0) + 1"
    " WITH c WHERE c.value = $declared"
)
_PUT: Final = (
    f"{_LOCKED} CALL () {{{{ UNWIND $rows AS r MERGE (n:EntrepotRecord {{{{ns: $ns, id: r.id}}}})"
    " WITH n, r WHERE coalesce(n.rev, 0) < r.rev SET n = r.set SET n:{label} }}"
    " RETURN COUNT {{ (m:{label}) }}"
)
_END: Final = (
    f"{_LOCKED} CALL () {{{{ UNWIND $rows AS r MERGE (n:EntrepotRecord {{{{ns: $ns, id: r.id}}}})"
    " WITH n, r WHERE coalesce(n.rev, 0) < r.rev SET n = r.set REMOVE n:{label} }}"
    " RETURN 0"
)
_END_WHERE: Final = (
    f"{_LOCKED} CALL () {{{{ MATCH (n:{{label}}:EntrepotRecord) WHERE n.ns = $ns AND {{where}}"
    " WITH n LIMIT $limit SET n = {{ns: n.ns, id: n.id, rev: n.rev}} REMOVE n:{label} RETURN count(*) AS ended }}"
    " RETURN ended"
)
_FIELDS: Final = (
    "MATCH (n:EntrepotRecord) USING INDEX SEEK n:EntrepotRecord(ns, id) WHERE n.ns = $ns AND n.id > $after AND n:{label}"
    " WITH n ORDER BY n.ns, n.id LIMIT $limit RETURN n.id, n.fields"
)
_REARRANGE: Final = (
    f"{_LOCKED} CALL () {{{{ UNWIND $rows AS r MATCH (n:{{label}}:EntrepotRecord {{{{ns: $ns, id: r.id}}}})"
    " WHERE n.fields = r.before SET n += r.set }} RETURN 0"
)
_REARRANGED_AT_ONCE: Final = 1_000


def words(text: str) -> list[str]:
    """Return the words of a text, alike for the index and for a search."""
    return [word[:MAX_WORD] for word in _WORD.findall(shadow(text))]


def records_ns(within: Stored) -> str:
    """Return the namespace of a collection's records; another collection of the same name has another one."""
    return f"{within.ns}/{within.key}"


def record(identifier: str, raw: bytes, text: str, rev: int, fields: str) -> VectorRecord:
    """Return the record of `RECORD_COLUMNS`."""
    import numpy as np

    vector = np.frombuffer(raw, dtype="<f4").astype(np.float32)
    return VectorRecord(RecordId(identifier), vector, text, Revision(rev), stored_fields(fields))


class Table:
    """Statements on the records of one collection; each write answers None when the declaration is another one by now."""

    def __init__(self, connection: Connection, name: str, within: Stored) -> None:
        self._connection = connection
        self._name = name
        self._within = within

    async def put(self, records: Sequence[VectorRecord]) -> int | None:
        """Store records and return how many there are now. Raises `InvalidInput`."""
        return await self._write(_PUT, rows=[self._row(item) for item in records])

    async def end(self, revisions: Mapping[RecordId, Revision]) -> int | None:
        """Leave tombstones."""
        ns = records_ns(self._within)
        rows = [{"id": key, "rev": rev, "set": {"ns": ns, "id": key, "rev": rev}} for key, rev in revisions.items()]
        return await self._write(_END, rows=rows)

    async def end_where(self, condition: str, values: Mapping[str, object], limit: int) -> int | None:
        """Leave tombstones over some matching records and return how many."""
        return await self._write(_END_WHERE, where=condition, limit=limit, **values)

    async def rearrange(self) -> None:
        """Give stored records the properties that the flags of their fields ask for now."""
        after = ""
        while True:
            values = {"ns": records_ns(self._within), "after": after, "limit": _REARRANGED_AT_ONCE}
            query = _FIELDS.format(label=self._within.label)
            stored = await self._connection.run(query, values, pair)
            if not stored:
                return
            rows = [{"id": key, "before": text, "set": self._fields(stored_fields(text))} for key, text in stored]
            await self._write(_REARRANGE, rows=rows)
            after = stored[-1][0]

    async def _write(self, template: str, *, where: str = "", **values: object) -> int | None:
        within = self._within
        places = {"notes": within.ns, "note": note_of(self._name), "declared": within.dump(), "ns": records_ns(within)}
        query = template.format(label=within.label, where=where)
        found = await self._connection.run(query, {**values, **places}, int)
        return found[0] if found else None

    def _fields(self, fields: Fields) -> Properties:
        return field_properties(fields, self._within.specs, owner="the collection")

    def _row(self, item: VectorRecord) -> Properties:
        vector = unit(item.vector, self._within.dim)
        stored = self._fields(item.fields)
        stored |= {"ns": records_ns(self._within), "id": item.id, "rev": item.rev, "text": item.text}
        # The index wants numbers; the bytes are what is read back and scored, many times faster.
        stored |= {"vector": vector.tolist(), "raw": vector.astype("<f4").tobytes()}
        if len(item.text.encode()) <= MAX_INDEXED_BYTES:
            stored |= {"scope": self._within.scope, "words": " ".join(words(item.text))}
        return {"id": item.id, "rev": item.rev, "set": stored}
