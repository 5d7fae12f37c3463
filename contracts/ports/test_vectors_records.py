"""Vector records are stored completely, guarded by revisions, in collections that never mix models."""

import math

import anyio
import numpy
import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import Conflict, InvalidInput, NotFound, Unusable
from backends.ports.filters import And, Eq, Has, Not
from backends.ports.values import FieldSpec, Namespace, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors, text_hash
from contracts.corpus import HOSTILE_TEXTS, LONG
from contracts.fixtures import EngineFactory, fresh_namespace
from contracts.ports.vector_records import (
    DIM,
    FIELDS,
    MODEL,
    NAME,
    THINGS,
    axis,
    cloud,
    cosine,
    fill,
    names_stored,
    record,
)
from contracts.promises import promise

EVERYTHING: dict[str, Value] = {"colour": "red", "rank": -7, "score": 0.1, "flag": False, "tags": ("b", "a")}


def _assert_same(got: VectorRecord, stored: VectorRecord) -> None:
    assert (got.id, got.text, got.rev, got.fields) == (stored.id, stored.text, stored.rev, stored.fields)
    assert got.text_hash == text_hash(stored.text)
    assert got.vector.dtype == numpy.float32
    assert abs(float(numpy.linalg.norm(got.vector)) - 1) < 1e-5
    assert cosine(got.vector, stored.vector) > 1 - 1e-5


@promise("vectors:upsert:unchanged", "vectors:get:unit-norm")
async def test_a_record_comes_back_as_it_was_stored_with_unit_norm(vectors: Vectors) -> None:
    """Text and fields are unchanged, the vector is scaled."""
    stored = [record(f"r{number}", vector, f"text {number}", EVERYTHING) for number, vector in enumerate(cloud(20, 1))]
    await fill(vectors, *stored)
    got = await vectors.get(NAME, [*(item.id for item in stored), RecordId("unknown")])
    assert set(got) == {item.id for item in stored}
    for item in stored:
        _assert_same(got[item.id], item)
        assert {type(value) for value in got[item.id].fields.values()} == {str, int, float, bool, tuple}
    assert await vectors.get(NAME, []) == {}


@promise("vectors:upsert:hostile-text")
async def test_hostile_texts_are_stored_unchanged(vectors: Vectors) -> None:
    """They occur in texts, in fields, in lists, and in filters."""
    texts = [*HOSTILE_TEXTS, LONG, ""]
    stored = [
        record(f"r{number:02}", None, text, {"colour": text, "tags": (text, "x")} if len(text) < 2_000 else {})
        for number, text in enumerate(texts)
    ]
    await fill(vectors, *stored)
    got = await vectors.get(NAME, [item.id for item in stored])
    for item in stored:
        _assert_same(got[item.id], item)
    for number, text in enumerate(HOSTILE_TEXTS):
        found = await vectors.scan(NAME, And((Eq("colour", text), Has("tags", text))))
        assert [item.id for item in found.items] == [f"r{number:02}"]


@promise("vectors:upsert:full-replace")
async def test_a_record_replaces_its_id_fully(vectors: Vectors) -> None:
    """Nothing of the older state is found any more."""
    await fill(vectors, record("r", axis(1), "alpha", EVERYTHING))
    replacement = record("r", axis(2), "beta", rev=2, rank=1)
    await vectors.upsert(NAME, [replacement])
    _assert_same((await vectors.get(NAME, [RecordId("r")]))[RecordId("r")], replacement)
    assert await vectors.count(NAME, Eq("colour", "red")) == 0
    [hit] = await vectors.dense(NAME, axis(2), 5)
    assert (hit.id, round(hit.score, 4)) == ("r", 1.0)
    assert list(await vectors.keyword(NAME, "alpha", 5)) == []


@promise("vectors:upsert:doubles")
async def test_the_last_of_duplicates_in_a_batch_is_stored(vectors: Vectors) -> None:
    """The record is stored once."""
    await fill(vectors, record("r", rank=1), record("other"), record("r", rank=2), record("r", rank=3))
    assert (await vectors.get(NAME, [RecordId("r")]))[RecordId("r")].fields == {"rank": 3}
    assert await vectors.count(NAME) == 2


