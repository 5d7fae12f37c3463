"""Brute-force similarity while the vector store is down; kept separate because it is computed without a store."""

from typing import TYPE_CHECKING

import anyio

from backends.kit.cosine import cosines
from backends.ports.embedder import Embedder
from backends.ports.graph import Graph, Node, Order
from toolsets.memory.entity import embedding_text
from toolsets.memory.projections import ENTITY, observations_of

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_COMPARED = 2_000
"""The most entities that are compared: the shipped model embeds them in about ten seconds."""
BUDGET_S = 20.0
"""Seconds after which no more entities are compared; the deadline of the call is 30."""
_NEWEST_FIRST = (Order("created_at", descending=True), Order("name"))
_PAGE = 500
"""Entities read at once; the deadline is checked between pages, too."""
_AT_ONCE = 16
"""Texts embedded in one call, few enough to exceed the budget by at most a second."""


async def newest_by_cosine(graph: Graph, embedder: Embedder, vector: "Vector") -> list[tuple[float, Node]]:
    """Return cosine and node of the 2,000 newest entities, in no particular order.

    After 20 seconds, only those compared so far are returned. Raises the errors of the graph and the embedder.
    """
    until = anyio.current_time() + BUDGET_S
    scored: list[tuple[float, Node]] = []
    after: str | None = None
    while len(scored) < MAX_COMPARED:
        page = await graph.find(ENTITY, order=_NEWEST_FIRST, after=after, limit=_PAGE)
        for start in range(0, len(page.items), _AT_ONCE):
            if anyio.current_time() >= until:
                return scored
            nodes = page.items[start : start + _AT_ONCE]
            rows = await embedder.embed([_text(node) for node in nodes])
            scored += zip(cosines(rows, vector), nodes, strict=True)
        if (after := page.after) is None:
            break
    return scored


def _text(node: Node) -> str:
    return embedding_text(str(node.fields["name"]), str(node.fields["type"]), observations_of(node))
