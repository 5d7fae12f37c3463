"""The Neo4j driver's own best use over the data that the ports hold: statements planned once, guarded by revision.

Bare nodes have the keys and indexes that the ports' have, under labels of their own, which go again at the end.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, LiteralString, TypeAlias, cast

import numpy
import orjson

from backends.engines.neo4j.adapter import ADAPTER
from backends.engines.neo4j.connection import Driver, connect
from backends.ports.graph import Edge, Graph, GraphBatch, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, NodeId, RecordId, Revision
from backends.ports.vectors import Hit, VectorRecord, Vectors
from contracts.servers import options_of
from tests.bench.engines.comparison import DEAREST_BULK, Row
from tests.bench.engines.data import (
    AT_ONCE,
    BATCH,
    COUNT,
    DIM,
    KIND,
    SPEC,
    edge_batches,
    edges,
    nodes,
    records,
    some,
    spread,
    vectors_of,
)

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

NS: Final = "entrepot/graph/bare"
"""What keeps this apart from whatever else is in the database, of which the server's free edition has one only."""
CANDIDATES: Final = 100
"""How many the index is asked for, to find the nearest ten."""
_SCHEMA: Final = (
    "CREATE CONSTRAINT bare_thing IF NOT EXISTS FOR (n:BareThing) REQUIRE (n.ns, n.id) IS UNIQUE",
    "CREATE CONSTRAINT bare_edge IF NOT EXISTS FOR ()-[e:BARE_EDGE]-() REQUIRE (e.ns, e.id) IS UNIQUE",
    # Nodes are listed by kind, in the order of their ids or of a field, as the port lists them.
    "CREATE INDEX bare_thing_kind IF NOT EXISTS FOR (n:BareThing) ON (n.ns, n.kind, n.id)",
    "CREATE INDEX bare_thing_name IF NOT EXISTS FOR (n:BareThing) ON (n.ns, n.kind, n.name, n.id)",
    "CREATE INDEX bare_thing_rank IF NOT EXISTS FOR (n:BareThing) ON (n.ns, n.kind, n.rank, n.id)",
    "CREATE CONSTRAINT bare_record IF NOT EXISTS FOR (n:BareRecord) REQUIRE (n.ns, n.id) IS UNIQUE",
    "CREATE INDEX bare_record_area IF NOT EXISTS FOR (n:BareRecord) ON (n.ns, n.area)",
    "CREATE INDEX bare_record_rank IF NOT EXISTS FOR (n:BareRecord) ON (n.ns, n.rank)",
    "CREATE FULLTEXT INDEX bare_words IF NOT EXISTS FOR (n:BareRecord) ON EACH [n.text]",
    "CREATE VECTOR INDEX bare_vectors IF NOT EXISTS FOR (n:BareRecord) ON (n.vector) OPTIONS {indexConfig: {"
    f"`vector.dimensions`: {DIM}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}}}",
    "CALL db.awaitIndexes(120)",
)
_CLEAR: Final = (
    "MATCH (n) WHERE n:BareThing OR n:BareRecord CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
    *(
        f"DROP {what} IF EXISTS"
        for what in (
            *(f"CONSTRAINT bare_{name}" for name in ("thing", "edge", "record")),
            *(f"INDEX bare_thing_{name}" for name in ("kind", "name", "rank")),
            *(f"INDEX bare_record_{name}" for name in ("area", "rank")),
            *(f"INDEX bare_{name}" for name in ("words", "vectors")),
        )
    ),
)
_PUT: Final = (
    "UNWIND $rows AS r MERGE (n:{label} {{ns: $ns, id: r.id}}) WITH n, r WHERE coalesce(n.rev, 0) < r.rev SET n = r"
)
_EDGES: Final = (
    "UNWIND $rows AS r MATCH (a:BareThing {ns: $ns, id: r.source}) MATCH (b:BareThing {ns: $ns, id: r.target})"
    " CREATE (a)-[e:BARE_EDGE]->(b) SET e = r.set"
)
_NODE: Final = "MATCH (n:BareThing {ns: $ns, id: $id}) RETURN n.id, n.kind, n.fields, n.rev, n.props"
_HOP: Final = (
    "MATCH (n:BareThing {ns: $ns, id: $id})-[e:BARE_EDGE]-(o) RETURN e.id, startNode(e).id, endNode(e).id, e.type, e.rev,"
    " e.confidence, e.props ORDER BY e.confidence DESC, o.id, e.id LIMIT 257"
)
_RECORDS: Final = "UNWIND $ids AS id MATCH (n:BareRecord {ns: $ns, id: id}) RETURN n.id, n.raw, n.text, n.rev, n.fields"
_DENSE: Final = (
    f"CALL db.index.vector.queryNodes('bare_vectors', {CANDIDATES}, $vector) YIELD node, score"
    " RETURN node.id, score LIMIT 10"
)
_NodeRow: TypeAlias = tuple[NodeId, str, str, Revision, str | None]
_EdgeRow: TypeAlias = tuple[EdgeId, NodeId, NodeId, str, Revision, float, str | None]
_RecordRow: TypeAlias = tuple[RecordId, bytes, str, Revision, str]


