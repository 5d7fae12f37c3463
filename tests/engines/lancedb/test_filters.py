"""Values at their limits, and fields named like SQL keywords or the record's own columns."""

from pathlib import Path

import pytest

from backends.ports.filters import And, Eq, Filter, Ge, Gt, In, Le, Lt, Ne, Not, NotIn
from backends.ports.values import MAX_INTEGER, FieldSpec
from backends.ports.vectors import CollectionSpec
from contracts.ports.vector_records import DIM, MODEL, NAME, names_stored, record
from tests.engines.lancedb.tables import opened

FLOATS = (5e-324, -1.7976931348623157e308, 1e22, 0.1, -0.0, 1 / 3)


async def test_every_float_is_found_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as vectors:
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec("score", "float", sort=True),)))
        await vectors.upsert(NAME, [record(f"r{place}", score=value) for place, value in enumerate(FLOATS)])
        for place, value in enumerate(FLOATS):
            found = await vectors.scan(NAME, And((Eq("score", value), In("score", (value,)), Not(Ne("score", value)))))
            assert [(item.id, item.fields["score"]) for item in found.items] == [(f"r{place}", value)]
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
