"""The layout of a collection's table: its columns, and the declaration in the table's metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import orjson

from backends.engines.lancedb.driver import ARROW, FTS, Bitmap, BTree, Field, Index, LabelList, Schema, Type
from backends.engines.lancedb.filters import column
from backends.ports.errors import Unusable
from backends.ports.values import FieldSpec, FieldType
from backends.ports.vectors import CollectionSpec

FORMAT: Final = 1
METADATA_KEY: Final = "entrepot"
OWN_COLUMNS: Final = ("id", "rev", "dead", "vector", "text", "words")
# The engine uses this key to insert a new id only once, even with several processes writing.
PRIMARY_KEY: Final = {"lance-schema:unenforced-primary-key:position": "1"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The declaration of a table."""

    dim: int
    model: str
    specs: Mapping[str, FieldSpec]

    @property
    def record_columns(self) -> list[str]:
        """The columns that make up a record, and the one that marks a tombstone."""
        return ["id", "rev", "dead", "vector", "text", *(column(name) for name in self.specs)]


def schema_of(spec: CollectionSpec) -> Schema:
    """Return the columns of a new collection."""
    vector = ARROW.list_(ARROW.float32(), spec.dim)
    own = [
        ARROW.field("id", ARROW.utf8(), nullable=False, metadata=PRIMARY_KEY),
        ARROW.field("rev", ARROW.int64(), nullable=False),
        ARROW.field("dead", ARROW.bool_(), nullable=False),
        ARROW.field("vector", vector),
        ARROW.field("text", ARROW.utf8(), nullable=False),
        ARROW.field("words", ARROW.utf8()),
    ]
    about = orjson.dumps({"format": FORMAT, "dim": spec.dim, "model": spec.model}).decode()
    return ARROW.schema([*own, *(field_of(field) for field in spec.fields)], metadata={METADATA_KEY: about})


def field_of(spec: FieldSpec) -> Field:
    """Return the column of a declared field."""
    return ARROW.field(column(spec.name), type_of(spec), metadata=metadata_of(spec))


def metadata_of(spec: FieldSpec) -> dict[str, str]:
    """Return the column metadata of a declared field."""
    return {METADATA_KEY: f"{spec.type} sort" if spec.sort else spec.type}


def type_of(spec: FieldSpec) -> Type:
    """Return the type of a declared field's values."""
    match spec.type:
        case "str":
            return ARROW.utf8()
        case "int":
            return ARROW.int64()
        case "float":
            return ARROW.float64()
        case "bool":
            return ARROW.bool_()
        case "strs":
            return ARROW.list_(ARROW.utf8())


def layout_of(schema: Schema, *, location: str) -> Layout:
    """Return the declaration in a table's schema. Raises `Unusable` for a table of another program or a newer version."""
    note = (schema.metadata or {}).get(METADATA_KEY.encode())
    if note is None:
        raise Unusable(f"{location} is a table of another program; choose another uri or space")
    about = cast("dict[str, str | int]", orjson.loads(note))
    if int(about["format"]) > FORMAT:
        raise Unusable(f"{location} was written by a newer version of Entrepot; upgrade Entrepot")
    specs = [_spec_of(schema.field(name)) for name in schema.names if name not in OWN_COLUMNS]
    return Layout(int(about["dim"]), str(about["model"]), {spec.name: spec for spec in specs})


def _spec_of(field: Field) -> FieldSpec:
    kind, _, sort = (field.metadata or {})[METADATA_KEY.encode()].decode().partition(" ")
    return FieldSpec(field.name.removeprefix("f_"), cast("FieldType", kind), sort=sort == "sort")


def indexes_of(layout: Layout) -> Mapping[str, Index]:
    """Return the index that each column should have."""
    plain_words = FTS(
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=None,
    )
    fields = {column(name): _index_of(spec) for name, spec in layout.specs.items()}
    return {"id": BTree(), "words": plain_words, **fields}


def _index_of(spec: FieldSpec) -> Index:
    if spec.type == "strs":
        return LabelList()
    return BTree() if spec.sort or spec.type == "float" else Bitmap()
