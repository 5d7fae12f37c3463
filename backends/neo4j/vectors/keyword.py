"""Search by words: words of our own making become a query without syntax, ranked by the engine's BM25."""

from collections.abc import Sequence
from typing import Final

from backends.neo4j.filters import condition
from backends.neo4j.schema import WORDS_INDEX
from backends.neo4j.vectors.table import MAX_WORDS, Table, words
from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit
from backends.widening import widen

_SEARCH: Final = (
    f"CALL db.index.fulltext.queryNodes('{WORDS_INDEX}', $v.query, {{{{limit: $v.wanted}}}}) YIELD node AS n, score"
    " RETURN collect([n.id, score, coalesce({where}, false)]) AS rows"
)


async def keyword(table: Table, text: str, k: int, where: Filter | None) -> Sequence[Hit] | None:
    """Return the best records that share words with `text`; None when the declaration is another one by now."""
    matching, values = condition(where, table.within.specs)
    # Words are letters and digits in small letters, so that neither a sign nor AND, OR, NOT can be among them.
    sought = [f'"{word}"' for word in dict.fromkeys(words(text))][:MAX_WORDS]
    if not sought:
        return []
    query = f"+scope:{table.within.scope}^0 +words:({' '.join(sought)})"

    async def ask(wanted: int) -> tuple[list[Hit] | None, bool]:
        asked = {**values, "query": query, "wanted": wanted}
        rows = await table.read(_SEARCH.format(where=matching), asked, _row)
        if rows is None:
            return None, True
        hits = [hit for hit, matches in rows if matches]
        return hits, len(hits) >= k or len(rows) < wanted

    found = await widen(ask, first=k if where is None else 8 * k + 64)
    return None if found is None else sorted(found, key=lambda hit: (-hit.score, hit.id))[:k]


def _row(identifier: str, score: float, matches: bool) -> tuple[Hit, bool]:  # noqa: FBT001 -- a column
    return Hit(RecordId(identifier), score), matches
