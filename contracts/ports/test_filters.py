"""Filters mean the same on every engine: random ones are compared with plain Python, and invalid ones are refused."""

import random
from collections.abc import Mapping

import pytest

from backends.kit.filter_evaluation import matches
from backends.ports.errors import InvalidInput
from backends.ports.filters import (
    And,
    Contains,
    Eq,
    Exists,
    Filter,
    Ge,
    Gt,
    Has,
    In,
    InIgnoringCase,
    Lt,
    Ne,
    Not,
    NotIn,
    Or,
)
from backends.ports.graph import Graph
from backends.ports.values import Scalar, Value
from backends.ports.vectors import Vectors
from contracts.corpus import FilterMaker, seeded
from contracts.ports import graph_records, vector_records
from contracts.promises import promise

WORDS = ("a", "b", "A", "o'brien", "x\\' OR 1=1 --", "日本", '"q"', "%", "_", "é", "e\u0301", "", " ")
VALUES: Mapping[str, tuple[Scalar, ...]] = {
    "colour": WORDS,
    "rank": (-1, 0, 1, 2, 3, 2**53 - 1),
    "score": (-0.5, 0.0, 0.5, 1, 2.5),
    "flag": (True, False),
}
NUMBERS: Mapping[str, tuple[int | float, ...]] = {"rank": (-1, 0, 0.5, 1, 2, 2**53 - 1), "score": (-0.5, 0, 0.25, 2.5)}
LISTS = {"tags": WORDS}
NAMES = ("React", "REACT", "react.js", "Stra\u00dfe", "STRASSE", "a\nb", "a\n", "b", "\x1f", *WORDS)
TEXTS = {
    "name": ("a", "A", "é", "o'", "日", "%", "", "1=1", "'brien", 'q"'),
    "body": ("a", "zz", "b c", "A B C"),
    "names": ("React", "act", "s", "strasse", "a\nB", "\n", "A\n", "\x1f", "O'BRIEN", "", "e\u0301"),
}


def _records(rng: random.Random, count: int, *, texts: bool) -> dict[str, dict[str, Value]]:
    """Return fields by id; about a third of all fields are missing."""
    records: dict[str, dict[str, Value]] = {}
    for number in range(count):
        fields: dict[str, Value] = {name: rng.choice(values) for name, values in VALUES.items()}
        fields["tags"] = tuple(rng.sample(WORDS, rng.randrange(1, 4)))
        if texts:
            fields["name"] = rng.choice(WORDS)
            fields["names"] = tuple(rng.sample(NAMES, rng.randrange(1, 4)))
            fields["body"] = " ".join(rng.choices(("a", "b", "c", "zz", "A"), k=3))
        kept = {name: value for name, value in fields.items() if rng.random() < 0.7}
        records[f"r{number:03}"] = kept
    return records


@promise("graph:find:filters")
async def test_500_random_filters_find_in_a_graph_what_plain_python_finds(graph: Graph) -> None:
    """The filters are nested, with missing fields, empty sets, needles and hostile values."""
    rng = seeded(4)
    records = _records(rng, 150, texts=True)
    await graph_records.fill(graph, *(graph_records.node(name, fields) for name, fields in records.items()))
    maker = FilterMaker(rng, VALUES, NUMBERS, LISTS, TEXTS)
    for _ in range(500):
        where = maker.tree()
        expected = [name for name, fields in records.items() if matches(where, fields)]
        found = [item.id for item in (await graph.find(graph_records.KIND, where, limit=1_000)).items]
        assert found == expected, where


@promise("vectors:filters")
async def test_500_random_filters_find_among_vectors_what_plain_python_finds(vectors: Vectors) -> None:
    """One filter selects the same records in a scan, a count and a search."""
    rng = seeded(5)
    records = _records(rng, 150, texts=False)
    await vector_records.fill(
        vectors, *(vector_records.record(name, None, "", fields) for name, fields in records.items())
    )
    maker = FilterMaker(rng, VALUES, NUMBERS, LISTS)
    for number in range(500):
        where = maker.tree()
        expected = [name for name, fields in records.items() if matches(where, fields)]
        assert await vectors.count(vector_records.NAME, where) == len(expected), where
        if number % 5 == 0:
            found = [item.id for item in (await vectors.scan(vector_records.NAME, where)).items]
            assert found == expected, where
        if number % 5 == 1:
            hits = await vectors.dense(vector_records.NAME, vector_records.axis(0), 1_000, where=where)
            assert [hit.id for hit in hits] == expected, where


