"""Search by words: words of our own making become a query without syntax, ranked by the engine's BM25."""

from collections.abc import Sequence
from typing import Final

from backends.neo4j.connection import Connection
from backends.neo4j.filters import Bound, compile_filter
from backends.neo4j.schema import WORDS_INDEX
from backends.neo4j.vectors.collections import Stored
from backends.neo4j.vectors.table import MAX_WORDS, words
from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from backends.widening import widen

_SEARCH: Final = (
    f"CALL db.index.fulltext.queryNodes('{WORDS_INDEX}', $query, {{{{limit: $wanted}}}}) YIELD node AS n, score"
    " RETURN n.id, score, coalesce({where}, false)"
)


async def keyword(connection: Connection, within: Stored, text: str, k: int, where: Filter | None) -> Sequence[Hit]:
    """Return the best records that share words with `text`."""
    bound = Bound()
    condition = compile_filter(where, within.specs, bound)
    # Words are letters and digits in small letters, so that neither a sign nor AND, OR, NOT can be among them.
    sought = [f'"{word}"' for word in dict.fromkeys(words(text))][:MAX_WORDS]
    if not sought:
        return []
    query = f"+scope:{within.scope}^0 +words:({' '.join(sought)})"

    async def ask(wanted: int) -> tuple[list[Hit], bool]:
        values = {**bound.values, "query": query, "wanted": wanted}
        rows = await connection.run(_SEARCH.format(where=condition), values, _row)
        hits = [hit for hit, matches in rows if matches]
        return hits, len(hits) >= k or len(rows) < wanted

    found = await widen(ask, first=k if where is None else 8 * k + 64)
    return sorted(found, key=lambda hit: (-hit.score, hit.id))[:k]


def _row(identifier: str, score: float, matches: bool) -> tuple[Hit, bool]:  # noqa: FBT001 -- a column
    return Hit(RecordId(identifier), score), matches
