"""What the checked ports cost beyond their checks: calls to objects that answer at once, with and without the wrapper.

Run it with `python -m tests.bench.engines.checked`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import cast

import numpy

from backends.ports.checked import CheckedEventLog, CheckedGraph, CheckedVectors
from backends.ports.checked.rules import check_ids, check_range, check_where
from backends.ports.events import EventLog
from backends.ports.filters import Eq
from backends.ports.graph import Graph, Node
from backends.ports.ids import check_name, check_prefix
from backends.ports.values import NodeId, Page
from backends.ports.vectors import Hit, Vectors, unit_vector

ROUNDS = 20_000
REPEATS = 5

Call = Callable[[], Awaitable[object]]
Check = Callable[[], object]


class Instant:
    """Answers every call at once."""

    async def get_nodes(self, ids: Collection[NodeId]) -> Mapping[NodeId, Node]:
        return {}

    async def find(self, kind: str, where: Eq, *, order: object, after: str | None, limit: int) -> Page[Node]:
        return Page((), None)

    async def dense(self, name: str, vector: object, k: int, *, where: Eq, min_score: float | None) -> list[Hit]:
        return []

    async def head(self, prefix: str) -> int:
        return 0


async def seconds(call: Call) -> float:
    """Return the least time that a call took, over some repeats."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(ROUNDS):
            await call()
        best = min(best, (time.perf_counter() - start) / ROUNDS)
    return best


def seconds_of(check: Check) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(ROUNDS):
            check()
        best = min(best, (time.perf_counter() - start) / ROUNDS)
    return best


async def main() -> None:
    instant = Instant()
    graph = CheckedGraph(cast("Graph", instant))
    vectors = CheckedVectors(cast("Vectors", instant))
    log = CheckedEventLog(cast("EventLog", instant))
    ids = [NodeId("c0ffee00-0000-4000-8000-000000000000")]
    where = Eq("area", "music")
    vector = numpy.ones(384, dtype=numpy.float32)

    def dense_checks() -> None:
        check_name("things", what="a collection's name")
        check_range("k", 10, 1_000)
        check_where(where)
        unit_vector(vector)

    def find_checks() -> None:
        check_name("concept", what="a kind")
        check_where(where)
        check_range("limit", 100, 1_000)

    cases: dict[str, tuple[Call, Call, Check]] = {
        "head": (lambda: log.head("a/"), lambda: instant.head("a/"), lambda: check_prefix("a/")),
        "get_nodes": (
            lambda: graph.get_nodes(ids),
            lambda: instant.get_nodes(ids),
            lambda: check_ids(ids, what="a node id"),
        ),
        "find": (
            lambda: graph.find("concept", where),
            lambda: instant.find("concept", where, order=(), after=None, limit=100),
            find_checks,
        ),
        "dense": (
            lambda: vectors.dense("things", vector, 10, where=where),
            lambda: instant.dense("things", vector, 10, where=where, min_score=None),
            dense_checks,
        ),
    }
    print(f"{'call':<10} {'bare':>8} {'checked':>8} {'checks':>8} {'wrapper':>8}   microseconds")
    for name, (checked, bare, check) in cases.items():
        whole, alone, checks = await seconds(checked), await seconds(bare), seconds_of(check)
        columns = " ".join(f"{value * 1e6:8.2f}" for value in (alone, whole, checks, whole - alone - checks))
        print(f"{name:<10} {columns}")


if __name__ == "__main__":
    asyncio.run(main())
