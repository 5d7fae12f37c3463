"""Cosine, the same on every engine: unit vectors, and candidates scored again in double precision."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from backends.ports.errors import InvalidInput
from backends.ports.vectors import Hit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

ROUNDING = 1e-3


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


def units(vectors: "Sequence[Vector]", dim: int) -> "NDArray[numpy.float32]":
    """Return vectors with unit norm, as rows. Raises `InvalidInput` as `unit` does."""
    import numpy as np

    if any(vector.shape != (dim,) for vector in vectors):
        return np.stack([unit(vector, dim) for vector in vectors])
    wide = np.array(vectors, dtype=np.float64).reshape(-1, dim)
    norms = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    if not np.isfinite(norms).all() or not norms.all():
        return np.stack([unit(vector, dim) for vector in vectors])
    return (wide / norms).astype(np.float32)


def is_unit(vector: "Vector") -> bool:
    """Say whether a stored vector can be what was stored, which has unit norm but for rounding."""
    import numpy as np

    with np.errstate(all="ignore"):
        return bool(abs(np.linalg.norm(vector.astype(np.float64)) - 1) < ROUNDING)


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
