"""How a record is laid out in Chroma: the whole of it as one text, keys to filter by beside it, its shadow as document."""

import binascii
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import orjson

from backends.chroma.driver import Metadata, MetadataValue, Rows
from backends.chroma.filters import NO_ELEMENT, Compiled, element, flag_of, key_of
from backends.ports.text import MAX_INDEXED_BYTES, shadow
from backends.ports.values import Fields, FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import VectorRecord
from backends.widening import holds

if TYPE_CHECKING:
    from backends.chroma.driver import Floats

REV: Final = "rev"
BODY: Final = "body"
"""Text and fields as JSON: what comes back is what was stored, although the engine folds -0.0 and orders no keys."""


def metadata_of(record: VectorRecord, kept: Fields, specs: Mapping[str, FieldSpec]) -> Metadata:
    """Return what is stored with a record; it names every declared field, so that nothing of an older state stays."""
    metadata: dict[str, MetadataValue] = {REV: record.rev, BODY: orjson.dumps([record.text, kept]).decode()}
    for name, spec in specs.items():
        value = kept.get(name)
        metadata[flag_of(name)] = None if value is None else True
        metadata[key_of(name)] = _elements(value) if spec.type == "strs" else _scalar(value)
    return metadata


def document_of(text: str) -> str:
    """Return what is searched for words; nothing of a text that is too long for it."""
    return shadow(text) if len(text.encode()) <= MAX_INDEXED_BYTES else ""


def text_and_fields(metadata: Metadata) -> tuple[str, Fields]:
    """Return a stored record's text and fields."""
    parts: tuple[str, dict[str, str | int | float | bool | list[str]]] = orjson.loads(cast("str", metadata[BODY]))
    text, fields = parts
    return text, {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def matches(metadata: Metadata, found: Compiled) -> bool:
    """Say whether a record that the engine found matches the whole filter, of which it may have been asked a part."""
    return found.exact or found.wanted is None or holds(found.wanted, text_and_fields(metadata)[1])


def revision_of(metadata: Metadata) -> Revision:
    """Return a stored record's revision, or a tombstone's."""
    return Revision(cast("int", metadata[REV]))


def records_of(rows: Rows) -> list[VectorRecord]:
    """Return the records of rows that have everything."""
    vectors = rows.matrix()
    records: list[VectorRecord] = []
    for number, (key, metadata) in enumerate(zip(rows.ids, rows.metadatas, strict=True)):
        text, fields = text_and_fields(metadata)
        records.append(VectorRecord(RecordId(key), vectors[number], text, revision_of(metadata), fields))
    return records


def places(keys: Sequence[str]) -> "Floats":
    """Return a vector for each key, for rows that are never searched: the engine wants one, and equal ones slow it down."""
    import numpy as np

    return np.array([[binascii.crc32(key.encode()) / 2**32] for key in keys], dtype=np.float32)


def _scalar(value: Value | None) -> MetadataValue:
    return None if isinstance(value, tuple) else value


def _elements(value: Value | None) -> list[str]:
    elements = value if isinstance(value, tuple) else ()
    return [element(text) for text in dict.fromkeys(elements)] or [NO_ELEMENT]
