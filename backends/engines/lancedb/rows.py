"""Conversion between records and table rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from backends.engines.lancedb.driver import ARROW, Array, Rows
from backends.engines.lancedb.filters import column
from backends.engines.lancedb.layout import Layout, schema_of, type_of
from backends.engines.lancedb.words import indexed_words
from backends.kit.cosine import rows_of
from backends.kit.declarations import storable_fields
from backends.ports.values import FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, VectorRecord

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def live_rows(records: Sequence[VectorRecord], layout: Layout) -> Rows:
    """Return records as rows. Raises `InvalidInput` for a vector or a field that does not fit the declaration."""
    kept = [storable_fields(record.fields, layout.specs, owner="the collection") for record in records]
    vectors_of = rows_of([record.vector for record in records], layout.dim).reshape(-1)
    vectors = ARROW.FixedSizeListArray.from_arrays(ARROW.array(vectors_of, ARROW.float32()), layout.dim)
    texts = [record.text for record in records]
    return _table(
        layout,
        {record.id: int(record.rev) for record in records},
        [vectors, _texts(texts), _texts([indexed_words(text) for text in texts])],
        kept,
        dead=False,
    )


def dead_rows(revisions: Mapping[str, int], layout: Layout) -> Rows:
    """Return tombstones as rows."""
    count = len(revisions)
    vectors = ARROW.nulls(count, ARROW.list_(ARROW.float32(), layout.dim))
    nothing: list[Mapping[str, Value]] = [{}] * count
    return _table(layout, revisions, [vectors, _texts([""] * count), _texts([None] * count)], nothing, dead=True)


def _table(
    layout: Layout,
    revisions: Mapping[str, int],
    content: Sequence[Array],
    fields: Sequence[Mapping[str, Value]],
    *,
    dead: bool,
) -> Rows:
    """Return rows with every column; for a missing column an upsert would keep the old value."""
    arrays = [
        _texts([*revisions]),
        ARROW.array([*revisions.values()], ARROW.int64()),
        ARROW.array([dead] * len(revisions), ARROW.bool_()),
        *content,
        *(_values([kept.get(name) for kept in fields], spec) for name, spec in layout.specs.items()),
    ]
    spec = CollectionSpec("", layout.dim, layout.model, tuple(layout.specs.values()))
    return ARROW.Table.from_arrays(arrays, schema=schema_of(spec))


def _texts(texts: Sequence[str | None]) -> Array:
    return ARROW.array(texts, ARROW.utf8())


def _values(values: Sequence[Value | None], spec: FieldSpec) -> Array:
    if spec.type == "float":
        # The engine distinguishes -0.0 from 0.0; adding zero makes them equal.
        values = [value + 0.0 if isinstance(value, float) else value for value in values]
    return ARROW.array(values, type_of(spec))


def records(rows: Rows, layout: Layout) -> Iterator[VectorRecord]:
    """Yield the live records of rows with `layout.record_columns`."""
    # Tombstones have no vector, so the vectors of the live rows are contiguous.
    live = [number for number, dead in enumerate(rows.column("dead").to_pylist()) if not dead]
    vectors = matrix(rows, layout.dim)
    ids, revs, written = texts(rows, "id"), numbers(rows, "rev"), texts(rows, "text")
    fields = {name: rows.column(column(name)).to_pylist() for name in layout.specs}
    for row, number in enumerate(live):
        values = {name: _value(found[number]) for name, found in fields.items() if found[number] is not None}
        yield VectorRecord(RecordId(ids[number]), vectors[row], written[number], Revision(revs[number]), values)


def _value(found: object) -> Value:
    return tuple(cast("list[str]", found)) if isinstance(found, list) else cast("Value", found)


def texts(rows: Rows, name: str) -> list[str]:
    """Return a column of texts without nulls."""
    return cast("list[str]", rows.column(name).to_pylist())


def numbers(rows: Rows, name: str) -> list[int]:
    """Return a column of integers without nulls."""
    return cast("list[int]", rows.column(name).to_pylist())


def floats(rows: Rows, name: str) -> list[float]:
    """Return a column of floats without nulls."""
    return cast("list[float]", rows.column(name).to_pylist())


def matrix(rows: Rows, dim: int) -> "NDArray[numpy.float32]":
    """Return the vectors of the rows that have one."""
    return rows.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, dim)
