"""A listing has the result of a full sort, whether it is read along an index or from a short list."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.graph import listings
from backends.engines.sqlite.graph.kinds import declared_kind
from backends.engines.sqlite.graph.listings import short_list
from backends.engines.sqlite.schema import GRAPH
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Contains, Eq, Filter, Ge, Not
from backends.ports.graph import Graph, GraphBatch, Group, KindSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import Fields, FieldSpec, NodeId, Revision, Value
from contracts.oracle import ordered

KIND = KindSpec(
    "thing",
    (
        *(FieldSpec(level, "str", sort=True) for level in ("area", "topic", "part")),
        FieldSpec("score", "float", sort=True),
        FieldSpec("made", "int", sort=True),
    ),
)
FRUIT = KindSpec(
    "thing",
    (
        FieldSpec("area", "str", sort=True),
        FieldSpec("name", "str", sort=True, text=True),
        FieldSpec("other", "str", sort=True),
        FieldSpec("made", "int", sort=True),
        FieldSpec("body", "str", text=True),
    ),
    totals=("area",),
)
FRUITS = ("pear", "plum", "Pear tree", "no such", "x" * 400 + "y", "x" * 400 + "z")
WHERE: tuple[Filter, ...] = (
    Contains("name", "PEAR"),
    And((Contains("body", "pear"), Not(Contains("name", "pear")))),
    And((Eq("area", "a"), Contains("name", "plu"), Contains("body", "tree"))),
    And((Eq("area", "b"), Contains("body", "pear"))),
    Contains("body", "x" * 400 + "Y"),
    Not(Contains("body", "y" * 50_000)),
)
ORDERS: tuple[tuple[Order, ...], ...] = (
    (),
    (Order("name"),),
    (Order("name", descending=True), Order("made")),
    (Order("made", descending=True), Order("name")),
    (Order("other"), Order("made", descending=True)),
)
NAMED = KindSpec("thing", (FieldSpec("area", "str", sort=True), FieldSpec("name", "str", sort=True, text=True)))
SPACE = namespace("texts")
MANY = 700
"""More than a short list may have."""


def things() -> list[Node]:
    rng = random.Random(8)
    found: list[Node] = []
    for number in range(2_400):
        fields: dict[str, Value] = {"area": rng.choice("ab"), "score": float(rng.randrange(50))}
        if rng.random() < 0.8:
            fields["made"] = rng.randrange(600)
        if rng.random() < 0.7:
            fields["topic"] = rng.choice("xy")
        found.append(Node(NodeId(f"n{number:05}"), "thing", fields, Revision(1)))
    return found


async def listed(graph: Graph, where: Filter, order: Order) -> list[str]:
    ids: list[str] = []
    after: str | None = None
    while True:
        page = await graph.find("thing", where, order=(order,), after=after, limit=250)
        ids.extend(node.id for node in page.items)
        after = page.after
        if after is None:
            return ids


def in_area_a(fields: Fields) -> bool:
    return fields.get("area") == "a"


def in_topic_x_with_a_score(fields: Fields) -> bool:
    return fields.get("topic") == "x" and float(str(fields["score"])) >= 5


@pytest.mark.parametrize("field", ["made", "score"])
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize(
    ("where", "holds"),
    [
        (Eq("area", "a"), in_area_a),
        (And((Eq("topic", "x"), Ge("score", 5))), in_topic_x_with_a_score),
    ],
)
async def test_nodes_equal_in_one_field_are_ordered_by_another(
    engine: Engine, field: str, descending: bool, where: Filter, holds: Callable[[Fields], bool]
) -> None:
    graph = await engine.graph(namespace("listing"))
    await graph.ensure([KIND])
    nodes = things()
    await graph.apply(GraphBatch(nodes=tuple(nodes)))
    present = [node for node in nodes if holds(node.fields) and field in node.fields]
    missing = [node for node in nodes if holds(node.fields) and field not in node.fields]
    sign = -1 if descending else 1
    present.sort(key=lambda node: (sign * float(str(node.fields[field])), node.id))
    assert await listed(graph, where, Order(field, descending)) == [node.id for node in (*present, *missing)]


def _fruits(rng: random.Random) -> list[Node]:
    found: list[Node] = []
    for number in range(120):
        fields: dict[str, Value] = {"area": rng.choice("ab"), "body": rng.choice(FRUITS)}
        fields["name"] = f"{rng.randrange(20):02} {rng.choice(FRUITS)}"
        fields["made"] = rng.randrange(30)
        fields["other"] = "zyx"[number // 40]
        kept = {name: value for name, value in fields.items() if rng.random() < 0.8}
        found.append(Node(NodeId(f"n{number:03}"), "thing", kept, Revision(1)))
    return found


async def _pages(graph: Graph, where: Filter, order: tuple[Order, ...], limit: int) -> list[str]:
    ids: list[str] = []
    after: str | None = None
    while True:
        page = await graph.find("thing", where, order=order, after=after, limit=limit)
        ids.extend(node.id for node in page.items)
        after = page.after
        if after is None:
            return ids


@pytest.mark.parametrize("walked", [1, 10, 60, 4_096])
async def test_a_listing_by_substring_is_that_of_a_full_sort(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, walked: int
) -> None:
    monkeypatch.setattr(listings, "MAX_SHORT_LIST", 4)
    monkeypatch.setattr(listings, "MAX_SCANNED", walked)
    nodes = _fruits(random.Random(3))
    graph = await engine.graph(namespace("many"))
    await graph.ensure([FRUIT])
    await graph.apply(GraphBatch(tuple(nodes)))
    for where in WHERE:
        matching = [node for node in nodes if matches(where, node.fields)]
        assert matching
        [group] = await graph.count_nodes("thing", where=where)
        assert group.count == len(matching)
        for order in ORDERS:
            expected = [node.id for node in ordered(matching, order)]
            for limit in (7, 1_000):
                assert await _pages(graph, where, order, limit) == expected, (where, order)


async def _filled(engine: Engine, *names: str) -> Graph:
    graph = await engine.graph(SPACE)
    await graph.ensure([NAMED])
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
        found = short_list(connection, SPACE, "thing", where, declared_kind(connection, SPACE, "thing"))
    assert found is not None
    assert len(found.rows) == 1
    assert found.term == Contains("name", needle)


async def test_a_short_needle_that_most_texts_contain_gives_no_short_list(engine: Engine, tmp_path: Path) -> None:
    graph = await _filled(engine, *[f"zq {at:04}" for at in range(MANY)])
    with closing(sqlite3.connect(tmp_path / GRAPH.file)) as connection:
        declared = declared_kind(connection, SPACE, "thing")
        assert short_list(connection, SPACE, "thing", Contains("name", "zq"), declared) is None
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
