"""Searches: dense, with candidates from the index or a full scan that are re-scored exactly, and by keyword."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from backends.engines.neo4j.errors import IndexGone
from backends.engines.neo4j.filters import condition
from backends.engines.neo4j.schema import WORDS_INDEX, DatabaseSchema
from backends.engines.neo4j.vectors.collections import StoredCollection
from backends.engines.neo4j.vectors.records import LIVE, MAX_WORDS, RecordStatements, words
from backends.kit.cosine import cosines, top_hits
from backends.kit.overfetch import overfetch
from backends.kit.queries import DenseQuery
from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

INDEXED_FROM: Final = 1_000
"""Smaller collections are scanned: exact, as fast as the index, and hundreds of small collections need no index."""
MAX_INDEXED_DIM: Final = 4_096
"""The limit of Neo4j's vector indexes."""
SEARCH_SINCE: Final = (2026, 1)
"""Servers from this version on have the clause `SEARCH`, older ones only a procedure."""
EXTRA_HITS: Final = 64
"""Hits requested beyond the wanted ones, so that most hits with equal scores are fetched and can be sorted by id."""

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
_BY_COMPARING: Final = (
    f"MATCH (n:EntrepotRecord) WHERE {LIVE} AND n.id IS NOT NULL AND {{where}}"
    " WITH n, vector.similarity.cosine(n.vector, $v.vector) AS s ORDER BY s DESC, n.id LIMIT $v.wanted"
    " RETURN collect([n.id, n.raw]) AS rows"
)
_BY_WORDS: Final = (
    f"CALL db.index.fulltext.queryNodes('{WORDS_INDEX}', $v.query, {{{{limit: $v.wanted}}}}) YIELD node AS n, score"
    " RETURN collect([n.id, score, coalesce({where}, false)]) AS rows"
)


async def index(schema: DatabaseSchema, within: StoredCollection, records: int) -> None:
    """Create the index of a large collection. Until it is online, records are scanned."""
    if records < INDEXED_FROM or within.dim > MAX_INDEXED_DIM or await schema.is_online(within.index):
        return
    await schema.begin(_CREATE.format(index=within.index, label=within.label, dim=within.dim))


async def dense(
    schema: DatabaseSchema, table: RecordStatements, query: DenseQuery[Filter | None], version: tuple[int, ...]
) -> Sequence[Hit] | None:
    """Return the nearest records, best first, ties by id; None if the declaration has changed."""
    within = table.within
    where, values = condition(query.where, within.specs)
    # The index is approximate and its scores differ slightly near the last place, so more are fetched.
    wanted = query.k + min(3 * query.k, 300) + 60
    values = {**values, "vector": query.vector.tolist(), "wanted": wanted, "index": within.index}
    rows: list[tuple[str, bytes]] | None = []
    if await schema.is_online(within.index):
        try:
            rows = await _candidates(table, where, values, searches=version >= SEARCH_SINCE)
        except IndexGone:
            schema.forget(within.index)
    # Too few candidates passed the filter, so it is narrow and a scan of the matching records is cheap.
    if rows is not None and len(rows) < query.k:
        rows = await table.read(_BY_COMPARING.format(where=where), values, _row)
    return None if rows is None else top_hits(_scored(rows, query.vector), query.k, query.min_score)


async def _candidates(
    table: RecordStatements, where: str, values: Mapping[str, object], *, searches: bool
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


async def keyword(table: RecordStatements, text: str, k: int, where: Filter | None) -> Sequence[Hit] | None:
    """Return the best records that share words with `text`; None if the declaration has changed."""
    matching, values = condition(where, table.within.specs)
    # Words consist of lower-case letters and digits, so they contain no query syntax and no AND, OR or NOT.
    sought = [f'"{word}"' for word in dict.fromkeys(words(text))][:MAX_WORDS]
    if not sought:
        return []
    query = f"+scope:{table.within.scope}^0 +words:({' '.join(sought)})"

    async def ask(wanted: int) -> tuple[list[Hit] | None, bool]:
        asked = {**values, "query": query, "wanted": wanted}
        rows = await table.read(_BY_WORDS.format(where=matching), asked, _word_hit)
        if rows is None:
            return None, True
        # Of the records that score as the last one does, the index has chosen those written first.
        least = rows[-1][0].score if len(rows) == wanted else 0.0
        hits = [hit for hit, matches in rows if matches and hit.score > least]
        return hits, len(hits) >= k or len(rows) < wanted

    found = await overfetch(ask, first=k + EXTRA_HITS if where is None else 8 * k + EXTRA_HITS)
    return None if found is None else top_hits(found, k, None)


def _word_hit(identifier: str, score: float, matches: bool) -> tuple[Hit, bool]:  # noqa: FBT001 -- a column
    return Hit(RecordId(identifier), score), matches
