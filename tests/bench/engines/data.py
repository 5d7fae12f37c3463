"""The records that the ports and the bare drivers hold, the same for the same numbers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy

from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

DIM: Final = 384
COUNT: Final = 10_000
"""How many nodes, edges and records there are when the calls are measured."""
AT_ONCE: Final = 500
BULK: Final = 1_000
"""Records of one call in bulk."""
BATCH: Final = 100

KIND: Final = KindSpec("thing", (FieldSpec("name", "str", sort=True), FieldSpec("rank", "int", sort=True)))
SPEC: Final = CollectionSpec(
    "bench", DIM, "bench@1/384", (FieldSpec("area", "str", sort=True), FieldSpec("rank", "int", sort=True))
)


def vectors_of(count: int, seed: int = 1) -> "list[Vector]":
    """Return unit vectors around a hundred directions, as texts have them."""
    rng = numpy.random.default_rng(seed)
    centres = rng.normal(size=(100, DIM))
    rows = centres[rng.integers(0, 100, count)] + 0.7 * rng.normal(size=(count, DIM))
    return [numpy.asarray(row / numpy.linalg.norm(row), dtype=numpy.float32) for row in rows]


def some(call: int, size: int, count: int = COUNT) -> range:
    """Return the `size` numbers of a call, from 0 on and again from 0 when all `count` had their turn."""
    start = call * size % count
    return range(start, start + size)


def spread(call: int) -> int:
    """Return a number that jumps about from call to call."""
    return call * 3_571 % COUNT


def text_of(number: int) -> str:
    """Return a text of some words."""
    return f"record {number} about subject {number % 97} and matters like {number % 31}"


def records(numbers: Iterable[int], vectors: "list[Vector]", rev: int = 1) -> list[VectorRecord]:
    """Return records of a revision."""
    return [
        VectorRecord(
            RecordId(f"r{number:06}"),
            vectors[number],
            text_of(number),
            Revision(rev),
            {"area": f"area {number % 50}", "rank": number},
        )
        for number in numbers
    ]


def nodes(numbers: Iterable[int], rev: int = 1) -> tuple[Node, ...]:
    """Return nodes of a revision, with which one of their two fields changes."""
    return tuple(
        Node(NodeId(f"n{number}"), KIND.name, {"name": f"name {number}", "rank": number + rev}, Revision(rev))
        for number in numbers
    )


def edges(numbers: Iterable[int], rev: int = 1) -> tuple[Edge, ...]:
    """Return edges of a revision: each node has one that leaves it and one that arrives."""
    return tuple(
        Edge(
            EdgeId(f"e{number}"),
            NodeId(f"n{number}"),
            NodeId(f"n{(number * 7 + 3) % COUNT}"),
            "knows",
            Revision(rev),
            0.5,
        )
        for number in numbers
    )


def edge_batches() -> Iterable[GraphBatch]:
    """Yield all edges."""
    for start in range(0, COUNT, AT_ONCE):
        yield GraphBatch(edges=edges(range(start, start + AT_ONCE)))
