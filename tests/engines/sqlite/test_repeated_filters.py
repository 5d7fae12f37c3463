"""A filter that leaves much and is asked again: its hits are those of a search that compares every record."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from backends.engines.sqlite.filters import Clause
from backends.engines.sqlite.vectors import arrays, search
from backends.engines.sqlite.vectors.arrays import Masks
from backends.kit.filter_evaluation import matches
from backends.ports.adapter import Engine
from backends.ports.filters import And, Eq, Filter, Ge, Ne, Not, Or
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors, unit_vector

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


def _record(rng: random.Random, number: int, rev: int) -> VectorRecord:
    vector = unit_vector(np.array([rng.gauss(0, 1) for _ in range(8)], dtype=np.float32))
    fields: dict[str, Value] = {"kind": rng.choice(("body", "body", "front")), "size": rng.randrange(9)}
    if rng.random() < 0.5:
        fields["place"] = rng.choice(("here", "there"))
    return VectorRecord(RecordId(f"r{number:03}"), vector, "", Revision(rev), fields)


def _expected(
    records: Sequence[VectorRecord], where: Filter, vector: "np.ndarray[tuple[int], np.dtype[np.float32]]"
) -> list[str]:
    found = [record for record in records if matches(where, record.fields)]
    return [record.id for record in sorted(found, key=lambda record: (-float(record.vector @ vector), record.id))]


async def _agree(vectors: Vectors, records: Sequence[VectorRecord], rng: random.Random) -> None:
    for where in WHERE:
        for _ in range(3):
            vector = _record(rng, 0, 1).vector
            hits = await vectors.dense("things", vector, 20, where=where)
            assert [hit.id for hit in hits] == _expected(records, where, vector)[:20]


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
        some = [_record(rng, rng.randrange(1_200), rev) for _ in range(count)]
        await vectors.upsert("things", some)
        records |= {record.id: record for record in some}
        gone = [RecordId(each) for each in rng.sample(sorted(records), 10)]
        await vectors.delete("things", dict.fromkeys(gone, Revision(rev + 1)))
        for each in gone:
            del records[each]
        await _agree(vectors, [*records.values()], rng)


def test_filters_that_are_asked_again_take_no_more_than_their_bound() -> None:
    """A filter is as long as its caller makes it."""
    remembered = Masks()
    clauses = [Clause("r.c0 = ?", (f"{number}" + "x" * 1_000_000,)) for number in range(30)]
    for clause in clauses:
        assert not remembered.is_asked_again(clause)
        assert remembered.is_asked_again(clause)
        remembered.keep(clause, np.zeros(1_000_000, dtype=np.bool_))
        assert remembered.bytes <= arrays.MAX_MASK_BYTES
    assert remembered.get(clauses[-1]) is not None
    assert remembered.get(clauses[0]) is None
