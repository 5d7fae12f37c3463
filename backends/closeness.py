"""Cosine, the same on every engine: unit vectors, and candidates scored again in double precision."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from backends.ports.errors import InvalidInput
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector


def unit(vector: "Vector", dim: int) -> "Vector":
    """Return the vector with unit norm. Raises `InvalidInput` for a wrong length, NaN, infinity or a zero vector."""
    import numpy as np

    wide = np.asarray(vector, dtype=np.float64)
    if wide.shape != (dim,):
        raise InvalidInput(f"a vector here has {dim} dimensions; this one has shape {wide.shape}")
    norm = float(np.linalg.norm(wide))
    if not np.isfinite(norm) or norm == 0:
        raise InvalidInput("a vector has finite values that are not all zero")
    return (wide / norm).astype(np.float32)


def cosines(rows: "NDArray[numpy.float32]", vector: "Vector") -> list[float]:
    """Return the cosine of `vector` with each row, in [-1, 1].

    Each depends on nothing but its two vectors, so that equal vectors tie.
    """
    import numpy as np

    query = vector.astype(np.float64)
    length = float(np.sqrt((query * query).sum()))
    block = rows.astype(np.float64)
    lengths = np.sqrt((block * block).sum(axis=1)) * length
    # Twelve places: what double precision can promise of a sum of products.
    scores: list[float] = ((block * query).sum(axis=1) / lengths).round(12).clip(-1.0, 1.0).tolist()
    return scores


def best(hits: Iterable[Hit], k: int, min_score: float | None) -> Sequence[Hit]:
    """Return the `k` best hits, ties by id, none below `min_score`."""
    ranked = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    return [hit for hit in ranked if min_score is None or hit.score >= min_score][:k]
