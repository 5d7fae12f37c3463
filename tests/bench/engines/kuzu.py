"""The Kuzu and Ladybug drivers' own best use, in the thread that asks, over the data that the port holds.

The statements are prepared once, guard by revision as the port does, and write much by `UNWIND`: what `COPY` is
faster at is only adding, and it fails as a whole on the first record that is there already.
"""

import importlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias, cast

import orjson

from backends.engines.kuzu.adapter import ADAPTER
from backends.engines.kuzu.driver import Connection, Module, Parameter, PreparedQuery, Row
from backends.ports.graph import Edge, Graph, GraphBatch, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, NodeId, Revision
from tests.bench.engines.comparison import DEAREST_BULK
from tests.bench.engines.comparison import Row as Compared
from tests.bench.engines.data import BATCH, BULK, COUNT, KIND, edge_batches, edges, nodes, some, spread

_TABLES: Final = (
    "CREATE NODE TABLE Thing(id STRING PRIMARY KEY, kind STRING, rev INT64, dead BOOL, fields STRING, props STRING,"
    " name STRING, rank INT64)",
    # Relations have no key: that an edge is there, at which revision, and whether it ended, is known by its id only so.
    "CREATE NODE TABLE Fact(id STRING PRIMARY KEY, source STRING, target STRING, type STRING, rev INT64, dead BOOL,"
    " confidence DOUBLE, props STRING)",
    "CREATE REL TABLE Knows(FROM Thing TO Thing, id STRING, type STRING, rev INT64, confidence DOUBLE, props STRING,"
    " hidden BOOL)",
)


def _merged(names: Sequence[str], variable: str) -> str:
    """Return how a record is made, or changed where its revision is lower."""
    made = ", ".join(f"{variable}.{name} = {_value(name)}" for name in (*names, "rev"))
    newer = f"CASE WHEN {variable}.rev < r.rev THEN"
    changed = [f"{variable}.{name} = {newer} {_value(name)} ELSE {variable}.{name} END" for name in (*names, "rev")]
    return f" ON CREATE SET {made} ON MATCH SET {', '.join(changed)}"


def _value(name: str) -> str:
    return {"dead": "false", "hidden": "false", "props": "CAST(r.props AS STRING)"}.get(name, f"r.{name}")


_NODES: Final = "UNWIND $rows AS r MERGE (n:Thing {id: r.id})" + _merged(
    ("kind", "dead", "fields", "props", "name", "rank"), "n"
)
_FACTS: Final = "UNWIND $rows AS r MERGE (f:Fact {id: r.id})" + _merged(
    ("source", "target", "type", "dead", "confidence", "props"), "f"
)
_EDGES: Final = (
    "UNWIND $rows AS r MATCH (a:Thing {id: r.source}) MATCH (b:Thing {id: r.target})"
    " MERGE (a)-[e:Knows {id: r.id}]->(b)"
) + _merged(("type", "confidence", "props", "hidden"), "e")
_GET: Final = "MATCH (n:Thing {id: $id}) WHERE NOT n.dead RETURN n.id, n.kind, n.fields, n.rev, n.props"
_HOP: Final = (
    "MATCH (a:Thing {{id: $id}}){arrow}(b:Thing) WHERE NOT e.hidden RETURN e.id, b.id, e.type, e.rev, e.confidence,"
    " e.props ORDER BY e.confidence DESC, b.id, e.id LIMIT 257"
)
_HOPS: Final = tuple(_HOP.format(arrow=arrow) for arrow in ("-[e:Knows]->", "<-[e:Knows]-"))
_NodeRow: TypeAlias = tuple[NodeId, str, str, Revision, str | None]
_EdgeRow: TypeAlias = tuple[EdgeId, NodeId, str, Revision, float, str | None]


