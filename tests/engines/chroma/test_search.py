"""Searches find what the index misses, and rank by whole words."""

import numpy
import pytest

from backends.ports.adapter import Engine
from backends.ports.filters import Eq, Not
from backends.ports.vectors import CollectionSpec
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, axis, fill, record


async def test_records_unreachable_in_the_index_are_found(folder: Engine) -> None:
    """The index graph of many equal vectors falls apart; the adapter adds the missing records."""
    vectors = await folder.vectors(fresh_namespace())
    await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
    records = [record(f"r{number:04}", rank=number % 2) for number in range(600)]
    await vectors.upsert(NAME, records)
    for where, count in ((None, 600), (Eq("rank", 1), 300)):
        hits = await vectors.dense(NAME, axis(0), 1_000, where=where)
        assert [hit.id for hit in hits] == [item.id for item in records if where is None or item.fields["rank"] == 1]
        assert len(hits) == count


@pytest.mark.parametrize("exact", [True, False])
async def test_records_are_ranked_by_the_rarity_of_their_whole_words(folder: Engine, exact: bool) -> None:
    """A word inside a longer word does not count; more words win among texts of one length."""
    vectors = await folder.vectors(fresh_namespace())
    common = [record(f"c{number:02}", None, "the sea and the shore") for number in range(40)]
    await fill(
        vectors,
        *common,
        record("rare", None, "the lighthouse"),
        record("two", None, "sea lighthouse"),
        record("within", None, "seasons and lighthouses"),
    )
    where = None if exact else Not(Eq("rank", 1))
    hits = await vectors.keyword(NAME, "Sea LIGHTHOUSE", 3, where=where)
    assert [hit.id for hit in hits] == ["two", "rare", "c00"]
    assert len(await vectors.keyword(NAME, "sea lighthouse", 100)) == 42


async def test_recall_holds_with_and_without_a_narrow_filter(folder: Engine) -> None:
    """Compared with exact search over 3,000 vectors of 64 dimensions; the filter keeps one in a hundred."""
    vectors = await folder.vectors(fresh_namespace())
    await vectors.ensure(CollectionSpec(NAME, 64, MODEL, FIELDS))
    rng = numpy.random.default_rng(4)
    rows = rng.normal(size=(3_000, 64)).astype(numpy.float32)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    names = [f"r{number:04}" for number in range(len(rows))]
    await vectors.upsert(
        NAME, [record(name, row, rank=int(name[1:]) % 100) for name, row in zip(names, rows, strict=True)]
    )
    for where, kept in ((None, range(3_000)), (Eq("rank", 7), range(7, 3_000, 100))):
        found = 0
        for query in rng.normal(size=(20, 64)).astype(numpy.float32):
            scores = rows[kept] @ query
            nearest: list[int] = numpy.argsort(-scores)[:10].tolist()
            best = {names[kept[place]] for place in nearest}
            found += len(best & {str(hit.id) for hit in await vectors.dense(NAME, query, 10, where=where)})
        assert found >= 0.95 * 200