@promise("vectors:revisions:skip", "vectors:upsert:repeatable")
async def test_a_stored_revision_that_is_not_lower_stays(vectors: Vectors) -> None:
    """Late and repeated upserts change nothing."""
    await fill(vectors, record("r", axis(1), "new", rev=5, rank=5))
    for rev in (4, 5):
        await vectors.upsert(NAME, [record("r", axis(2), "old", rev=rev, rank=0), record("s", rev=rev)])
    assert (await vectors.get(NAME, [RecordId("r")]))[RecordId("r")].fields == {"rank": 5}
    assert await vectors.revisions(NAME, [RecordId("r"), RecordId("s"), RecordId("t")]) == {"r": 5, "s": 5}
    assert (await vectors.dense(NAME, axis(1), 1))[0].id == "r"


@promise("vectors:delete:tombstone", "vectors:revisions:read")
async def test_a_delete_keeps_id_and_revision_as_a_tombstone(vectors: Vectors) -> None:
    """Late upserts are ignored, late deletions change nothing, and a higher revision revives."""
    await fill(vectors, record("r", rev=2), record("newer", rev=9))
    await vectors.delete(
        NAME, {RecordId("r"): Revision(3), RecordId("newer"): Revision(8), RecordId("unknown"): Revision(4)}
    )
    await vectors.upsert(NAME, [record("r", rev=3), record("unknown", rev=4)])
    assert await names_stored(vectors) == ["newer"]
    assert await vectors.revisions(NAME, [RecordId("r"), RecordId("newer"), RecordId("unknown")]) == {
        "r": 3,
        "newer": 9,
        "unknown": 4,
    }
    await vectors.upsert(NAME, [record("r", rev=4), record("unknown", rev=5)])
    assert await names_stored(vectors) == ["newer", "r", "unknown"]


@promise("vectors:delete:no-answer")
async def test_a_deleted_record_is_in_no_answer(vectors: Vectors) -> None:
    """It is found neither by id nor by vector nor by words nor in a count."""
    await fill(vectors, record("live", axis(0), "same words"), record("dead", axis(0), "same words"))
    await vectors.delete(NAME, {RecordId("dead"): Revision(2)})
    assert set(await vectors.get(NAME, [RecordId("live"), RecordId("dead")])) == {"live"}
    assert [hit.id for hit in await vectors.dense(NAME, axis(0), 10)] == ["live"]
    assert [hit.id for hit in await vectors.keyword(NAME, "same words", 10)] == ["live"]
    assert (await vectors.count(NAME), await names_stored(vectors)) == (1, ["live"])


@promise("vectors:scan:pages", "vectors:count")
async def test_records_are_scanned_by_id_in_pages(vectors: Vectors) -> None:
    """The pages joined are the whole, although records are added and deleted."""
    await fill(vectors, *(record(f"r{number:03}", rank=number % 2) for number in range(50)))
    first = await vectors.scan(NAME, limit=20)
    assert [item.id for item in first.items] == [f"r{number:03}" for number in range(20)]
    await vectors.delete(NAME, {RecordId("r019"): Revision(2)})
    await vectors.upsert(NAME, [record("r0195")])
    second = await vectors.scan(NAME, after=first.after)
    assert [item.id for item in second.items] == ["r0195", *(f"r{number:03}" for number in range(20, 50))]
    assert second.after is None
    odd = await vectors.scan(NAME, Eq("rank", 1), limit=5)
    assert [item.id for item in odd.items] == [f"r{number:03}" for number in range(1, 10, 2)]
    assert (await vectors.count(NAME), await vectors.count(NAME, Not(Eq("rank", 1)))) == (50, 26)
    for limit in (0, 1_001):
        with pytest.raises(InvalidInput):
            await vectors.scan(NAME, limit=limit)


