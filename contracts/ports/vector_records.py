"""Vectors and records for the tests of the vector store."""

from typing import TYPE_CHECKING

import numpy

from backends.ports.values import Fields, FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

NAME = "things"
DIM = 16
"""Small, so that a suite is fast, and large enough for random vectors to be far apart."""
MODEL = "model@1/16"
FIELDS = (
    FieldSpec("colour", "str", sort=True),
    FieldSpec("rank", "int", sort=True),
    FieldSpec("score", "float"),
    FieldSpec("flag", "bool"),
    FieldSpec("tags", "strs"),
)
THINGS = CollectionSpec(NAME, DIM, MODEL, FIELDS)


def cloud(count: int, seed: int, dim: int = DIM) -> list["Vector"]:
    """Return `count` random vectors of various lengths; equal seeds make equal vectors."""
    rng = numpy.random.default_rng(seed)
    rows = rng.normal(size=(count, dim)) * rng.uniform(0.1, 10, size=(count, 1))
    return [numpy.asarray(row, dtype=numpy.float32) for row in rows]


def axis(number: int, dim: int = DIM) -> "Vector":
    """Return the unit vector along an axis."""
    vector = numpy.zeros(dim, dtype=numpy.float32)
    vector[number] = 1
    return vector


def record(
    name: str,
    vector: "Vector | None" = None,
    text: str = "",
    fields: Fields | None = None,
    /,
    *,
    rev: int = 1,
    **more: Value,
) -> VectorRecord:
    """Return a record with id `name`; its fields may be given as a mapping or by name."""
    everything = {**(fields or {}), **more}
    return VectorRecord(RecordId(name), axis(0) if vector is None else vector, text, Revision(rev), everything)


def cosine(one: "Vector", two: "Vector") -> float:
    """Return the cosine of two vectors, in double precision."""
    a, b = one.astype(numpy.float64), two.astype(numpy.float64)
    return float(a @ b / (numpy.linalg.norm(a) * numpy.linalg.norm(b)))


async def fill(vectors: Vectors, *records: VectorRecord) -> None:
    """Declare the collection and store the records."""
    await vectors.ensure(THINGS)
    await vectors.upsert(NAME, records)


async def names_stored(vectors: Vectors) -> list[str]:
    """Return the ids of all live records."""
    return [str(item.id) for item in (await vectors.scan(NAME)).items]
