"""The vectors port: records with an embedding, a text and fields, searched by closeness or by words."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from backends.ports.filters import Filter
from backends.ports.values import Fields, FieldSpec, Page, RecordId, Revision

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[numpy.float32]
    """`dim` finite float32 values, not all zero; it need not be normalised."""

MAX_HITS = 1_000


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """The declaration of a collection: name, dimension, embedding model and at most 16 fields (none flagged text)."""

    name: str
    dim: int
    model: str
    """The embedder's whole identity; vectors of two models never meet in one collection."""
    fields: tuple[FieldSpec, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class VectorRecord:
    """A record: its vector, the text that was embedded and is searched by words, and fields to filter by."""

    id: RecordId
    vector: "Vector"
    text: str
    rev: Revision
    fields: Fields = field(default_factory=dict[str, bool])

    @property
    def text_hash(self) -> str:
        """The sha256 of the text, by which a vector can be taken over instead of being computed again."""
        return text_hash(self.text)


def text_hash(text: str) -> str:
    """Return the sha256 of `text` in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found: cosine in [-1, 1] from `dense`; from `keyword` only the rank means anything."""

    id: RecordId
    score: float


class Vectors(Protocol):
    """Collections of vectors in one namespace.

    Every method but `ensure` and `drop` raises `NotFound`, naming no ids, for an unknown collection; all raise
    `InvalidInput` for a broken rule, `Unavailable` when the store does not answer and `Timeout` when it takes too long.
    What `upsert` and `delete` acknowledged, every later call of the same process sees.
    """

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine itself refuses older revisions, as `Capabilities` say; where not, only one process writes."""
        ...

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection; repeating a declaration or adding fields is fine.

        Raises `Unusable` when the collection holds another model's vectors, `Conflict` for a changed dimension or type.
        """
        ...

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records, each replacing its id fully; of doubles the last counts; stored revisions that are not lower stay.

        Repeatable. Not atomic: after an error some records may be stored. Source: vectors:upsert.
        """
        ...

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Delete records at a revision, leaving id and revision behind; unknown ids are noted too."""
        ...

    async def delete_where(self, name: str, where: Filter) -> None:
        """Remove matching records at the revision they have."""
        ...

    async def drop(self, name: str) -> None:
        """Remove a collection, declaration included; repeatable."""
        ...

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Return the live records among `ids`; vectors come back with unit norm."""
        ...

    async def revisions(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, Revision]:
        """Return the stored revision of each known id, deleted ones included."""
        ...

    async def scan(
        self, name: str, where: Filter | None = None, *, after: str | None = None, limit: int = 1_000
    ) -> Page[VectorRecord]:
        """Return live records by id ascending; `limit` is 1 to 1,000."""
        ...

    async def count(self, name: str, where: Filter | None = None) -> int:
        """Count live records that match."""
        ...

    async def dense(
        self, name: str, vector: "Vector", k: int, *, where: Filter | None = None, min_score: float | None = None
    ) -> Sequence[Hit]:
        """Return the `k` (1 to 1,000) records nearest to `vector` among those that match, best first, ties by id.

        The score is true cosine whatever the engine computes; `min_score` is inclusive. The filter is
        applied before ranking: k matches are returned where k exist. Recall@10 is at least 0.95.
        Raises `InvalidInput` for a wrong length, NaN, infinity or a zero vector. Source: vectors:dense.
        """
        ...

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Return up to `k` (1 to 1,000) records that share words with `text`, best first; `text` has no query syntax.

        Text without a word finds nothing. Source: vectors:keyword.
        """
        ...

    async def maintain(self, name: str) -> None:
        """Tidy up what piled up: merge, index, reclaim. Answers stay the same."""
        ...

    async def get_meta(self, key: str) -> str | None:
        """Return a note kept with the store."""
        ...

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Keep a note; return the value that holds now. With `if_absent` the first writer wins among all processes."""
        ...
