"""Rows of the file become nodes and edges, and an edge is visible while both its ends live."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from backends.engines.sqlite.graph.rows import EDGE_COLUMNS, NODE_COLUMNS, VISIBLE, EdgeRow, NodeRow, edge, node
from backends.engines.sqlite.schema import statement
from backends.ports.adapter import Engine
from backends.ports.graph import Edge, GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import EdgeId, FieldSpec, NodeId, Revision

PAGES = KindSpec("page", (FieldSpec("title", "str"), FieldSpec("tags", "strs")))
FIRST = Node(NodeId("a"), "page", {"title": "One", "tags": ("x", "y")}, Revision(3), {"note": [1, None]})
SECOND = Node(NodeId("b"), "page", {}, Revision(1))
LINK = Edge(EdgeId("l"), NodeId("a"), NodeId("b"), "cites", Revision(2), 0.25, {"why": "proof"})


def rows_of(file: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
async def file(engine: Engine, tmp_path: Path) -> Path:
    graph = await engine.graph(namespace("rows"))
    await graph.ensure([PAGES])
    await graph.apply(GraphBatch((FIRST, SECOND), (LINK,)))
    return tmp_path / "graph.db"


async def test_a_row_is_read_as_the_node_or_edge_that_was_written(file: Path) -> None:
    nodes = cast(
        "list[NodeRow]", rows_of(file, statement("SELECT {columns} FROM nodes n ORDER BY n.id", columns=NODE_COLUMNS))
    )
    edges = cast("list[EdgeRow]", rows_of(file, statement("SELECT {columns} FROM edges e", columns=EDGE_COLUMNS)))
    assert [node(row) for row in nodes] == [FIRST, SECOND]
    assert [edge(row) for row in edges] == [LINK]


@pytest.mark.parametrize("ended", ["a", "b"])
async def test_an_edge_without_one_of_its_ends_is_not_visible(engine: Engine, file: Path, ended: str) -> None:
    visible = statement("SELECT e.id FROM edges e WHERE {visible}", visible=VISIBLE)
    assert rows_of(file, visible) == [("l",)]
    graph = await engine.graph(namespace("rows"))
    await graph.apply(GraphBatch(deleted_nodes={NodeId(ended): Revision(9)}))
    assert rows_of(file, visible) == []
