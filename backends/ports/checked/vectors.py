"""A wrapper around an engine's vectors that checks every argument and scales every vector to unit norm."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel

from backends.ports.checked.rules import (
    check_deletions,
    check_ids,
    check_meta,
    check_range,
    check_revision,
    check_where,
)
from backends.ports.errors import InvalidInput
from backends.ports.fields import check_field_specs
from backends.ports.filters import Filter
from backends.ports.ids import check_id, check_name
from backends.ports.text import check_text
from backends.ports.values import MAX_PAGE, Page, RecordId, Revision
from backends.ports.vectors import (
    MAX_DIM,
    MAX_HITS,
    CollectionSpec,
    Hit,
    VectorRecord,
    Vectors,
    unit_vector,
    unit_vectors,
)

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

SCALED_AT_ONCE: Final = 1_000
"""How many vectors are scaled before other tasks may run: about 2 ms at 384 dimensions."""


class CheckedVectors:
    """Vectors whose engine gets only valid arguments. Raises `InvalidInput` for others, and what the engine raises.

    The engine gets float32 vectors of unit norm. If a record occurs twice in an upsert, it gets the last one.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine itself refuses older revisions."""
        return self._vectors.conditional_writes

    async def ensure(self, spec: CollectionSpec) -> None:
        """Check name, dimension, model and fields."""
        _check_collection(spec)
        await self._vectors.ensure(spec)

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Check ids, revisions, texts and vectors; the adapter checks fields and the vectors' length."""
        _check_name(name)
        await self._vectors.upsert(name, await _scaled(_last_of_each(records)))

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Check ids and revisions."""
        _check_name(name)
        check_deletions(revisions)
        await self._vectors.delete(name, revisions)

    async def drop(self, name: str) -> None:
        """Check the name."""
        _check_name(name)
        await self._vectors.drop(name)

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Check the ids."""
        _check_name(name)
        check_ids(ids, what="a record id")
        return await self._vectors.get(name, ids)

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Check the ids."""
        _check_name(name)
        check_ids(ids, what="a record id")
        return await self._vectors.revisions(name, ids)

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """Check filter and limit."""
        _check_name(name)
        check_where(where)
        check_range("limit", limit, MAX_PAGE)
        return await self._vectors.scan(name, where, after=after, limit=limit)

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Check the filter."""
        _check_name(name)
        check_where(where)
        return await self._vectors.count(name, where)

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Check vector, k, filter and minimum score; the adapter checks the vector's length."""
        _check_name(name)
        check_range("k", k, MAX_HITS)
        _check_min_score(min_score)
        check_where(where)
        return await self._vectors.dense(name, unit_vector(vector), k, where=where, min_score=min_score)

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Check text, k and filter."""
        _check_name(name)
        check_range("k", k, MAX_HITS)
        check_text(text, what="a text to search for")
        check_where(where)
        return await self._vectors.keyword(name, text, k, where=where)

    async def maintain(self, name: str) -> None:
        """Check the name."""
        _check_name(name)
        await self._vectors.maintain(name)

    async def get_meta(self, key: str) -> str | None:
        """Check the key."""
        check_id(key, what="a meta key")
        return await self._vectors.get_meta(key)

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Check key and text."""
        check_meta(key, value)
        return await self._vectors.set_meta(key, value, if_absent=if_absent)


def _check_collection(spec: CollectionSpec) -> None:
    """Refuse an invalid name, dimension, model or field, and fields flagged text."""
    check_name(spec.name, what="a collection's name")
    if not 1 <= spec.dim <= MAX_DIM:
        raise InvalidInput(f"a vector has 1 to {MAX_DIM:,} dimensions: {spec.dim}")
    check_id(spec.model, what="the identity of a collection's model")
    if any(field.text for field in spec.fields):
        raise InvalidInput("fields of a collection cannot be flagged text; its text is searched by words")
    check_field_specs(spec.fields, owner=f"collection {spec.name!r}")


def _check_min_score(value: float | None) -> None:
    """Refuse NaN and infinity as a minimum score."""
    if value is not None and not math.isfinite(value):
        raise InvalidInput(f"min_score is a number: {value}")


def _check_name(name: str) -> None:
    check_name(name, what="a collection's name")


def _last_of_each(records: Sequence[VectorRecord]) -> list[VectorRecord]:
    last: dict[str, VectorRecord] = {}
    for record in records:
        check_id(record.id, what="a record id")
        check_revision(record.rev)
        check_text(record.text, what="a record's text")
        last[record.id] = record
    return list(last.values())


async def _scaled(records: Sequence[VectorRecord]) -> list[VectorRecord]:
    scaled: list[VectorRecord] = []
    for start in range(0, len(records), SCALED_AT_ONCE):
        if start:
            await anyio.lowlevel.checkpoint()
        some = records[start : start + SCALED_AT_ONCE]
        vectors = unit_vectors([record.vector for record in some])
        scaled += [
            VectorRecord(record.id, vector, record.text, record.rev, record.fields)
            for record, vector in zip(some, vectors, strict=True)
        ]
    return scaled
