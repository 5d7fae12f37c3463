"""Nodes with one of several values or words are counted along the index of the field or of texts."""

import dataclasses
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.connection import DatabaseFile
from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.graph.counts import count_nodes
from backends.engines.sqlite.graph.kinds import declared_kind
from backends.engines.sqlite.schema import GRAPH
from backends.engines.sqlite.settings import SqliteSettings
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Contains, Eq, Filter, In, Not, Or
from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision
from backends.stores import open_engine
from tests.engines.sqlite.damage import NS
from tests.engines.sqlite.samples import KIND

SPACE = namespace("counted")
FEW = In("owner", (1, 2, 500))
FIELDS = (
    FieldSpec("channel", "str", sort=True),
    FieldSpec("names", "strs", text=True),
    FieldSpec("about", "str", text=True),
)
IN_A = Eq("channel", "a")
WORDS = ("alpha", "beta", "gamma", "go", "c#", "Delta X", "ALPHABET")
LONG = "delta" * 80


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


def nodes() -> list[Node]:
    rng = random.Random(3)
    found: list[Node] = []
    for number in range(400):
        names = tuple(rng.sample(WORDS, rng.randrange(3)))
        about = {"about": " ".join(rng.choices(("", *WORDS, LONG), k=2))} if rng.random() < 0.7 else {}
        fields = {"channel": rng.choice("ab"), "names": names, **about}
        found.append(Node(NodeId(f"n{number}"), "thing", fields, Revision(1)))
    return found


def any_of(*words: str) -> Or:
    return Or(tuple(term for word in words for term in (Contains("names", word), Contains("about", word))))


FILTERS: tuple[Filter, ...] = (
    any_of("alpha"),
    And((IN_A, any_of("beta", "lph"))),
    And((IN_A, any_of("go", "gamma", "c#"))),
    And((any_of("go", ""), IN_A)),
    And((any_of(LONG + "x", LONG[:300], "beta"), Not(IN_A))),
    And((any_of("alpha"), any_of("beta", "x"), IN_A)),
    Or((Not(Contains("names", "alpha")), Contains("about", "beta"), IN_A)),
    And((IN_A, Or((And((Contains("names", "gamma"), Contains("about", "alpha"))), Contains("about", 'a" OR "'))))),
)


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("by", [(), ("channel",)])
async def test_counts_of_any_of_several_words_are_exact(engine: Engine, where: Filter, by: tuple[str, ...]) -> None:
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec("thing", FIELDS)])
    stored = nodes()
    await graph.apply(GraphBatch(tuple(stored)))
    found = {group.key: group.count for group in await graph.count_nodes("thing", by=by, where=where)}
    expected: dict[tuple[object, ...], int] = {}
    for node in stored:
        if matches(where, node.fields):
            key = tuple(node.fields[name] for name in by)
            expected[key] = expected.get(key, 0) + 1
    assert found == (expected or ({} if by else {(): 0}))


async def test_the_index_of_texts_is_read_once_for_all_words(engine: Engine, tmp_path: Path) -> None:
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec("thing", FIELDS)])
    await graph.apply(GraphBatch(tuple(nodes())))
    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection, connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        where = And((IN_A, any_of("alpha", "beta", "gamma")))
        count_nodes(connection, (SPACE, "thing"), declared_kind(connection, SPACE, "thing"), (), where)
        connection.set_trace_callback(None)
        [counting] = [each for each in statements if each.startswith("SELECT count(*)")]
        steps = [step[3] for step in connection.execute(f"EXPLAIN QUERY PLAN {counting}")]
    assert steps[0].startswith("SCAN texts VIRTUAL TABLE INDEX")
    assert not any("CORRELATED" in step for step in steps)


async def test_records_of_an_older_version_are_counted(tmp_path: Path) -> None:
    former = DatabaseFile(
        tmp_path / "graph.db", dataclasses.replace(GRAPH, migrations=GRAPH.migrations[:1]), SqliteSettings()
    )
    former.open()
    former.close()
    declared = declare(KIND.fields).dump()
    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection:
        connection.execute("INSERT INTO kinds(ns, name, fields) VALUES('n1', 'concept', ?)", (declared,))
        connection.executemany(
            "INSERT INTO nodes(ns, id, kind, rev, dead, indexed, c0, fields) VALUES('n1', ?, 'concept', 1, ?, 1, ?, ?)",
            [("a", 0, "x", '{"name":"x"}'), ("b", 0, "x", '{"name":"x"}'), ("c", 0, None, "{}"), ("d", 1, None, None)],
        )
        connection.executemany(
            "INSERT INTO edges(ns, id, source, target, type, rev, dead, confidence) VALUES('n1', ?, 'a', ?, ?, 1, ?, 1)",
            [("e1", "b", "knows", 0), ("e2", "d", "knows", 0), ("e3", "c", "likes", 1), ("e4", "c", "likes", 0)],
        )
        connection.commit()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    graph = await engine.graph(NS)
    for totals in ((), ("name",)):
        await graph.ensure([dataclasses.replace(KIND, totals=totals)])
        found = await graph.count_nodes(KIND.name, by=("name",))
        assert [(group.key, group.count) for group in found] == [(("x",), 2), ((None,), 1)]
        assert await graph.count_edges() == {"knows": 1, "likes": 1}
    await graph.apply(GraphBatch(deleted_nodes={NodeId("a"): Revision(2)}))
    found = await graph.count_nodes(KIND.name, by=("name",))
    assert [(group.key, group.count) for group in found] == [(("x",), 1), ((None,), 1)]
    assert await graph.count_edges() == {}
    await engine.close()