@promise("vectors:upsert:rules")
@pytest.mark.parametrize(
    "bad",
    [
        numpy.zeros(DIM, dtype=numpy.float32),
        numpy.ones(DIM - 1, dtype=numpy.float32),
        numpy.ones(DIM + 1, dtype=numpy.float32),
        numpy.full(DIM, math.nan, dtype=numpy.float32),
        numpy.full(DIM, math.inf, dtype=numpy.float32),
    ],
    ids=["zero", "short", "long", "nan", "infinite"],
)
async def test_a_vector_without_a_direction_is_refused(vectors: Vectors, bad: "numpy.ndarray") -> None:
    """The vector is refused when it is stored and when it is searched for."""
    await fill(vectors, record("fine"))
    with pytest.raises(InvalidInput):
        await vectors.upsert(NAME, [record("bad", bad)])
    with pytest.raises(InvalidInput):
        await vectors.dense(NAME, bad, 5)


@promise("vectors:upsert:rules")
@pytest.mark.parametrize(
    "fields", [{"unknown": 1}, {"rank": "1"}, {"rank": True}, {"score": math.nan}, {"flag": 1}, {"colour": "\x00"}]
)
async def test_a_field_that_is_not_declared_so_is_refused(vectors: Vectors, fields: dict[str, Value]) -> None:
    """The rules are those of a graph."""
    await vectors.ensure(THINGS)
    with pytest.raises(InvalidInput):
        await vectors.upsert(NAME, [record("bad", None, "", fields)])
    for text in ("nul\x00", "\ud800", "x" * (256 * 1024 + 1)):
        with pytest.raises(InvalidInput):
            await vectors.upsert(NAME, [record("bad", None, text)])


@promise("vectors:ensure:repeat")
async def test_a_collection_may_be_declared_again_and_gain_fields(vectors: Vectors) -> None:
    """Records that were stored before lack the new field."""
    await fill(vectors, record("old", rank=1))
    await vectors.ensure(THINGS)
    await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, (*FIELDS, FieldSpec("extra", "int"))))
    await vectors.upsert(NAME, [record("new", extra=5)])
    assert [item.id for item in (await vectors.scan(NAME, Eq("extra", 5))).items] == ["new"]


@promise("vectors:ensure:model")
async def test_vectors_of_two_models_are_never_mixed(vectors: Vectors) -> None:
    """The collection of another model must not be used, and is left unchanged."""
    await fill(vectors, record("r"))
    with pytest.raises(Unusable):
        await vectors.ensure(CollectionSpec(NAME, DIM, "other@1/16", FIELDS))
    assert await names_stored(vectors) == ["r"]


@promise("vectors:ensure:conflict")
async def test_dimension_and_types_cannot_change(vectors: Vectors) -> None:
    """Stored records would no longer match the declaration."""
    await fill(vectors, record("r", rank=1))
    with pytest.raises(Conflict):
        await vectors.ensure(CollectionSpec(NAME, DIM + 1, MODEL, FIELDS))
    with pytest.raises(Conflict):
        await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec("rank", "str"),)))
    assert await names_stored(vectors) == ["r"]


@promise("vectors:ensure:rules")
@pytest.mark.parametrize(
    "spec",
    [
        CollectionSpec("Upper", DIM, MODEL),
        CollectionSpec("a'b", DIM, MODEL),
        CollectionSpec("", DIM, MODEL),
        CollectionSpec("other", DIM, MODEL, (FieldSpec("A b", "int"),)),
        CollectionSpec("other", DIM, MODEL, (FieldSpec("words", "str", text=True),)),
        CollectionSpec("other", DIM, MODEL, tuple(FieldSpec(f"f{number}", "int") for number in range(17))),
    ],
    ids=["upper", "quote", "empty", "field", "text-flag", "seventeen"],
)
async def test_a_declaration_that_breaks_a_rule_is_refused(vectors: Vectors, spec: CollectionSpec) -> None:
    """Names are plain identifiers; a collection has at most 16 fields, none flagged text."""
    with pytest.raises(InvalidInput):
        await vectors.ensure(spec)


@promise("vectors:unknown")
async def test_an_unknown_collection_is_not_found(vectors: Vectors) -> None:
    """Every method raises it except those that declare and drop a collection; the error names no id."""
    nothing = "nothing"
    for attempt in (
        lambda: vectors.upsert(nothing, [record("r")]),
        lambda: vectors.delete(nothing, {RecordId("r"): Revision(1)}),
        lambda: vectors.get(nothing, [RecordId("r")]),
        lambda: vectors.revisions(nothing, [RecordId("r")]),
        lambda: vectors.scan(nothing),
        lambda: vectors.count(nothing),
        lambda: vectors.dense(nothing, axis(0), 1),
        lambda: vectors.keyword(nothing, "word", 1),
        lambda: vectors.maintain(nothing),
    ):
        with pytest.raises(NotFound) as caught:
            await attempt()
        assert caught.value.missing == ()
    await vectors.drop(nothing)


