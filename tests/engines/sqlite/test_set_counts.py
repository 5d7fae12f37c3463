"""Nodes with one of several values are counted along the index of the field."""

import sqlite3
from contextlib import closing
from pathlib import Path

from backends.engines.sqlite.graph.counts import count_nodes
from backends.engines.sqlite.graph.kinds import declared_kind
from backends.ports.adapter import Engine
from backends.ports.filters import In, Not
from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision

SPACE = namespace("counted")
FEW = In("owner", (1, 2, 500))


async def test_members_of_a_set_are_read_and_no_others(engine: Engine, tmp_path: Path) -> None:
    """SQLite would rather read all nodes that have the field, which takes as long as there are many of them."""
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec("thing", (FieldSpec("owner", "int", sort=True),))])
    owned = [Node(NodeId(f"n{number}"), "thing", {"owner": number % 90}, Revision(1)) for number in range(270)]
    await graph.apply(GraphBatch((*owned, Node(NodeId("free"), "thing", {}, Revision(1)))))
    counted = {group.key: group.count for group in await graph.count_nodes("thing", by=("owner",), where=FEW)}
    assert counted == {(1,): 3, (2,): 3}
    [others] = await graph.count_nodes("thing", where=Not(FEW))
    assert others.count == len(owned) - 6 + 1
    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection, connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        count_nodes(connection, (SPACE, "thing"), declared_kind(connection, SPACE, "thing"), ("owner",), FEW)
        connection.set_trace_callback(None)
        [counting] = [each for each in statements if each.startswith("SELECT count(*)")]
        [step] = [step[3] for step in connection.execute(f"EXPLAIN QUERY PLAN {counting}") if "SEARCH n" in step[3]]
    assert "c0=?" in step