def _deep(levels: int) -> Filter:
    where: Filter = Eq("rank", 1)
    for _ in range(levels - 1):
        where = Not(where)
    return where


BAD: tuple[Filter, ...] = (
    Eq("unknown", 1),
    Eq("Rank", 1),
    Eq("rank' OR 1=1 --", 1),
    Eq("rank", "1"),
    Eq("rank", value=True),
    Eq("rank", 1.5),
    Eq("flag", 1),
    Eq("colour", 1),
    Eq("tags", "a"),
    Eq("rank", 2**53),
    Ne("score", float("nan")),
    In("rank", (1, "2")),
    In("rank", tuple(range(1_001))),
    NotIn("colour", ("a", "\ud800")),
    Eq("colour", "\x00"),
    Lt("colour", 1),
    Gt("rank", float("inf")),
    Ge("flag", 0),
    Has("colour", "a"),
    Has("tags", "\x00"),
    Contains("colour", "a"),
    Contains("tags", "a"),
    InIgnoringCase("colour", ("a",)),
    InIgnoringCase("tags", ("a",)),
    InIgnoringCase("rank", ("1",)),
    InIgnoringCase("name", ("a", "\x00")),
    InIgnoringCase("name", tuple(map(str, range(1_001)))),
    Exists("unknown"),
    And(tuple(Eq("rank", number) for number in range(200))),
    Or((Eq("rank", 1), Not(And((Eq("unknown", 1),))))),
    _deep(17),
)


@promise("graph:find:filter-rules")
@pytest.mark.parametrize("where", BAD, ids=lambda where: type(where).__name__)
async def test_a_filter_that_breaks_a_rule_is_refused_by_a_graph(graph: Graph, where: Filter) -> None:
    """The filter is refused, whatever the engine would do with it."""
    await graph_records.fill(graph, graph_records.node("n", rank=1))
    with pytest.raises(InvalidInput):
        await graph.find(graph_records.KIND, where)
    with pytest.raises(InvalidInput):
        await graph.count_nodes(graph_records.KIND, where=where)


@promise("vectors:filter-rules")
@pytest.mark.parametrize("where", BAD, ids=lambda where: type(where).__name__)
async def test_a_filter_that_breaks_a_rule_is_refused_among_vectors(vectors: Vectors, where: Filter) -> None:
    """The filter is refused, whatever the engine would do with it."""
    await vector_records.fill(vectors, vector_records.record("r", None, "word", rank=1))
    for attempt in (
        lambda: vectors.scan(vector_records.NAME, where),
        lambda: vectors.count(vector_records.NAME, where),
        lambda: vectors.dense(vector_records.NAME, vector_records.axis(0), 1, where=where),
        lambda: vectors.keyword(vector_records.NAME, "word", 1, where=where),
    ):
        with pytest.raises(InvalidInput):
            await attempt()
    assert await vectors.count(vector_records.NAME) == 1


AT_THE_LIMITS: tuple[tuple[Filter, int], ...] = (
    (_deep(16), 0),
    (_deep(15), 1),
    (And(tuple(Ne("rank", number + 2) for number in range(199))), 1),
    (In("rank", tuple(range(1_000))), 1),
)
"""Depth 16, 200 nodes, 1,000 values in a set, with how many of one record they find."""


@promise("graph:find:filter-rules")
async def test_a_filter_at_its_limits_is_fine_in_a_graph(graph: Graph) -> None:
    """A filter at the limit works."""
    await graph_records.fill(graph, graph_records.node("n", rank=1, name="n7", names=("other", "N7")))
    many = tuple(f"N{number}" for number in range(1_000))
    for where, count in (*AT_THE_LIMITS, (InIgnoringCase("name", many), 1), (InIgnoringCase("names", many), 1)):
        assert len((await graph.find(graph_records.KIND, where)).items) == count


@promise("vectors:filter-rules")
async def test_a_filter_at_its_limits_is_fine_among_vectors(vectors: Vectors) -> None:
    """A filter at the limit works."""
    await vector_records.fill(vectors, vector_records.record("n", rank=1))
    for where, count in AT_THE_LIMITS:
        assert await vectors.count(vector_records.NAME, where) == count
        assert len(await vectors.dense(vector_records.NAME, vector_records.axis(0), 10, where=where)) == count