@promise("vectors:drop")
async def test_a_dropped_collection_is_gone_with_its_declaration(vectors: Vectors) -> None:
    """The name may be declared again for another model."""
    await fill(vectors, record("r"))
    await vectors.ensure(CollectionSpec("other", DIM, MODEL))
    await vectors.drop(NAME)
    await vectors.drop(NAME)
    with pytest.raises(NotFound):
        await vectors.count(NAME)
    assert await vectors.count("other") == 0
    await vectors.ensure(CollectionSpec(NAME, 3, "other@1/3"))
    assert await vectors.count(NAME) == 0
    assert await vectors.revisions(NAME, [RecordId("r")]) == {}


@promise("vectors:namespaces:apart", "vectors:collections:apart")
async def test_namespaces_and_collections_share_nothing(engine: Engine, vectors: Vectors) -> None:
    """The same ids and names are other records in another namespace."""
    name = fresh_namespace()
    other = await engine.vectors(name)
    await fill(vectors, record("a", axis(0), "mine", rank=1))
    await fill(other, record("a", axis(1), "other", rank=2), record("b", axis(0), "other"))
    await vectors.ensure(CollectionSpec("second", DIM, MODEL))
    await vectors.upsert("second", [record("c", axis(0), "mine too")])
    assert [hit.id for hit in await vectors.dense(NAME, axis(0), 9)] == ["a"]
    assert [hit.id for hit in await vectors.keyword(NAME, "mine other too", 9)] == ["a"]
    assert [hit.id for hit in await vectors.dense("second", axis(0), 9)] == ["c"]
    await vectors.set_meta("key", "mine")
    assert await other.get_meta("key") is None
    await vectors.drop(NAME)
    assert await names_stored(other) == ["a", "b"]
    await other.drop(NAME)


@promise("vectors:meta")
async def test_meta_values_are_kept_and_the_first_of_many_wins(vectors: Vectors) -> None:
    """The rules are those of a graph."""
    assert await vectors.get_meta("key") is None
    assert await vectors.set_meta("key", "one") == "one"
    assert await vectors.set_meta("key", HOSTILE_TEXTS[0]) == HOSTILE_TEXTS[0]
    assert await vectors.get_meta("key") == HOSTILE_TEXTS[0]
    answers: list[str] = []

    async def store(number: int) -> None:
        answers.append(await vectors.set_meta("first", str(number), if_absent=True))

    async with anyio.create_task_group() as group:
        for number in range(12):
            group.start_soon(store, number)
    assert {*answers} == {await vectors.get_meta("first")}


@promise("vectors:durable")
@pytest.mark.needs("vectors")
async def test_vectors_are_there_when_they_are_opened_again(
    engine_factory: EngineFactory, namespace: Namespace
) -> None:
    """Records, revisions of deleted ones, declarations and meta values persist."""
    vectors = await (await engine_factory.open()).vectors(namespace)
    await fill(vectors, record("a", axis(1), "alpha beta", rank=1), record("gone"))
    await vectors.delete(NAME, {RecordId("gone"): Revision(2)})
    await vectors.set_meta("key", "kept")
    vectors = await (await engine_factory.reopen()).vectors(namespace)
    _assert_same((await vectors.get(NAME, [RecordId("a")]))[RecordId("a")], record("a", axis(1), "alpha beta", rank=1))
    assert [hit.id for hit in await vectors.dense(NAME, axis(1), 5)] == ["a"]
    assert [hit.id for hit in await vectors.keyword(NAME, "beta", 5)] == ["a"]
    assert await vectors.revisions(NAME, [RecordId("gone")]) == {"gone": 2}
    assert await vectors.get_meta("key") == "kept"
    with pytest.raises(Unusable):
        await vectors.ensure(CollectionSpec(NAME, DIM, "other@1/16"))
    await vectors.drop(NAME)
