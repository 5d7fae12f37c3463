"""The layout of a record: its content as one JSON text, keys for filters, and its shadow as the document."""

import binascii
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import orjson

from backends.engines.chroma.driver import Metadata, MetadataValue, Rows
from backends.engines.chroma.filters import NO_ELEMENT, CompiledFilter, element, flag_of, key_of
from backends.kit.filter_evaluation import matches as holds
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import VectorRecord

if TYPE_CHECKING:
    from backends.engines.chroma.driver import Floats

REV: Final = "rev"
BODY: Final = "body"
"""Text and fields as JSON, read back unchanged. The engine itself turns -0.0 into 0.0 and reorders keys."""


def metadata_of(record: VectorRecord, kept: Fields, specs: Mapping[str, FieldSpec]) -> Metadata:
    """Return a record's metadata. It names every declared field, so that no old value stays."""
    metadata: dict[str, MetadataValue] = {REV: record.rev, BODY: orjson.dumps([record.text, kept]).decode()}
    for name, spec in specs.items():
        value = kept.get(name)
        metadata[flag_of(name)] = None if value is None else True
        metadata[key_of(name)] = _elements(value) if spec.type == "strs" else _scalar(value)
    return metadata


def document_of(text: str) -> str:
    """Return the text in which words are searched, empty for a text that is too long."""
    return shadow(text) if len(text.encode()) <= MAX_INDEXED_BYTES else ""


def text_and_fields(metadata: Metadata) -> tuple[str, Fields]:
    """Return a stored record's text and fields."""
    parts: tuple[str, dict[str, str | int | float | bool | list[str]]] = orjson.loads(cast("str", metadata[BODY]))
    text, fields = parts
    return text, {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def matches(metadata: Metadata, found: CompiledFilter) -> bool:
    """Return whether a record found by the engine matches the whole filter."""
    return found.exact or found.wanted is None or holds(found.wanted, text_and_fields(metadata)[1])


def revision_of(metadata: Metadata) -> Revision:
    """Return the revision of a stored record or tombstone."""
    return Revision(cast("int", metadata[REV]))


def records_of(rows: Rows) -> list[VectorRecord]:
    """Return the records of rows with all parts."""
    vectors = rows.matrix()
    records: list[VectorRecord] = []
    for number, (key, metadata) in enumerate(zip(rows.ids, rows.metadatas, strict=True)):
        text, fields = text_and_fields(metadata)
        records.append(VectorRecord(RecordId(key), vectors[number], text, revision_of(metadata), fields))
    return records


def placeholder_vectors(keys: Sequence[str]) -> "Floats":
    """Return a distinct vector per key for rows that are never searched. The engine requires one; equal ones are slow."""
    import numpy as np

    return np.array([[binascii.crc32(key.encode()) / 2**32] for key in keys], dtype=np.float32)


def _scalar(value: Value | None) -> MetadataValue:
    return None if isinstance(value, tuple) else value


def _elements(value: Value | None) -> list[str]:
    elements = value if isinstance(value, tuple) else ()
    return [element(text) for text in dict.fromkeys(elements)] or [NO_ELEMENT]
