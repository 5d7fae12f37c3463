"""What is used of lancedb and pyarrow, with types; no other module imports them."""

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
        """Return the elements of lists in a row."""
        ...

    def to_numpy(self, zero_copy_only: bool) -> "NDArray[numpy.float32]":  # noqa: FBT001 -- the driver's own form
        """Return the values as an array."""
        ...


class Column(Protocol):
    """A column of an answer."""

    def to_pylist(self) -> list[object]:
        """Return the values as Python's."""
        ...

    def combine_chunks(self) -> Array:
        """Return the values in one piece."""
        ...


class Field(Protocol):
    """A column's declaration."""

    @property
    def name(self) -> str:
        """The column's name."""
        ...

    @property
    def metadata(self) -> Mapping[bytes, bytes] | None:
        """What is noted about the column."""
        ...


class Schema(Protocol):
    """The columns of a table."""

    @property
    def metadata(self) -> Mapping[bytes, bytes] | None:
        """What is noted about the table."""
        ...

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        ...

    def field(self, name: str) -> Field:
        """Return a column's declaration."""
        ...


class Rows(Protocol):
    """An answer, or what is to be written: columns of equal length."""

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        ...

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
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


class Query(Protocol):
    """A question to a table, put together step by step; the filter applies before ranking."""

    def where(self, predicate: str) -> Self:
        """Keep to matching rows."""
        ...

    def select(self, columns: list[str]) -> Self:
        """Answer these columns."""
        ...

    def limit(self, limit: int) -> Self:
        """Answer this many rows."""
        ...

    def order_by(self, ordering: list[ColumnOrdering]) -> Self:
        """Order the rows."""
        ...

    async def to_arrow(self) -> Rows:
        """Ask."""
        ...


class VectorQuery(Query, Protocol):
    """A question for the nearest rows."""

    def distance_type(self, distance_type: str) -> Self:
        """Choose the distance."""
        ...

    def bypass_vector_index(self) -> Self:
        """Look at every row."""
        ...

    def minimum_nprobes(self, minimum_nprobes: int) -> Self:
        """Look into this many partitions at least."""
        ...

    def maximum_nprobes(self, maximum_nprobes: int) -> Self:
        """Look into this many partitions at most while too few rows match; 0 is all."""
        ...

    def refine_factor(self, refine_factor: int) -> Self:
        """Fetch this many times the limit and compute true distances."""
        ...


class OpenQuery(Query, Protocol):
    """A question that may still become a search."""

    def nearest_to(self, query_vector: "NDArray[numpy.float32]") -> VectorQuery:
        """Search by closeness."""
        ...

    def nearest_to_text(self, query: str, columns: list[str]) -> Query:
        """Search by words."""
        ...


class Merge(Protocol):
    """An upsert, put together step by step."""

    def when_matched_update_all(self, *, where: str | None = None) -> "Merge":
        """Replace a row with the same id, if the condition holds."""
        ...

    def when_not_matched_insert_all(self) -> "Merge":
        """Add a row whose id is new."""
        ...

    async def execute(self, new_data: Rows, on_bad_vectors: str) -> object:
        """Do it."""
        ...


class IndexConfig(Protocol):
    """An index that a table has."""

    name: str
    columns: list[str]
    index_type: str


class Table(Protocol):
    """An open table, as it was when it was last looked at or written through this."""

    async def checkout_latest(self) -> None:
        """Look which version is the latest, and read that from now on."""
        ...

    async def schema(self) -> Schema:
        """Return the columns."""
        ...

    async def count_rows(self, filter: str | None = None) -> int:
        """Count rows."""
        ...

    def query(self) -> OpenQuery:
        """Begin a question."""
        ...

    def merge_insert(self, on: str) -> Merge:
        """Begin an upsert."""
        ...

    async def add_columns(self, transforms: Schema) -> object:
        """Add empty columns."""
        ...

    async def update_field_metadata(self, update: Mapping[str, str | Mapping[str, str]], /) -> object:
        """Note something about a column."""
        ...

    async def create_index(self, column: str, *, replace: bool, config: Index) -> None:
        """Make an index."""
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
        """Return numbers about files."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Connection(Protocol):
    """An open folder or prefix of tables."""

    async def open_table(self, name: str) -> Table:
        """Open a table."""
        ...

    async def create_table(self, name: str, *, schema: Schema) -> Table:
        """Make a table."""
        ...

    async def drop_table(self, name: str, *, ignore_missing: bool) -> None:
        """Remove a table."""
        ...

    async def list_tables(self, *, limit: int) -> object:
        """Name some tables."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class _Lance(Protocol):
    __version__: str

    async def connect_async(self, uri: str, *, storage_options: Mapping[str, str]) -> Connection: ...


LANCE = cast("_Lance", lancedb)
ARROW = cast("_Arrow", pyarrow)
