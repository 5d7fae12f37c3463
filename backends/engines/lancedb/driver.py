"""The typed part of lancedb and pyarrow that the adapter uses. No other module imports them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, cast

import lancedb
import pyarrow
from lancedb.index import FTS, Bitmap, BTree, IvfSq, LabelList
from lancedb.query import ColumnOrdering

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["ARROW", "FTS", "LANCE", "BTree", "Bitmap", "ColumnOrdering", "IvfSq", "LabelList"]

Index: TypeAlias = FTS | BTree | Bitmap | LabelList | IvfSq


class Type(Protocol):
    """The type of a column's values."""


class Array(Protocol):
    """The values of a column."""

    def flatten(self) -> "Array":
        """Return the elements of all lists as one array."""
        ...

    def to_numpy(self, zero_copy_only: bool) -> "NDArray[numpy.float32]":  # noqa: FBT001 -- the driver's signature
        """Return the values as an array."""
        ...


class Column(Protocol):
    """A column of a result."""

    def to_pylist(self) -> list[object]:
        """Return the values as Python objects."""
        ...

    def combine_chunks(self) -> Array:
        """Return the values as one array."""
        ...


class Field(Protocol):
    """A column's declaration."""

    @property
    def name(self) -> str:
        """The column's name."""
        ...

    @property
    def metadata(self) -> Mapping[bytes, bytes] | None:
        """The column's metadata."""
        ...


class Schema(Protocol):
    """The columns of a table."""

    @property
    def metadata(self) -> Mapping[bytes, bytes] | None:
        """The table's metadata."""
        ...

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        ...

    def field(self, name: str) -> Field:
        """Return a column's declaration."""
        ...


class Rows(Protocol):
    """A result, or rows to be written: columns of equal length."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        ...

    def column(self, name: str) -> Column:
        """Return a column."""
        ...


class _Tables(Protocol):
    def from_arrays(self, arrays: Sequence[Array], *, schema: Schema) -> Rows: ...


class _Lists(Protocol):
    def from_arrays(self, values: Array, size: int) -> Array: ...


class _Arrow(Protocol):
    Table: _Tables
    FixedSizeListArray: _Lists

    def utf8(self) -> Type: ...
    def int64(self) -> Type: ...
    def float64(self) -> Type: ...
    def float32(self) -> Type: ...
    def bool_(self) -> Type: ...
    def list_(self, value_type: Type, size: int = -1) -> Type: ...
    def array(self, values: "Sequence[object] | NDArray[numpy.float32]", type: Type) -> Array: ...
    def concat_tables(self, tables: Sequence[Rows]) -> Rows: ...
    def nulls(self, size: int, type: Type) -> Array: ...
    def field(
        self,
        name: str,
        type: Type,
        *,
        nullable: bool = True,
        metadata: Mapping[str, str] | None = None,
    ) -> Field: ...
    def schema(self, fields: Sequence[Field], metadata: Mapping[str, str] | None = None) -> Schema: ...


class QueryBuilder(Protocol):
    """A query, built step by step. The filter applies before ranking."""

    def where(self, predicate: str) -> Self:
        """Keep only matching rows."""
        ...

    def select(self, columns: list[str]) -> Self:
        """Return these columns."""
        ...

    def limit(self, limit: int) -> Self:
        """Return at most this many rows."""
        ...

    def order_by(self, ordering: list[ColumnOrdering]) -> Self:
        """Order the rows."""
        ...

    async def to_arrow(self) -> Rows:
        """Run the query."""
        ...


class VectorQuery(QueryBuilder, Protocol):
    """A query for the nearest rows."""

    def distance_type(self, distance_type: str) -> Self:
        """Choose the distance metric."""
        ...

    def bypass_vector_index(self) -> Self:
        """Compare with every row."""
        ...

    def minimum_nprobes(self, minimum_nprobes: int) -> Self:
        """Search at least this many partitions."""
        ...

    def maximum_nprobes(self, maximum_nprobes: int) -> Self:
        """Search at most this many partitions while too few rows match; 0 means all."""
        ...

    def refine_factor(self, refine_factor: int) -> Self:
        """Fetch this many times the limit and compute exact distances."""
        ...


class OpenQuery(QueryBuilder, Protocol):
    """A query that may become a search."""

    def nearest_to(self, query_vector: "NDArray[numpy.float32]") -> VectorQuery:
        """Search by vector distance."""
        ...

    def nearest_to_text(self, query: str, columns: list[str]) -> QueryBuilder:
        """Search by words."""
        ...


class UpsertBuilder(Protocol):
    """An upsert, built step by step."""

    def when_matched_update_all(self, *, where: str | None = None) -> "UpsertBuilder":
        """Replace a row with the same id where the condition holds."""
        ...

    def when_not_matched_insert_all(self) -> "UpsertBuilder":
        """Insert rows with new ids."""
        ...

    async def execute(self, new_data: Rows, on_bad_vectors: str) -> object:
        """Run the upsert."""
        ...


class IndexConfig(Protocol):
    """An index of a table."""

    name: str
    columns: list[str]
    index_type: str


class Table(Protocol):
    """An open table at the version it was last refreshed to or written by this handle."""

    async def checkout_latest(self) -> None:
        """Move to the latest version."""
        ...

    async def version(self) -> int:
        """Return the number of the version."""
        ...

    async def checkout(self, version: int) -> None:
        """Move to an earlier version, for reading."""
        ...

    async def schema(self) -> Schema:
        """Return the columns."""
        ...

    async def count_rows(self, filter: str | None = None) -> int:
        """Count rows."""
        ...

    def query(self) -> OpenQuery:
        """Return a new query."""
        ...

    def merge_insert(self, on: str) -> UpsertBuilder:
        """Return a new upsert."""
        ...

    async def add_columns(self, transforms: Schema) -> object:
        """Add empty columns."""
        ...

    async def update_field_metadata(self, update: Mapping[str, str | Mapping[str, str]], /) -> object:
        """Set metadata of a column."""
        ...

    async def create_index(self, column: str, *, replace: bool, config: Index) -> None:
        """Create an index."""
        ...

    async def drop_index(self, name: str) -> None:
        """Remove an index."""
        ...

    async def list_indices(self) -> Iterable[IndexConfig]:
        """Return the indexes."""
        ...

    async def optimize(self, *, cleanup_older_than: timedelta) -> object:
        """Merge small files, extend indexes, remove old versions."""
        ...

    async def stats(self) -> Mapping[str, Mapping[str, int]]:
        """Return statistics of the table's files."""
        ...

    def close(self) -> None:
        """Release the table."""
        ...


class Connection(Protocol):
    """An open folder or prefix of tables."""

    async def open_table(self, name: str) -> Table:
        """Open a table."""
        ...

    async def create_table(self, name: str, *, schema: Schema) -> Table:
        """Create a table."""
        ...

    async def drop_table(self, name: str, *, ignore_missing: bool) -> None:
        """Remove a table."""
        ...

    async def list_tables(self, *, limit: int) -> object:
        """Return the names of some tables."""
        ...

    def close(self) -> None:
        """Release the connection."""
        ...


class _Lance(Protocol):
    __version__: str

    async def connect_async(self, uri: str, *, storage_options: Mapping[str, str]) -> Connection: ...


LANCE = cast("_Lance", lancedb)
ARROW = cast("_Arrow", pyarrow)
