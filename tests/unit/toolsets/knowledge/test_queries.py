"""Listings of concepts: by a number, ties by name, and on a graph whose concepts were declared otherwise before."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from backends.ports.graph import Graph, GraphBatch, KindSpec, Node
from backends.ports.values import FieldSpec, Namespace, NodeId, Revision
from backends.stores import OpenStores
from toolsets.knowledge.projections import CONCEPT, PROJECTOR
from toolsets.knowledge.queries import first_by

FORMER = KindSpec(
    CONCEPT,
    (
        FieldSpec("name", "str", text=True),
        *(FieldSpec(level, "str", sort=True) for level in ("area", "topic", "subtopic")),
        FieldSpec("certainty", "float", sort=True),
        FieldSpec("created_at", "int", sort=True),
    ),
    totals=("area", "topic", "subtopic"),
)
"""Concepts as they were declared before their names were sorted by."""


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncGenerator[Graph]:
    stores = OpenStores({"db": {"kind": "sqlite"}}, tmp_path)
    try:
        yield await stores.stores(graph="db", vectors=None, events="db", embedder=None).graph(Namespace("knowledge"))
    finally:
        await stores.close()


def concept(number: int) -> Node:
    """Return a concept whose name sorts the other way round than its id."""
    fields = {"name": f"name {999 - number}", "area": "a", "certainty": 50.0, "created_at": number // 100}
    return Node(NodeId(f"c{number:03}"), CONCEPT, fields, Revision(1))


@pytest.mark.parametrize("former", [False, True])
async def test_ties_go_by_name_however_many_there_are(graph: Graph, *, former: bool) -> None:
    if former:
        await graph.ensure([FORMER])
        await graph.apply(GraphBatch(tuple(map(concept, range(900)))))
    await graph.ensure(PROJECTOR.kinds)
    if not former:
        await graph.apply(GraphBatch(tuple(map(concept, range(900)))))
    least_certain = await first_by(graph, None, "certainty", 3)
    assert [node.id for node in least_certain] == ["c899", "c898", "c897"]
    newest = await first_by(graph, None, "created_at", 3, descending=True)
    assert [node.id for node in newest] == ["c899", "c898", "c897"]
    oldest = await first_by(graph, None, "created_at", 2)
    assert [node.id for node in oldest] == ["c099", "c098"]
