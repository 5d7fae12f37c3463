"""Filters keep their meaning, also where the engine cannot express them."""

import pytest

from backends.engines.chroma import filters
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from contracts.corpus import FilterMaker, seeded
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import FIELDS, NAME, axis, cloud, fill, record

SPECS = {spec.name: spec for spec in FIELDS}


async def test_a_filter_with_more_values_than_the_engine_takes_keeps_its_meaning(folder: Engine) -> None:
    """The engine's SQL has a limit. Beyond it the filter means the same, and k matches are found where k exist."""
    vectors = await folder.vectors(fresh_namespace())
    records = [record(f"r{number:03}", vector, "word", rank=number) for number, vector in enumerate(cloud(300, 1))]
    await fill(vectors, *records)
    block = tuple(range(1_000, 2_000))
    where = And((*(NotIn("rank", block) for _ in range(25)), In("rank", (7, 8, 290, *block[:990])), Ne("rank", 8)))
    assert filters.MOST_VALUES < 26 * 1_000
    assert await vectors.count(NAME, where) == 2
    assert [item.id for item in (await vectors.scan(NAME, where)).items] == ["r007", "r290"]
    assert {hit.id for hit in await vectors.dense(NAME, axis(0), 2, where=where)} == {"r007", "r290"}
    assert {hit.id for hit in await vectors.keyword(NAME, "word", 5, where=where)} == {"r007", "r290"}


async def test_random_filters_keep_their_meaning_when_parts_are_left_out(
    folder: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is set so low that most sets are left out of the query."""
    monkeypatch.setattr(filters, "MOST_VALUES", 1)
    rng = seeded(9)
    values = {"colour": ("a", "b", "A"), "rank": (0, 1, 2), "flag": (True, False)}
    maker = FilterMaker(rng, values, {"rank": (0, 1, 0.5)}, {"tags": ("a", "b")})
    vectors = await folder.vectors(fresh_namespace())
    records = [
        record(f"r{number:02}", vector, "", {name: rng.choice(some) for name, some in values.items()})
        for number, vector in enumerate(cloud(80, 2))
    ]
    await fill(vectors, *records)
    for _ in range(150):
        where = Or((maker.tree(), And((maker.tree(), maker.tree()))))
        expected = {item.id for item in records if matches(where, item.fields)}
        hits = await vectors.dense(NAME, axis(1), 5, where=where)
        assert len(hits) == min(5, len(expected))
        assert {hit.id for hit in hits} <= expected
        assert await vectors.count(NAME, where) == len(expected)


@pytest.mark.parametrize(
    ("where", "compiled"),
    [
        (Eq("rank", 1), {"f_rank": {"$eq": 1}}),
        (Ne("rank", 1), {"f_rank": {"$ne": 1}}),
        (Eq("score", 1), {"f_score": {"$eq": 1.0}}),
        (In("colour", ("a", "b")), {"f_colour": {"$in": ["a", "b"]}}),
        (NotIn("colour", ("a",)), {"f_colour": {"$nin": ["a"]}}),
        (Has("tags", "a"), {"f_tags": {"$contains": "=a"}}),
        (Not(Has("tags", "a")), {"f_tags": {"$not_contains": "=a"}}),
        (Exists("flag"), {"h_flag": {"$eq": True}}),
        (Not(Exists("flag")), {"h_flag": {"$ne": True}}),
        (Lt("rank", 0.5), {"f_rank": {"$lt": 1}}),
        (Le("rank", 0.5), {"f_rank": {"$lte": 0}}),
        (Ge("score", 1), {"f_score": {"$gte": 1.0}}),
        (Not(Gt("rank", 1)), {"$or": [{"h_rank": {"$ne": True}}, {"f_rank": {"$lte": 1}}]}),
        (
            Not(Or((Eq("rank", 1), Exists("tags")))),
            {"$and": [{"f_rank": {"$ne": 1}}, {"h_tags": {"$ne": True}}]},
        ),
        (And((Eq("rank", 1), NotIn("colour", ()))), {"f_rank": {"$eq": 1}}),
    ],
)
def test_negation_is_pushed_down_to_the_fields(where: Filter, compiled: filters.Where) -> None:
    """The engine has no negation, and distinguishes integers from floats."""
    found = filters.compile_filter(where, SPECS)
    assert (found.where, found.exact, found.nothing) == (compiled, True, False)


@pytest.mark.parametrize(
    ("where", "nothing"),
    [(None, False), (And(()), False), (Or(()), True), (In("rank", ()), True), (NotIn("rank", ()), False)],
)
def test_a_filter_that_always_or_never_holds_is_no_query(where: Filter | None, nothing: bool) -> None:
    found = filters.compile_filter(where, SPECS)
    assert (found.where, found.exact, found.nothing) == (None, True, nothing)


def test_sets_beyond_the_limit_are_left_out_and_checked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_VALUES", 3)
    found = filters.compile_filter(And((In("rank", (1, 2)), In("colour", ("a", "b")))), SPECS)
    assert (found.where, found.exact) == ({"f_rank": {"$in": [1, 2]}}, False)


@pytest.mark.parametrize("where", [Eq("unknown", 1), Eq("rank", "one"), Has("rank", "a")])
def test_a_filter_that_does_not_fit_the_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        filters.compile_filter(where, SPECS)
