"""Filters keep their meaning, also where the engine cannot express them."""

import pytest

from backends.engines.chroma import filters
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, In, Ne, NotIn, Or
from contracts.corpus import FilterMaker, seeded
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import NAME, axis, cloud, fill, record


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
