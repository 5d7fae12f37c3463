"""Cosine, the same on every engine: checks of length and norm, and exact scores in double precision."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from backends.ports.errors import InvalidInput
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

ROUNDING: Final = 1e-3
"""How far the norm of a stored unit vector may be from 1; the rounding of float16 stays below it."""


def check_length(vector: "Vector", dim: int) -> None:
    """Raise `InvalidInput` for a vector whose length differs from the collection's."""
    if vector.shape != (dim,):
        raise InvalidInput(f"a vector here has {dim} dimensions; this one has shape {vector.shape}")


def rows_of(vectors: "Sequence[Vector]", dim: int) -> "NDArray[numpy.float32]":
    """Return vectors as the rows of one array, of shape (n, dim), unscaled. Raises `InvalidInput` for a wrong length."""
    import numpy as np

    for vector in vectors:
        check_length(vector, dim)
    return np.array(vectors, dtype=np.float32).reshape(-1, dim)


def is_unit(vector: "Vector") -> bool:
    """Return whether a vector has unit norm up to rounding, as every stored vector has; damaged ones rarely do."""
    import numpy as np

    with np.errstate(all="ignore"):
        return bool(abs(np.linalg.norm(vector.astype(np.float64)) - 1) < ROUNDING)


def cosines(rows: "NDArray[numpy.float32]", vector: "Vector") -> list[float]:
    """Return the cosine of `vector` with each row, in [-1, 1], in the order of the rows; none needs unit norm.

    A score depends only on its two vectors, so equal vectors tie. `rows` has shape (n, dim).
    """
    import numpy as np

    query = vector.astype(np.float64)
    length = float(np.sqrt((query * query).sum()))
    block = rows.astype(np.float64)
    lengths = np.sqrt((block * block).sum(axis=1)) * length
    # Double precision guarantees about twelve places for a sum of products.
    scores: list[float] = ((block * query).sum(axis=1) / lengths).round(12).clip(-1.0, 1.0).tolist()
    return scores


def top_hits(hits: Iterable[Hit], k: int, min_score: float | None) -> Sequence[Hit]:
    """Return the `k` best hits, best first, ties by id, none below `min_score`."""
    ranked = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    return [hit for hit in ranked if min_score is None or hit.score >= min_score][:k]
