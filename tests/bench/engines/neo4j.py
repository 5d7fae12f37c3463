"""The Neo4j driver's own best use over the data that the ports hold: the yardstick for what the ports cost.

python -m tests.services neo4j -- python -m tests.bench.engines.neo4j
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, LiteralString, cast

import numpy

from backends.neo4j.adapter import ADAPTER
from backends.neo4j.driver import Driver, connect
from backends.ports.graph import Edge, Graph, GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, FieldSpec, Json, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors
from contracts.servers import options_of

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

DIM = 384
COUNT = 5_000
BATCH = 100
CALLS = 60
KIND = KindSpec("thing", (FieldSpec("name", "str", sort=True), FieldSpec("rank", "int", sort=True)))
SPEC = CollectionSpec("bench", DIM, "bench@1/384", (FieldSpec("rank", "int"),))

Work = Callable[[int], Awaitable[object]]


class Bare:
    """The same work in plain statements on nodes of its own."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    async def run(self, query: str, **values: object) -> list[list[object]]:
        async with self._driver.session(database="neo4j", fetch_size=-1) as session:
            result = await session.run(cast("LiteralString", query), values)
            return cast("list[list[object]]", await result.values())

    async def fill(self, vectors: "list[Vector]") -> float:
        await self.run("CREATE CONSTRAINT bare IF NOT EXISTS FOR (n:Bare) REQUIRE n.id IS UNIQUE")
        await self.run(
            "CREATE VECTOR INDEX bare_vectors IF NOT EXISTS FOR (n:Bare) ON (n.vector) OPTIONS {indexConfig:"
            f" {{`vector.dimensions`: {DIM}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}}}"
        )
        await self.run("CALL db.awaitIndexes(120)")
        before = time.perf_counter()
        for start in range(0, COUNT, 500):
            await self.upsert(range(start, start + 500), vectors)
        spent = time.perf_counter() - before
        await self.run(
            "UNWIND range(0, $count - 1) AS i MATCH (a:Bare {id: 'n' + i}) MATCH (b:Bare {id: 'n' + (i * 7 + 3) % $count})"
            " CREATE (a)-[:BARE {type: 'knows', confidence: 0.5, id: 'e' + i}]->(b)",
            count=COUNT,
        )
        return spent

    async def upsert(self, numbers: range, vectors: "list[Vector]") -> None:
        rows = [
            {"id": f"n{i}", "name": f"name {i}", "rank": i, "vector": vectors[i % len(vectors)].tolist()}
            for i in numbers
        ]
        await self.run("UNWIND $rows AS r MERGE (n:Bare {id: r.id}) SET n = r", rows=rows)

    def calls(self, vectors: "list[Vector]") -> Mapping[str, Work]:
        return {
            "get": lambda i: self.run("MATCH (n:Bare {id: $id}) RETURN n.id, n.name, n.rank", id=f"n{i * 31 % COUNT}"),
            "one hop": lambda i: self.run(
                "MATCH (n:Bare {id: $id})-[e:BARE]-(o) RETURN e.id, o.id, e.type, e.confidence", id=f"n{i * 31 % COUNT}"
            ),
            "dense top 10": lambda i: self.run(
                "CALL db.index.vector.queryNodes('bare_vectors', 100, $v) YIELD node, score RETURN node.id, score LIMIT 10",
                v=vectors[i].tolist(),
            ),
            "upsert of 100": lambda i: self.upsert(range(COUNT + i * BATCH, COUNT + (i + 1) * BATCH), vectors),
        }


async def fill_ports(graph: Graph, vectors: Vectors, rows: "list[Vector]") -> float:
    await graph.ensure([KIND])
    await vectors.ensure(SPEC)
    nodes = [Node(NodeId(f"n{i}"), "thing", {"name": f"name {i}", "rank": i}, Revision(1)) for i in range(COUNT)]
    for start in range(0, COUNT, 500):
        await graph.apply(GraphBatch(tuple(nodes[start : start + 500])))
    ends = [(NodeId(f"n{i}"), NodeId(f"n{(i * 7 + 3) % COUNT}")) for i in range(COUNT)]
    edges = [Edge(EdgeId(f"e{i}"), *pair, "knows", Revision(1), 0.5) for i, pair in enumerate(ends)]
    for start in range(0, COUNT, 500):
        await graph.apply(GraphBatch(edges=tuple(edges[start : start + 500])))
    before = time.perf_counter()
    for start in range(0, COUNT, 500):
        await vectors.upsert("bench", [record(i, rows) for i in range(start, start + 500)])
    return time.perf_counter() - before


def record(number: int, rows: "list[Vector]", rev: int = 1) -> VectorRecord:
    vector = rows[number % len(rows)]
    return VectorRecord(RecordId(f"n{number}"), vector, f"name {number}", Revision(rev), {"rank": number})


def port_calls(graph: Graph, vectors: Vectors, rows: "list[Vector]") -> Mapping[str, Work]:
    def more(i: int) -> Awaitable[None]:
        return vectors.upsert("bench", [record(COUNT + i * BATCH + j, rows) for j in range(BATCH)])

    return {
        "get": lambda i: graph.get_nodes([NodeId(f"n{i * 31 % COUNT}")]),
        "one hop": lambda i: graph.expand([NodeId(f"n{i * 31 % COUNT}")]),
        "dense top 10": lambda i: vectors.dense("bench", rows[i], 10),
        "upsert of 100": more,
    }


async def timed(work: Work) -> float:
    """Return the median time of a call in milliseconds, warm."""
    spent: list[float] = []
    for number in range(CALLS):
        before = time.perf_counter()
        await work(number)
        spent.append((time.perf_counter() - before) * 1e3)
    return median(spent[CALLS // 3 :])


async def main() -> None:
    chance = numpy.random.default_rng(1)
    rows = [numpy.asarray(row, dtype=numpy.float32) for row in chance.normal(size=(COUNT, DIM))]
    options: Mapping[str, Json] = options_of("neo4j")
    engine = await ADAPTER.open(options, Path())
    graph, vectors = await engine.graph(namespace("bench")), await engine.vectors(namespace("bench"))
    auth = (os.environ["ENTREPOT_TEST_NEO4J_USER"], os.environ["ENTREPOT_TEST_NEO4J_PASSWORD"])
    driver = connect(os.environ["ENTREPOT_TEST_NEO4J_URI"], auth)
    try:
        bare = Bare(driver)
        bulk = await bare.fill(rows), await fill_ports(graph, vectors, rows)
        print(f"bulk upsert  bare {COUNT / bulk[0]:.0f}/s  port {COUNT / bulk[1]:.0f}/s")
        theirs, ours = bare.calls(rows), port_calls(graph, vectors, rows)
        for name, call in theirs.items():
            one, other = await timed(call), await timed(ours[name])
            print(f"{name:14} bare {one:6.2f} ms  port {other:6.2f} ms  {other / one:.2f}x")
    finally:
        await driver.close()
    await vectors.drop("bench")
    await graph.drop()
    await engine.close()


if __name__ == "__main__":
    asyncio.run(main())