class Bare:
    """A file with two tables."""

    def __init__(self, kind: str, path: Path) -> None:
        driver = cast("Module", importlib.import_module(kind))
        self._handle = driver.Database(
            str(path), buffer_pool_size=256 * 2**20, max_num_threads=2, max_db_size=64 * 2**30, auto_checkpoint=True
        )
        self._prepare = driver.PreparedStatement
        self._connection: Connection = driver.Connection(self._handle)
        self._prepared: dict[str, PreparedQuery] = {}
        for table in _TABLES:
            self._connection.execute(table, {}).close()

    async def run(self, *queries: str, **values: Parameter) -> list[Row]:
        """Return the rows of some statements."""
        return self._run(queries, values)

    async def get(self, key: str) -> Mapping[NodeId, Node]:
        """Return a node."""
        rows = cast("Sequence[_NodeRow]", await self.run(_GET, id=key))
        return {
            identifier: Node(identifier, kind, orjson.loads(fields), rev, orjson.loads(props) if props else {})
            for identifier, kind, fields, rev, props in rows
        }

    async def hop(self, key: NodeId) -> Sequence[Edge]:
        """Return the edges of a node, those of both directions as of one moment or not."""
        return self._hop(key)

    async def put_nodes(self, found: Sequence[Node]) -> None:
        """Write nodes over those of a lower revision."""
        rows = [
            {"id": each.id, "kind": each.kind, "rev": int(each.rev), "fields": orjson.dumps(each.fields).decode(),
             "props": None, "name": str(each.fields["name"]), "rank": cast("int", each.fields["rank"])}
            for each in found
        ]  # fmt: skip
        await self.run(_NODES, rows=rows)

    async def put_edges(self, found: Sequence[Edge]) -> None:
        """Write edges over those of a lower revision."""
        rows = [
            {"id": each.id, "source": each.source, "target": each.target, "type": each.type, "rev": int(each.rev),
             "confidence": each.confidence, "props": None}
            for each in found
        ]  # fmt: skip
        await self.run(_FACTS, _EDGES, rows=rows)

    def close(self) -> None:
        """Close the file."""
        self._prepared.clear()
        self._connection.close()
        self._handle.close()

    def _hop(self, key: NodeId) -> Sequence[Edge]:
        found = [
            Edge(row[0], *((key, row[1]) if out else (row[1], key)), *row[2:5], orjson.loads(row[5]) if row[5] else {})
            for out, query in zip((True, False), _HOPS, strict=True)
            for row in cast("Sequence[_EdgeRow]", self._run([query], {"id": key}))
        ]
        return sorted(found, key=lambda it: (-it.confidence, it.target if it.source == key else it.source, it.id))

    def _run(self, queries: Sequence[str], values: Mapping[str, Parameter]) -> list[Row]:
        rows: list[Row] = []
        for query in queries:
            if (statement := self._prepared.get(query)) is None:
                statement = self._prepared[query] = self._prepare(self._connection, query, values)
            result = self._connection.execute(statement, values)
            while result.has_next():
                rows.append(result.get_next())
            result.close()
        return rows


async def rows(kind: str, directory: Path) -> AsyncIterator[Compared]:
    """Yield the rows of the graph."""
    engine = await ADAPTER.open({"driver": kind}, directory)
    bare = Bare(kind, directory / "bare.db")
    try:
        async for row in _graph(bare, await engine.graph(namespace("bench"))):
            yield replace(row, blocks=True)
    finally:
        await engine.close()
        bare.close()


async def _graph(bare: Bare, port: Graph) -> AsyncIterator[Compared]:
    await port.ensure([KIND])
    yield Compared(
        f"bulk of {BULK} nodes",
        lambda call: bare.put_nodes(nodes(some(call, BULK))),
        lambda call: port.apply(GraphBatch(nodes(some(call, BULK)))),
        COUNT // BULK,
        DEAREST_BULK,
    )
    filled = [*edge_batches()]
    yield Compared(
        f"bulk of {len(filled[0].edges)} edges",
        lambda call: bare.put_edges(filled[call].edges),
        lambda call: port.apply(filled[call]),
        len(filled),
        DEAREST_BULK,
    )
    yield Compared(
        "get a node",
        lambda call: bare.get(f"n{spread(call)}"),
        lambda call: port.get_nodes([NodeId(f"n{spread(call)}")]),
        200,
    )
    yield Compared(
        "one hop",
        lambda call: bare.hop(NodeId(f"n{spread(call)}")),
        lambda call: port.expand([NodeId(f"n{spread(call)}")]),
        200,
    )
    yield Compared(
        f"upsert of {BATCH} nodes",
        lambda call: bare.put_nodes(nodes(some(call, BATCH), call + 2)),
        lambda call: port.apply(GraphBatch(nodes(some(call, BATCH), call + 2))),
        30,
    )
    yield Compared(
        f"upsert of {BATCH} edges",
        lambda call: bare.put_edges(edges(some(call, BATCH), call + 2)),
        lambda call: port.apply(GraphBatch(edges=edges(some(call, BATCH), call + 2))),
        20,
    )
