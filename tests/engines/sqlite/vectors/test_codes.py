"""Codes of vectors leave out only rows that cannot be among the nearest."""

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.engines.sqlite.vectors.codes import CODED_ROWS, SHORT, CodedVectors

DIM = 48
ROWS = 2 * CODED_ROWS


def clustered(rng: np.random.Generator) -> NDArray[np.float32]:
    """Return unit vectors around some centres, a few of them equal."""
    centres = rng.normal(size=(50, DIM))
    vectors = centres[rng.integers(0, 50, ROWS)] + 0.3 * rng.normal(size=(ROWS, DIM))
    vectors[1_000:1_010] = vectors[0]
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def coded(vectors: NDArray[np.float32]) -> CodedVectors:
    made = CodedVectors.of(vectors)
    made.encode(0, len(vectors))
    return made


@pytest.mark.parametrize("share", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("wanted", [1, 10, 700])
def test_the_nearest_rows_are_among_those_returned(share: float, wanted: int) -> None:
    rng = np.random.default_rng(7)
    vectors = clustered(rng)
    made = coded(vectors)
    for _ in range(10):
        among = rng.random(ROWS) < share
        query = clustered(rng)[0] if rng.random() < 0.5 else vectors[rng.integers(ROWS)]
        rows, scores = made.nearest(among, query, wanted)
        exact = vectors.astype(np.float64) @ query.astype(np.float64)
        best = sorted(np.flatnonzero(among).tolist(), key=lambda row: -exact[row])[:wanted]
        assert {*best} <= {*rows.tolist()}
        assert among[rows].all()
        assert np.allclose(scores, exact[rows], atol=1e-6)


def test_few_rows_are_compared_exactly() -> None:
    vectors = clustered(np.random.default_rng(7))
    rows, _ = coded(vectors).nearest(np.ones(ROWS, dtype=np.bool_), vectors[3], 10)
    assert len(rows) < ROWS // SHORT


def test_equal_vectors_are_all_returned() -> None:
    vectors = clustered(np.random.default_rng(7))
    rows, _ = coded(vectors).nearest(np.ones(ROWS, dtype=np.bool_), vectors[0], 3)
    assert {0, *range(1_000, 1_010)} <= {*rows.tolist()}


@pytest.mark.parametrize("damage", [np.nan, np.inf, 1e30, 0.0])
def test_a_damaged_vector_hides_no_other(damage: float) -> None:
    vectors = clustered(np.random.default_rng(7))
    made_of = vectors.copy()
    made_of[17] = damage
    rows, _ = coded(made_of).nearest(np.ones(ROWS, dtype=np.bool_), vectors[5], 10)
    exact = vectors.astype(np.float64) @ vectors[5].astype(np.float64)
    exact[17] = -1
    assert {*np.argsort(-exact)[:10].tolist()} <= {*rows.tolist()}
    assert damage in {0, 1e30} or 17 not in rows


def test_rows_keep_their_codes_when_they_move() -> None:
    vectors = clustered(np.random.default_rng(7))
    kept = np.arange(1, ROWS, 2)
    made = coded(vectors).moved(kept, ROWS)
    again = coded(vectors[kept])
    for name in ("matrix", "codes", "scales", "errors"):
        assert np.array_equal(getattr(made.first(len(kept)), name), getattr(again, name))