class Bare:
    """A pool of connections."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    async def run(self, query: str, values: Mapping[str, object] | None = None) -> list[list[object]]:
        """Return the rows of a statement that is a transaction of its own."""
        async with self._driver.session(database="neo4j", fetch_size=-1) as session:
            result = await session.run(cast("LiteralString", query), {**(values or {}), "ns": NS})
            return await result.values()

    async def get(self, key: str) -> Mapping[NodeId, Node]:
        """Return a node."""
        rows = cast("Sequence[_NodeRow]", await self.run(_NODE, {"id": key}))
        return {
            identifier: Node(identifier, kind, orjson.loads(fields), rev, orjson.loads(props) if props else {})
            for identifier, kind, fields, rev, props in rows
        }

    async def hop(self, key: str) -> Sequence[Edge]:
        """Return the edges of a node, the best first."""
        rows = cast("Sequence[_EdgeRow]", await self.run(_HOP, {"id": key}))
        return [Edge(*row[:6], orjson.loads(row[6]) if row[6] else {}) for row in rows]

    async def get_records(self, ids: Sequence[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Return records."""
        rows = cast("Sequence[_RecordRow]", await self.run(_RECORDS, {"ids": ids}))
        return {
            key: VectorRecord(key, numpy.frombuffer(raw, dtype=numpy.float32), text, rev, orjson.loads(fields))
            for key, raw, text, rev, fields in rows
        }

    async def nearest(self, vector: "Vector") -> Sequence[Hit]:
        """Return what is nearest; the engine scores from 0 to 1."""
        rows = cast("Sequence[tuple[RecordId, float]]", await self.run(_DENSE, {"vector": vector.tolist()}))
        hits = [Hit(key, 2 * score - 1) for key, score in rows]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    async def put_nodes(self, found: Sequence[Node]) -> None:
        """Write nodes over those of a lower revision."""
        rows = [
            {"ns": NS, "id": each.id, "kind": each.kind, "rev": each.rev, "fields": orjson.dumps(each.fields).decode()}
            | dict(each.fields)
            for each in found
        ]
        await self.run(_PUT.format(label="BareThing"), {"rows": rows})

    async def put_edges(self, found: Sequence[Edge]) -> None:
        """Add edges."""
        rows = [
            {
                "source": each.source,
                "target": each.target,
                "set": {"ns": NS, "id": each.id, "type": each.type, "rev": each.rev, "confidence": each.confidence},
            }
            for each in found
        ]
        await self.run(_EDGES, {"rows": rows})

    async def put_records(self, found: Sequence[VectorRecord]) -> None:
        """Write records over those of a lower revision, with their vectors as the index and as a reader wants them."""
        rows = [
            {
                "ns": NS,
                "id": each.id,
                "rev": each.rev,
                "text": each.text,
                "vector": each.vector.tolist(),
                "raw": each.vector.tobytes(),
                "fields": orjson.dumps(each.fields).decode(),
            }
            | dict(each.fields)
            for each in found
        ]
        await self.run(_PUT.format(label="BareRecord"), {"rows": rows})


