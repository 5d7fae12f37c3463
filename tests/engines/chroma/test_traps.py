"""Quirks of the engine that must not show through the port."""

import numpy
import pytest
from chromadb.errors import InternalError, InvalidArgumentError, NotFoundError

from backends.engines.chroma import filters
from backends.engines.chroma.driver import BucketGone, BucketTaken
from backends.engines.chroma.errors import translated
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput, StoreError, Unavailable
from backends.ports.filters import And, Eq, Exists, Has, In, Ne, Not, NotIn, Or
from backends.ports.values import FieldSpec, RecordId, Value
from backends.ports.vectors import CollectionSpec, Vectors
from contracts.corpus import FilterMaker, seeded
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, axis, cloud, fill, record

SQLITE = "error returned from database:"


async def stored(vectors: Vectors, name: str) -> dict[str, Value]:
    return dict((await vectors.get(NAME, [RecordId(name)]))[RecordId(name)].fields)


async def test_an_upsert_leaves_no_old_lists_and_keys(folder: Engine) -> None:
    """The engine merges metadata, and an omitted list keeps its old value."""
    vectors = await folder.vectors(fresh_namespace())
    await fill(vectors, record("r", tags=("a", "b"), colour="red", flag=True))
    await vectors.upsert(NAME, [record("r", rev=2, rank=1)])
    assert await stored(vectors, "r") == {"rank": 1}
    for where in (Has("tags", "a"), Exists("tags"), Exists("flag"), Eq("colour", "red")):
        assert await vectors.count(NAME, where) == 0
        assert await vectors.count(NAME, Not(where)) == 1


async def test_values_that_the_engine_would_change_are_returned_unchanged(folder: Engine) -> None:
    """Repeated elements, an empty list, minus zero, whole floats, the largest integers, the adapter's own markers."""
    vectors = await folder.vectors(fresh_namespace())
    fields: dict[str, Value] = {"tags": ("b", "a", "b", "", "!", "="), "score": 2.0, "rank": 2**53 - 1, "colour": ""}
    await fill(vectors, record("r", None, "", fields), record("zero", tags=(), score=-0.0, rank=-(2**53) + 1))
    assert await stored(vectors, "r") == fields
    back = await stored(vectors, "zero")
    assert (str(back["score"]), back["rank"], "tags" in back) == ("-0.0", -(2**53) + 1, False)
    for text in ("!", "=", "", "b"):
        assert [item.id for item in (await vectors.scan(NAME, Has("tags", text))).items] == ["r"]
    assert await vectors.count(NAME, Exists("tags")) == 1
    assert await vectors.count(NAME, And((Eq("rank", 2**53 - 1), Eq("score", 2)))) == 1


async def test_field_names_never_clash_with_other_keys(folder: Engine) -> None:
    """Neither with the engine's keys nor with the adapter's."""
    vectors = await folder.vectors(fresh_namespace())
    names = ("rev", "body", "f_rev", "h_rev", "id", "document", "chroma")
    await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, tuple(FieldSpec(name, "int") for name in names)))
    fields = {name: number for number, name in enumerate(names)}
    await vectors.upsert(NAME, [record("r", None, "text", fields, rev=7)])
    assert await stored(vectors, "r") == fields
    assert await vectors.count(NAME, And(tuple(Eq(name, value) for name, value in fields.items()))) == 1


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


async def test_ids_of_any_form_are_distinct(folder: Engine) -> None:
    """Ids of two thousand bytes, in both normal forms, with quotes and slashes."""
    vectors = await folder.vectors(fresh_namespace())
    ids = ["é" * 1_000, "caf\u00e9", "cafe\u0301", "a'b\"c", "../x", "%00", "日本", " ", "None", "0"]
    await fill(vectors, *(record(name, rank=number) for number, name in enumerate(ids)))
    assert [item.id for item in (await vectors.scan(NAME)).items] == sorted(ids)
    for number, name in enumerate(ids):
        assert await stored(vectors, name) == {"rank": number}


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


@pytest.mark.parametrize(
    ("error", "became"),
    [
        (InternalError("Collection [entrepot.here.things.records] already exists"), BucketTaken),
        (NotFoundError("Collection [it already exists] does not exist"), BucketGone),
        (InternalError(f"Database error: {SQLITE} (code: 1032) attempt to write a readonly database"), Unavailable),
        (InternalError(f"Query error: Database error: {SQLITE} (code: 13) database or disk is full"), Unavailable),
        (InternalError(f"Database error: {SQLITE} (code: 2067) UNIQUE constraint failed: x.disk I/O"), StoreError),
        (InvalidArgumentError("no field 'the disk is full, it already exists'"), InvalidInput),
    ],
)
def test_values_in_an_error_message_do_not_change_its_meaning(error: Exception, became: type[Exception]) -> None:
    """The engine's exception classes are broad, so its messages are matched by position."""
    with pytest.raises(became) as raised, translated("Chroma"):
        raise error
    assert type(raised.value) is became
