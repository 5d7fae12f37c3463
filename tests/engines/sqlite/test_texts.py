"""A needle too short for the trigram index is looked for in the texts, not node by node."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.graph.kinds import declared_kind
from backends.engines.sqlite.graph.listings import candidates
from backends.engines.sqlite.schema import GRAPH
from backends.ports.adapter import Engine
from backends.ports.filters import And, Contains, Eq
from backends.ports.graph import Graph, GraphBatch, Group, KindSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision

KIND = KindSpec("thing", (FieldSpec("area", "str", sort=True), FieldSpec("name", "str", sort=True, text=True)))
SPACE = namespace("texts")
MANY = 700
"""More than a short list may have."""


async def _filled(engine: Engine, *names: str) -> Graph:
    graph = await engine.graph(SPACE)
    await graph.ensure([KIND])
    nodes = [
        Node(NodeId(f"n{at:04}"), "thing", {"area": "a", "name": name}, Revision(1)) for at, name in enumerate(names)
    ]
    await graph.apply(GraphBatch(tuple(nodes)))
    return graph


@pytest.mark.parametrize("needle", ["zq", "ZQ", "日本", "日"])
async def test_a_short_needle_gives_a_short_list(engine: Engine, tmp_path: Path, needle: str) -> None:
    await _filled(engine, *["plain"] * MANY, "a zq b", "in 日本語")
    with closing(sqlite3.connect(tmp_path / GRAPH.file)) as connection:
        where = And((Eq("area", "a"), Contains("name", needle)))
        found = candidates(connection, SPACE, "thing", where, declared_kind(connection, SPACE, "thing"))
    assert found is not None
    assert len(found.rows) == 1
    assert found.term == Contains("name", needle)


async def test_a_short_needle_that_most_texts_contain_gives_no_short_list(engine: Engine, tmp_path: Path) -> None:
    graph = await _filled(engine, *[f"zq {at:04}" for at in range(MANY)])
    with closing(sqlite3.connect(tmp_path / GRAPH.file)) as connection:
        declared = declared_kind(connection, SPACE, "thing")
        assert candidates(connection, SPACE, "thing", Contains("name", "zq"), declared) is None
    page = await graph.find("thing", Contains("name", "zq"), order=(Order("name", descending=True),), limit=2)
    assert [node.id for node in page.items] == ["n0699", "n0698"]
    assert await graph.count_nodes("thing", where=Contains("name", "zq")) == [Group((), MANY)]


@pytest.mark.parametrize("needle", ["*", "?", "[", "]", "[a", "?*", "^", "\\", "\uffff", "\ufffd", "%_", "ß", "ss"])
async def test_no_character_is_a_wildcard(engine: Engine, needle: str) -> None:
    others = [
        each for each in ("*", "?", "[", "]", "^", "\\", "\uffff", "\ufffe", "\ufffd", "%", "_") if each not in needle
    ]
    graph = await _filled(engine, *["plain a"] * 3, *(f"x{other}y" for other in others), f"x{needle}y")
    page = await graph.find("thing", Contains("name", needle), limit=50)
    assert [node.fields["name"] for node in page.items] == [f"x{needle}y"]
    assert await graph.count_nodes("thing", where=Contains("name", needle)) == [Group((), 1)]
