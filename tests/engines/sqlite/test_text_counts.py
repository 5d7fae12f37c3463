"""Nodes with any of several words are counted along the index of texts."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.graph.counts import count_nodes
from backends.engines.sqlite.graph.kinds import declared_kind
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Contains, Eq, Filter, Not, Or
from backends.ports.graph import GraphBatch, KindSpec, Node
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision

FIELDS = (
    FieldSpec("channel", "str", sort=True),
    FieldSpec("names", "strs", text=True),
    FieldSpec("about", "str", text=True),
)
SPACE = namespace("counted")
IN_A = Eq("channel", "a")
WORDS = ("alpha", "beta", "gamma", "go", "c#", "Delta X", "ALPHABET")
LONG = "delta" * 80


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
