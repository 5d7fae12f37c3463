"""The vectors port: records with an embedding, a text and fields, searched by similarity or by words."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from backends.ports.errors import InvalidInput
from backends.ports.filters import Filter
from backends.ports.values import Fields, FieldSpec, Page, RecordId, Revision

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[numpy.float32]
    """`dim` finite float32 values, not all zero; it need not be normalised."""

MAX_HITS = 1_000
"""Hits come with their texts, and engines that scan sort all of them; a reply shows far fewer."""
MAX_DIM = 65_536
"""Far more than any model has, so that a longer row is refused as a mistake."""
NO_RECORD = RecordId("none")
"""The id of no record; getting it shows whether a collection is declared."""


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """The declaration of a collection: name, dimension, embedding model and at most 16 fields (none flagged text)."""

    name: str
    dim: int
    model: str
    """The embedder's full identity; a collection never mixes vectors of two models."""
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
        """The sha256 of the text, by which a stored vector can be reused instead of being computed."""
        return text_hash(self.text)


def text_hash(text: str) -> str:
    """Return the sha256 of `text` in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def unit_vector(vector: "Vector") -> "Vector":
    """Return the vector with unit norm, as float32.

    Raises `InvalidInput` unless it has one dimension of 1 to 65,536 finite values that are not all zero.
    """
    import numpy as np

    wide = np.asarray(vector, dtype=np.float64)
    if wide.ndim != 1 or not 1 <= len(wide) <= MAX_DIM:
        raise InvalidInput(f"a vector is a row of 1 to {MAX_DIM:,} numbers; this one has shape {wide.shape}")
    norm = float(np.linalg.norm(wide))
    if not np.isfinite(norm) or norm == 0:
        raise InvalidInput("a vector has finite values that are not all zero")
    return (wide / norm).astype(np.float32)


def unit_vectors(vectors: "Sequence[Vector]") -> "Sequence[Vector]":
    """Return vectors with unit norm, in their order. Raises `InvalidInput` as `unit_vector` does."""
    import numpy as np

    if len({vector.shape for vector in vectors}) == 1:
        wide = np.array(vectors, dtype=np.float64)
        if wide.ndim == 2 and 1 <= wide.shape[1] <= MAX_DIM:
            norms = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
            if np.isfinite(norms).all() and norms.all():
                return list((wide / norms).astype(np.float32))
    # Vectors of several lengths, or an invalid one, which is refused with its own message.
    return [unit_vector(vector) for vector in vectors]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found record; `score` is cosine in [-1, 1] from `dense`; from `keyword` only the order is meaningful."""

    id: RecordId
    score: float


class Vectors(Protocol):
    """Collections of vectors in one namespace.

    Every method that names a collection, except `ensure` and `drop`, raises `NotFound`, without ids, if the collection is
    unknown. Every method raises `InvalidInput` for a broken rule, `Unavailable` if the store does not answer and `Timeout`
    if it takes too long. Every later call of the same process sees what `upsert` and `delete` acknowledged.
    """

    @property
    def conditional_writes(self) -> bool:
        """Whether the engine itself rejects older revisions, as `Capabilities` says; if not, only one process may write."""
        ...

    async def ensure(self, spec: CollectionSpec) -> None:
        """Declare a collection; a declaration may be repeated, and may add fields.

        Raises `Unusable` if the collection holds another model's vectors, `Conflict` for a changed dimension or type.
        """
        ...

    async def upsert(self, name: str, records: Sequence[VectorRecord]) -> None:
        """Store records: each fully replaces what was stored under its id, unless the stored revision is not lower.

        If an id occurs twice, the last record wins, whatever its revision (unlike in a `GraphBatch`). Repeatable. Not
        atomic: after an error some records may be stored. An adapter gets each id once, with a vector of unit norm.
        Source: vectors:upsert.
        """
        ...

    async def delete(self, name: str, revisions: Mapping[RecordId, Revision]) -> None:
        """Delete records at a revision, leaving tombstones with id and revision, even for unknown ids."""
        ...

    async def drop(self, name: str) -> None:
        """Remove a collection, declaration included; repeatable."""
        ...

    async def get(self, name: str, ids: Collection[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Return the live records among `ids`; their vectors have unit norm."""
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

        The score is the true cosine, whatever the engine computes; `min_score` is inclusive. The filter is applied before
        ranking: k matches are returned if k exist. Recall@10 is at least 0.95. An adapter gets a vector of unit norm.
        Raises `InvalidInput` for a wrong length, NaN, infinity or a zero vector. Source: vectors:dense.
        """
        ...

    async def keyword(self, name: str, text: str, k: int, *, where: Filter | None = None) -> Sequence[Hit]:
        """Return up to `k` (1 to 1,000) records that share words with `text`, best first; `text` has no query syntax.

        The order is that of BM25 with the statistics of the collection, or near it: more and rarer words count more, each
        word of `text` once, and long texts less. A caller that needs the same hits of every engine ranks more of them again.
        Records of equal texts go by id, also where `k` cuts them off: a hundred at once, and any number after `maintain`.
        Text without a word finds nothing. Source: vectors:keyword.
        """
        ...

    async def maintain(self, name: str) -> None:
        """Merge, index and reclaim space. Answers stay the same."""
        ...

    async def get_meta(self, key: str) -> str | None:
        """Return a meta value kept with the store, None if there is none."""
        ...

    async def set_meta(self, key: str, value: str, *, if_absent: bool = False) -> str:
        """Store a meta value and return the one now in effect. With `if_absent` the first writer wins among all processes."""
        ...
