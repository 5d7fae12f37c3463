"""Search by closeness: candidates from the index or from a look at every record, scored exactly from their vectors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.closeness import best, cosines
from backends.neo4j.connection import Connection
from backends.neo4j.filters import Bound, compile_filter
from backends.neo4j.schema import Schema
from backends.neo4j.vectors.collections import Stored
from backends.neo4j.vectors.table import records_ns
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
    "CYPHER 25 MATCH (n:{label}) SEARCH n IN (VECTOR INDEX {index} FOR $vector LIMIT $wanted)"
    " WITH n WHERE {where} RETURN n.id, n.raw"
)
_BY_PROCEDURE: Final = (
    "CALL db.index.vector.queryNodes('{index}', $wanted, $vector) YIELD node AS n"
    " WITH n WHERE {where} RETURN n.id, n.raw"
)
_BY_LOOKING: Final = (
    "MATCH (n:{label}:EntrepotRecord) WHERE n.ns = $ns AND {where}"
    " WITH n, vector.similarity.cosine(n.vector, $vector) AS s ORDER BY s DESC, n.id LIMIT $wanted RETURN n.id, n.raw"
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


async def dense(connection: Connection, schema: Schema, within: Stored, query: Query) -> "Sequence[Hit]":
    """Return the nearest records, best first, ties by id."""
    bound = Bound()
    where = compile_filter(query.where, within.specs, bound)
    # More than asked for: the index is approximate, and near the last place its scores are not quite ours.
    wanted = query.k + min(3 * query.k, 300) + 60
    values = {**bound.values, "ns": records_ns(within), "vector": query.vector.tolist(), "wanted": wanted}
    rows: list[tuple[str, bytes]] = []
    if await schema.is_online(within.index):
        template = _BY_SEARCH if connection.version >= SEARCH_SINCE else _BY_PROCEDURE
        rows = await connection.run(template.format(index=within.index, label=within.label, where=where), values, _row)
    # Too few passed the filter: it is narrow, and those that match are looked at one by one.
    if len(rows) < query.k:
        rows = await connection.run(_BY_LOOKING.format(label=within.label, where=where), values, _row)
    return best(_scored(rows, query.vector), query.k, query.min_score)


def _row(identifier: str, raw: bytes) -> tuple[str, bytes]:
    return identifier, bytes(raw)


def _scored(rows: list[tuple[str, bytes]], vector: "Vector") -> list[Hit]:
    import numpy as np

    if not rows:
        return []
    matrix = np.frombuffer(b"".join(raw for _, raw in rows), dtype="<f4").reshape(len(rows), -1)
    scores = cosines(matrix, vector)
    return [Hit(RecordId(identifier), score) for (identifier, _), score in zip(rows, scores, strict=True)]
