"""Search by closeness: candidates from the index or from a look at every record, scored exactly from their vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.closeness import best, cosines
from backends.neo4j.errors import IndexGone
from backends.neo4j.filters import condition
from backends.neo4j.schema import Schema
from backends.neo4j.vectors.collections import Stored
from backends.neo4j.vectors.table import LIVE, Table
from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.ports.vectors import Vector

INDEXED_FROM: Final = 1_000
"""Below, every record is looked at: exact, as quick as the index, and hundreds of small collections cost no index."""
MAX_INDEXED_DIM: Final = 4_096
SEARCH_SINCE: Final = (2026, 1)

_CREATE: Final = (
    "CREATE VECTOR INDEX {index} IF NOT EXISTS FOR (n:{label}) ON (n.vector) OPTIONS {{indexConfig: {{"
    "`vector.dimensions`: {dim:d}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}}}"
)
_BY_SEARCH: Final = (
    "MATCH (n:{label}) SEARCH n IN (VECTOR INDEX {index} FOR $v.vector LIMIT $v.wanted)"
    " WITH n WHERE {where} RETURN collect([n.id, n.raw]) AS rows"
)
_BY_PROCEDURE: Final = (
    "CALL db.index.vector.queryNodes($v.index, $v.wanted, $v.vector) YIELD node AS n"
    " WITH n WHERE {where} RETURN collect([n.id, n.raw]) AS rows"
)
_BY_LOOKING: Final = (
    f"MATCH (n:EntrepotRecord) WHERE {LIVE} AND n.id IS NOT NULL AND {{where}}"
    " WITH n, vector.similarity.cosine(n.vector, $v.vector) AS s ORDER BY s DESC, n.id LIMIT $v.wanted"
    " RETURN collect([n.id, n.raw]) AS rows"
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is nearest to `vector` (unit norm), at most `k` and none below `min_score`."""

    vector: "Vector"
    k: int
    where: Filter | None
    min_score: float | None


async def index(schema: Schema, within: Stored, records: int) -> None:
    """Have a collection indexed that has grown large; until the index answers, records are looked at."""
    if records < INDEXED_FROM or within.dim > MAX_INDEXED_DIM or await schema.is_online(within.index):
        return
    await schema.begin(_CREATE.format(index=within.index, label=within.label, dim=within.dim))


async def dense(schema: Schema, table: Table, query: Query, version: tuple[int, ...]) -> "Sequence[Hit] | None":
    """Return the nearest records, best first, ties by id; None when the declaration is another one by now."""
    within = table.within
    where, values = condition(query.where, within.specs)
    # More than asked for: the index is approximate, and near the last place its scores are not quite ours.
    wanted = query.k + min(3 * query.k, 300) + 60
    values = {**values, "vector": query.vector.tolist(), "wanted": wanted, "index": within.index}
    rows: list[tuple[str, bytes]] | None = []
    if await schema.is_online(within.index):
        try:
            rows = await _candidates(table, where, values, searches=version >= SEARCH_SINCE)
        except IndexGone:
            schema.forget(within.index)
    # Too few passed the filter: it is narrow, and those that match are looked at one by one.
    if rows is not None and len(rows) < query.k:
        rows = await table.read(_BY_LOOKING.format(where=where), values, _row)
    return None if rows is None else best(_scored(rows, query.vector), query.k, query.min_score)


async def _candidates(
    table: Table, where: str, values: Mapping[str, object], *, searches: bool
) -> list[tuple[str, bytes]] | None:
    within = table.within
    if not searches:
        return await table.read(_BY_PROCEDURE.format(where=where), values, _row)
    by_search = _BY_SEARCH.format(index=within.index, label=within.label, where=where)
    return await table.read(by_search, values, _row, language="CYPHER 25 ")


def _row(identifier: str, raw: bytes) -> tuple[str, bytes]:
    return identifier, bytes(raw)


def _scored(rows: list[tuple[str, bytes]], vector: "Vector") -> list[Hit]:
    import numpy as np

    if not rows:
        return []
    matrix = np.frombuffer(b"".join(raw for _, raw in rows), dtype="<f4").reshape(len(rows), -1)
    scores = cosines(matrix, vector)
    return [Hit(RecordId(identifier), score) for (identifier, _), score in zip(rows, scores, strict=True)]
