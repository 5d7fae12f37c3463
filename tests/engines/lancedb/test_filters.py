"""Values at their limits, and fields named like SQL keywords or the record's own columns."""

from pathlib import Path

import pytest

from backends.engines.lancedb.filters import both, compile_filter
from backends.ports.errors import InvalidInput
from backends.ports.filters import And, Contains, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.values import MAX_INTEGER, FieldSpec
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, names_stored, record
from tests.engines.lancedb.tables import opened

SPECS = {spec.name: spec for spec in FIELDS}
FLOATS = (5e-324, -1.7976931348623157e308, 1e22, 0.1, -0.0, 1 / 3)


async def test_every_float_is_found_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec("score", "float", sort=True),)))
        await vectors.upsert(NAME, [record(f"r{location}", score=value) for location, value in enumerate(FLOATS)])
        for location, value in enumerate(FLOATS):
            found = await vectors.scan(NAME, And((Eq("score", value), In("score", (value,)), Not(Ne("score", value)))))
            assert [(item.id, item.fields["score"]) for item in found.items] == [(f"r{location}", value)]
        assert await vectors.count(NAME, Eq("score", 0.0)) == 1
        assert await vectors.count(NAME, Lt("score", 0)) == 1


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Lt("rank", 0.5), ["a", "b"]),
        (Not(Le("rank", -0.5)), ["b", "c", "none"]),
        (Gt("rank", 0.5), ["c"]),
        (Ge("rank", -0.5), ["b", "c"]),
        (Lt("rank", MAX_INTEGER), ["a", "b"]),
        (NotIn("rank", (0, MAX_INTEGER)), ["a", "none"]),
    ],
)
async def test_integers_compare_with_fractions(tmp_path: Path, where: Filter, expected: list[str]) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec("rank", "int"),)))
        ranks = {"a": -MAX_INTEGER, "b": 0, "c": MAX_INTEGER}
        await vectors.upsert(NAME, [*(record(name, rank=rank) for name, rank in ranks.items()), record("none")])
        assert [item.id for item in (await vectors.scan(NAME, where)).items] == expected


async def test_fields_may_be_named_like_anything(tmp_path: Path) -> None:
    names = ("id", "rev", "dead", "vector", "text", "words", "select", "order", "null", "f_id", "true")
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, tuple(FieldSpec(name, "str") for name in names)))
        await vectors.upsert(NAME, [record("r", None, "", {name: name for name in names}), record("s")])
        everything = And(tuple(Eq(name, name) for name in names))
        assert [item.fields for item in (await vectors.scan(NAME, everything)).items] == [
            {name: name for name in names}
        ]
        assert await vectors.count(NAME, Ne("select", "select")) == 1
        assert await names_stored(vectors) == ["r", "s"]


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        (None, "true"),
        (And(()), "true"),
        (In("colour", ()), "false"),
        (NotIn("colour", ()), "true"),
        (And((In("colour", ()), Eq("rank", 1))), "false"),
        (Eq("colour", "it's"), "f_colour = 'it''s'"),
        (Ne("colour", "x"), "f_colour IS NULL OR f_colour != 'x'"),
        (Not(Eq("flag", value=True)), "f_flag IS NULL OR f_flag != true"),
        (Eq("score", 1), "f_score = 1.0"),
        (Eq("score", -0.0), "f_score = 0.0"),
        (Lt("rank", 0.5), "f_rank < 1"),
        (Le("rank", 0.5), "f_rank <= 0"),
        (Not(Gt("rank", 0.5)), "f_rank IS NULL OR f_rank <= 0"),
        (Not(Exists("tags")), "f_tags IS NULL"),
        (Not(Has("tags", "a")), "f_tags IS NULL OR NOT array_has(f_tags, 'a')"),
        (Not(Or((Eq("rank", 1), Exists("tags")))), "(f_rank IS NULL OR f_rank != 1) AND (f_tags IS NULL)"),
    ],
)
def test_a_filter_is_a_condition_that_is_never_null(where: Filter | None, condition: str) -> None:
    assert compile_filter(where, SPECS) == condition


@pytest.mark.parametrize("where", [Eq("unknown", 1), Eq("rank", "one"), Contains("colour", "red")])
def test_a_filter_that_does_not_fit_the_fields_is_refused(where: Filter) -> None:
    with pytest.raises(InvalidInput):
        compile_filter(where, SPECS)


def test_a_condition_that_always_holds_is_left_out() -> None:
    assert both("true", "a") == both("a", "true") == "a"
    assert both("a OR b", "c") == "(a OR b) AND (c)"
