"""A search by words among many records: rare words decide, and common ones find what rare ones do not."""

import sqlite3

import numpy
import pytest

from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.vectors import search
from backends.engines.sqlite.vectors.search import MAX_COUNT_BYTES, WordCounts
from backends.engines.sqlite.vectors.table import StoredCollection
from backends.ports.adapter import Engine
from backends.ports.filters import Eq
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors

MANY = 60
NAME = "texts"


@pytest.fixture
async def vectors(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Vectors:
    """Return records that all say "common", a fifth of which say "frequent" and one "rare"; few are ranked."""
    monkeypatch.setattr(search, "RANKED", 10)
    opened = await engine.vectors(namespace("words"))
    await opened.ensure(CollectionSpec(NAME, 2, "m@1/2", (FieldSpec("part", "int", sort=True),)))
    vector = numpy.array([1.0, 0.0], dtype=numpy.float32)
    await opened.upsert(
        NAME,
        [
            VectorRecord(
                RecordId(f"r{n:02}"),
                vector,
                " ".join(["common", "frequent" * (n % 5 == 0), "rare" * (n == 41)]),
                Revision(1),
                {"part": n % 2},
            )
            for n in range(MANY)
        ],
    )
    return opened


async def found(vectors: Vectors, text: str, k: int, part: int | None = None) -> list[str]:
    where = None if part is None else Eq("part", part)
    return [str(hit.id) for hit in await vectors.keyword(NAME, text, k, where=where)]


async def test_the_record_of_a_rare_word_comes_first(vectors: Vectors) -> None:
    assert (await found(vectors, "common frequent rare", 5))[0] == "r41"
    assert await found(vectors, "common rare", 1) == ["r41"]


async def test_common_words_fill_up_what_rare_ones_leave(vectors: Vectors) -> None:
    five = await found(vectors, "common rare", 5)
    assert five[0] == "r41"
    assert len(set(five)) == 5
    assert len(await found(vectors, "common", MANY)) == MANY
    assert len(await found(vectors, "common frequent rare", MANY)) == MANY


async def test_a_filter_leaves_as_many_as_there_are(vectors: Vectors) -> None:
    assert "r41" not in await found(vectors, "common rare", 5, part=0)
    assert len(await found(vectors, "common rare", MANY, part=0)) == MANY // 2


async def test_common_words_fill_up_within_a_filter_with_the_scores_of_the_whole_collection(vectors: Vectors) -> None:
    whole = {hit.id: hit.score for hit in await vectors.keyword(NAME, "common frequent rare", MANY)}
    hits = await vectors.keyword(NAME, "common frequent rare", 20, where=Eq("part", 1))
    assert [hit.id for hit in hits] == [id_ for id_ in whole if int(id_[1:]) % 2][:20]
    assert [hit.score for hit in hits] == [whole[hit.id] for hit in hits]


async def test_words_are_counted_again_after_a_change(vectors: Vectors) -> None:
    """The common word becomes the rare one, which then decides."""
    assert await found(vectors, "frequent rare", 1) == ["r41"]
    vector = numpy.array([1.0, 0.0], dtype=numpy.float32)
    texts = {f"r{n:02}": "frequent rare" if n == 7 else "rare rare" for n in range(MANY)}
    await vectors.upsert(NAME, [VectorRecord(RecordId(i), vector, text, Revision(2)) for i, text in texts.items()])
    assert await found(vectors, "frequent rare", 1) == ["r07"]


async def test_counts_hold_for_one_collection_and_one_limit(vectors: Vectors) -> None:
    await vectors.ensure(CollectionSpec("others", 2, "m@1/2"))
    assert len(await found(vectors, "frequent", 20)) == MANY // 5
    assert await vectors.keyword("others", "frequent", 20) == []
    assert len(await found(vectors, "common frequent", MANY)) == MANY


def test_counts_of_words_are_bounded() -> None:
    counts, within = WordCounts(), StoredCollection(1, 2, "m@1/2", declare(()), 1)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words_1 USING fts5(text)")
    for n in range(6_000):
        assert counts.count(connection, 0, within, f'"word{n}"', 9) == 0
    assert MAX_COUNT_BYTES - 1_000 < counts.bytes <= MAX_COUNT_BYTES
