"""Searches: by closeness, exact or through the index and scored again, and by words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from backends.closeness import best, cosines
from backends.lancedb.driver import Rows, VectorQuery
from backends.lancedb.filters import FALSE, TRUE
from backends.lancedb.rows import floats, matrix, texts
from backends.lancedb.tables import Opened
from backends.lancedb.words import sought_words
from backends.ports.values import RecordId
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

PARTITIONS: Final = 24
REFINED: Final = 10
"""Candidates per hit that the index hands over to be measured exactly."""
FEW: Final = 5_000
FEW_PART: Final = 50
SPARE: Final = 16
WIDENING: Final = 8
SLACK: Final = 2e-5
"""How far the engine's float32 distance may be from the true one; whoever is this close to the last place is scored."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """What is nearest to `vector` (unit norm) under a condition, at most `k` and none below `min_score`."""

    vector: "Vector"
    k: int
    where: str
    min_score: float | None


async def dense(opened: Opened, asked: Nearest) -> Sequence[Hit]:
    """Return the nearest records, best first, ties by id."""
    if asked.where == FALSE:
        return []
    exact = await _exactly(opened, asked.where)
    wanted = asked.k + SPARE
    while True:
        rows = await opened.calls.run(_question(opened, asked, wanted, exact=exact).to_arrow())
        if rows.num_rows < wanted or _settled(rows, asked.k):
            break
        wanted *= WIDENING
    if not rows.num_rows:
        return []
    scores = cosines(matrix(rows, opened.layout.dim), asked.vector)
    hits = (Hit(RecordId(key), score) for key, score in zip(texts(rows, "id"), scores, strict=True))
    return best(hits, asked.k, asked.min_score)


async def _exactly(opened: Opened, where: str) -> bool:
    """Say whether to look at every match: where nothing is indexed, or few match, among which the index finds too few."""
    if not await opened.upkeep.indexed():
        return True
    if where == TRUE:
        return False
    matches = await opened.calls.run(opened.table.count_rows(where))
    return matches <= FEW or matches <= await opened.calls.run(opened.table.count_rows()) // FEW_PART


def _question(opened: Opened, asked: Nearest, wanted: int, *, exact: bool) -> VectorQuery:
    query = opened.table.query().nearest_to(asked.vector).distance_type("cosine").limit(wanted)
    query = query.select(["id", "vector", "_distance"])
    if asked.where != TRUE:
        query = query.where(asked.where)
    if exact:
        return query.bypass_vector_index()
    # The engine compares both numbers at each step, so the most comes first.
    return query.maximum_nprobes(0).minimum_nprobes(PARTITIONS).refine_factor(REFINED)


def _settled(rows: Rows, k: int) -> bool:
    """Say whether nobody outside the answer can be as close as the last one that counts."""
    distances = sorted(floats(rows, "_distance"))
    return distances[-1] - distances[k - 1] > SLACK


async def keyword(opened: Opened, text: str, k: int, where: str) -> Sequence[Hit]:
    """Return the best records that share words with `text`."""
    sought = sought_words(text)
    if not sought or where == FALSE:
        return []
    query = opened.table.query().nearest_to_text(sought, columns=["words"]).select(["id", "_score"]).limit(k)
    if where != TRUE:
        query = query.where(where)
    rows = await opened.calls.run(query.to_arrow())
    found = zip(texts(rows, "id"), floats(rows, "_score"), strict=True)
    return best((Hit(RecordId(key), score) for key, score in found), k, None)