async def rows(kind: str, directory: Path) -> AsyncIterator[Row]:
    """Yield the rows of the graph and of the vectors."""
    options = options_of(kind)
    driver = connect(
        str(options["uri"]),
        (str(options["user"]), str(options["password"])),
        notifications_min_severity="OFF",
        telemetry_disabled=True,
    )
    bare, engine = Bare(driver), await ADAPTER.open(options, directory)
    place = namespace("bench")
    graph, vectors = await engine.graph(place), await engine.vectors(place)
    try:
        for statement in _SCHEMA:
            await bare.run(statement)
        async for row in _graph(bare, graph):
            yield row
        async for row in _vectors(bare, vectors):
            yield row
    finally:
        await graph.drop()
        await vectors.drop(SPEC.name)
        await engine.close()
        for statement in _CLEAR:
            await bare.run(statement)
        await driver.close()


async def _graph(bare: Bare, port: Graph) -> AsyncIterator[Row]:
    await port.ensure([KIND])
    yield Row(
        f"bulk of {AT_ONCE} nodes",
        lambda call: bare.put_nodes(nodes(some(call, AT_ONCE))),
        lambda call: port.apply(GraphBatch(nodes(some(call, AT_ONCE)))),
        COUNT // AT_ONCE,
        DEAREST_BULK,
    )
    for start, batch in enumerate(edge_batches()):
        await port.apply(batch)
        await bare.put_edges(edges(some(start, AT_ONCE)))
    yield Row(
        "get a node",
        lambda call: bare.get(f"n{spread(call)}"),
        lambda call: port.get_nodes([NodeId(f"n{spread(call)}")]),
        200,
    )
    yield Row(
        "one hop",
        lambda call: bare.hop(f"n{spread(call)}"),
        lambda call: port.expand([NodeId(f"n{spread(call)}")]),
        200,
    )
    yield Row(
        f"upsert of {BATCH} nodes",
        lambda call: bare.put_nodes(nodes(some(call, BATCH), call + 2)),
        lambda call: port.apply(GraphBatch(nodes(some(call, BATCH), call + 2))),
    )


async def _vectors(bare: Bare, port: Vectors) -> AsyncIterator[Row]:
    vectors, queries = vectors_of(COUNT), vectors_of(100, 2)
    await port.ensure(SPEC)
    # So many that the port has its index, too, when the rest is measured.
    await port.upsert(SPEC.name, records(range(AT_ONCE * 2), vectors))
    await bare.put_records(records(range(AT_ONCE * 2), vectors))
    await bare.run("CALL db.awaitIndexes(120)")
    yield Row(
        f"bulk of {AT_ONCE} records",
        lambda call: bare.put_records(records(some(call, AT_ONCE), vectors, 2)),
        lambda call: port.upsert(SPEC.name, records(some(call, AT_ONCE), vectors, 2)),
        COUNT // AT_ONCE,
        DEAREST_BULK,
    )
    yield Row(
        "get 10 records",
        lambda call: bare.get_records(_ids(call)),
        lambda call: port.get(SPEC.name, _ids(call)),
        100,
    )
    yield Row(
        "dense top 10",
        lambda call: bare.nearest(queries[call]),
        lambda call: port.dense(SPEC.name, queries[call], 10),
        100,
    )
    yield Row(
        f"upsert of {BATCH} records",
        lambda call: bare.put_records(records(some(call, BATCH), vectors, call + 3)),
        lambda call: port.upsert(SPEC.name, records(some(call, BATCH), vectors, call + 3)),
        20,
    )


def _ids(call: int) -> list[RecordId]:
    return [RecordId(f"r{spread(call * 10 + number):06}") for number in range(10)]
