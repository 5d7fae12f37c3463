"""Searches: rare words decide, and a filter that is asked again gives the hits of a search that compares every record."""

import random
import sqlite3
from collections.abc import Sequence

import numpy as np
import pytest

from backends.engines.sqlite.declarations import declare
from backends.engines.sqlite.vectors import arrays, search
from backends.engines.sqlite.vectors.collections import StoredCollection
from backends.engines.sqlite.vectors.search import MAX_COUNT_BYTES, WordCounts
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Eq, Filter, Ge, Ne, Not, Or
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors, unit_vector

MANY = 60
NAME = "texts"
SPEC = CollectionSpec(
    "things",
    8,
    "a model",
    (FieldSpec("kind", "str", sort=True), FieldSpec("size", "int", sort=True), FieldSpec("place", "str")),
)
WHERE: tuple[Filter, ...] = (
    Eq("kind", "body"),
    Ne("kind", "front"),
    Not(Eq("place", "here")),
    Ge("size", 2),
    Or((Eq("kind", "front"), Ge("size", 1))),
    And((Eq("kind", "body"), Ge("size", 1))),
)


@pytest.fixture
async def vectors(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Vectors:
    """Return records that all say "common", a fifth of which say "frequent" and one "rare"; few are ranked."""
    monkeypatch.setattr(search, "RANKED", 10)
    opened = await engine.vectors(namespace("words"))
    await opened.ensure(CollectionSpec(NAME, 2, "m@1/2", (FieldSpec("part", "int", sort=True),)))
    vector = np.array([1.0, 0.0], dtype=np.float32)
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
    vector = np.array([1.0, 0.0], dtype=np.float32)
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


def _thing(rng: random.Random, number: int, rev: int) -> VectorRecord:
    vector = unit_vector(np.array([rng.gauss(0, 1) for _ in range(8)], dtype=np.float32))
    fields: dict[str, Value] = {"kind": rng.choice(("body", "body", "front")), "size": rng.randrange(9)}
    if rng.random() < 0.5:
        fields["place"] = rng.choice(("here", "there"))
    return VectorRecord(RecordId(f"r{number:03}"), vector, "", Revision(rev), fields)


def _nearest(
    records: Sequence[VectorRecord], where: Filter, vector: "np.ndarray[tuple[int], np.dtype[np.float32]]"
) -> list[str]:
    found = [record for record in records if matches(where, record.fields)]
    return [record.id for record in sorted(found, key=lambda record: (-float(record.vector @ vector), record.id))]


async def _agree(vectors: Vectors, records: Sequence[VectorRecord], rng: random.Random) -> None:
    for where in WHERE:
        for _ in range(3):
            vector = _thing(rng, 0, 1).vector
            hits = await vectors.dense("things", vector, 20, where=where)
            assert [hit.id for hit in hits] == _nearest(records, where, vector)[:20]


@pytest.mark.parametrize("kept", [2_500, 16 * 2**20])
async def test_what_is_remembered_of_a_filter_follows_the_records(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Records that are added, changed and deleted meanwhile, and an array that grew, are in the next answer."""
    monkeypatch.setattr(arrays, "MAX_MASK_BYTES", kept)
    monkeypatch.setattr(search, "RESCORED_AT_ONCE", 10)
    rng = random.Random(5)
    vectors = await engine.vectors(namespace("space"))
    await vectors.ensure(SPEC)
    records: dict[str, VectorRecord] = {}
    for rev, count in zip(range(1, 99, 2), (300, 20, 5, 400, 30, 900), strict=False):
        some = [_thing(rng, rng.randrange(1_200), rev) for _ in range(count)]
        await vectors.upsert("things", some)
        records |= {record.id: record for record in some}
        gone = [RecordId(each) for each in rng.sample(sorted(records), 10)]
        await vectors.delete("things", dict.fromkeys(gone, Revision(rev + 1)))
        for each in gone:
            del records[each]
        await _agree(vectors, [*records.values()], rng)
