"""The arguments of vectors are validated, and vectors scaled, before the engine sees them."""

import math
from collections.abc import Awaitable, Callable, Mapping

import numpy as np
import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import InvalidInput
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors, unit_vector, unit_vectors

NAME = "things"
SPEC = CollectionSpec(NAME, 4, "model@1/4", (FieldSpec("rank", "int"),))
ONES = np.ones(4, dtype=np.float32)
BAD_IDS = ("", "a\nb", "nul\x00", "\ud800", "x" * 2_001)


def record(name: str = "r", vector: "np.ndarray" = ONES, text: str = "", *, rev: int = 1) -> VectorRecord:
    return VectorRecord(RecordId(name), vector, text, Revision(rev))


def bad_vectors() -> Mapping[str, "np.ndarray"]:
    return {
        "zero": np.zeros(4, dtype=np.float32),
        "nan": np.full(4, math.nan, dtype=np.float32),
        "infinite": np.full(4, math.inf, dtype=np.float32),
        "short": np.ones(3, dtype=np.float32),
        "long": np.ones(5, dtype=np.float32),
        "empty": np.ones(0, dtype=np.float32),
        "a table": np.ones((2, 2), dtype=np.float32),
        "over the limit": np.ones(65_537, dtype=np.float32),
    }


SPECS: Mapping[str, CollectionSpec] = {
    "name": CollectionSpec("Things", 4, "model"),
    "no dimension": CollectionSpec(NAME, 0, "model"),
    "too many dimensions": CollectionSpec(NAME, 65_537, "model"),
    "no model": CollectionSpec(NAME, 4, ""),
    "model with NUL": CollectionSpec(NAME, 4, "m\0"),
    "long model": CollectionSpec(NAME, 4, "m" * 5_000),
    "text flag": CollectionSpec(NAME, 4, "model", (FieldSpec("body", "str", text=True),)),
    "double field": CollectionSpec(NAME, 4, "model", (FieldSpec("a", "int"), FieldSpec("a", "int"))),
}
CALLS: Mapping[str, Callable[[Vectors], Awaitable[object]]] = {
    "revision": lambda vectors: vectors.upsert(NAME, [record(rev=0)]),
    "text": lambda vectors: vectors.upsert(NAME, [record(text="\ud800")]),
    "long text": lambda vectors: vectors.upsert(NAME, [record(text="x" * (256 * 1024 + 1))]),
    "deleted revision": lambda vectors: vectors.delete(NAME, {RecordId("r"): Revision(0)}),
    "scan limit": lambda vectors: vectors.scan(NAME, limit=0),
    "k": lambda vectors: vectors.dense(NAME, ONES, 1_001),
    "least score": lambda vectors: vectors.dense(NAME, ONES, 1, min_score=math.nan),
    "words k": lambda vectors: vectors.keyword(NAME, "word", 0),
    "words": lambda vectors: vectors.keyword(NAME, "\x00", 1),
    "note": lambda vectors: vectors.set_meta("key", "\x00"),
}


@pytest.fixture
async def vectors(engine: Engine) -> Vectors:
    opened = await engine.vectors(namespace("n"))
    await opened.ensure(SPEC)
    return opened


@pytest.mark.parametrize("name", SPECS)
async def test_a_declaration_that_breaks_a_rule_is_refused(engine: Engine, name: str) -> None:
    vectors = await engine.vectors(namespace("n"))
    with pytest.raises(InvalidInput):
        await vectors.ensure(SPECS[name])


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_that_breaks_a_rule_is_refused(vectors: Vectors, name: str) -> None:
    with pytest.raises(InvalidInput):
        await CALLS[name](vectors)


@pytest.mark.parametrize("name", ["zero", "nan", "infinite", "short", "long", "empty", "a table", "over the limit"])
async def test_a_vector_without_a_direction_in_its_space_is_refused(vectors: Vectors, name: str) -> None:
    bad = bad_vectors()[name]
    for records in ([record("bad", bad)], [record("good"), record("bad", bad)]):
        with pytest.raises(InvalidInput):
            await vectors.upsert(NAME, records)
    with pytest.raises(InvalidInput):
        await vectors.dense(NAME, bad, 1)
    assert await vectors.count(NAME) == 0


@pytest.mark.parametrize("bad", BAD_IDS, ids=lambda text: repr(text[:9]))
async def test_an_invalid_id_is_refused_wherever_one_is_taken(vectors: Vectors, bad: str) -> None:
    for call in (
        lambda: vectors.upsert(NAME, [record(bad)]),
        lambda: vectors.delete(NAME, {RecordId(bad): Revision(1)}),
        lambda: vectors.get(NAME, [RecordId(bad)]),
        lambda: vectors.revisions(NAME, [RecordId(bad)]),
        lambda: vectors.get_meta(bad),
    ):
        with pytest.raises(InvalidInput):
            await call()


async def test_a_name_that_is_no_identifier_is_refused_by_every_method(vectors: Vectors) -> None:
    bad = "words_1'"
    for call in (
        lambda: vectors.upsert(bad, [record()]),
        lambda: vectors.delete(bad, {}),
        lambda: vectors.drop(bad),
        lambda: vectors.get(bad, []),
        lambda: vectors.revisions(bad, []),
        lambda: vectors.scan(bad),
        lambda: vectors.count(bad),
        lambda: vectors.dense(bad, ONES, 1),
        lambda: vectors.keyword(bad, "word", 1),
        lambda: vectors.maintain(bad),
    ):
        with pytest.raises(InvalidInput, match="a collection's name"):
            await call()


async def test_a_large_upsert_stores_every_record_once_with_unit_norm(vectors: Vectors) -> None:
    records = [record(f"r{number:04}", np.full(4, number + 1, dtype=np.float32)) for number in range(2_100)]
    await vectors.upsert(NAME, [*records, record("r0000", -ONES)])
    assert await vectors.count(NAME) == 2_100
    stored = await vectors.get(NAME, [RecordId("r0000"), RecordId("r2099")])
    assert np.allclose(stored[RecordId("r0000")].vector, -0.5)
    assert np.allclose(stored[RecordId("r2099")].vector, 0.5)


def test_vectors_scaled_together_are_those_scaled_alone() -> None:
    rows = list(np.random.default_rng(3).normal(size=(50, 16)).astype(np.float32) * 7)
    together, alone = unit_vectors(rows), [unit_vector(row) for row in rows]
    assert all(np.allclose(one, other, atol=1e-7) for one, other in zip(together, alone, strict=True))
    assert {row.dtype for row in together} == {np.dtype(np.float32)}
    assert [row.shape for row in unit_vectors([rows[0], rows[1][:3]])] == [(16,), (3,)]
    assert unit_vectors([]) == []
