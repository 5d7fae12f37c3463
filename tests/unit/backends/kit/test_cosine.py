"""Scores are cosines, whatever an engine computes."""

import numpy as np
import pytest

from backends.kit.cosine import check_length, cosines, is_unit, rows_of, top_hits
from backends.ports.errors import InvalidInput
from backends.ports.values import RecordId
from backends.ports.vectors import Hit, unit_vector

RNG = np.random.default_rng(1)
ONE, OTHER = (unit_vector(RNG.normal(size=8).astype(np.float32)) for _ in range(2))


def test_equal_vectors_tie_and_lengths_do_not_matter() -> None:
    rows = np.stack([ONE, ONE, OTHER])
    assert cosines(rows * 8, ONE * 4) == cosines(rows, ONE)
    assert cosines(rows, ONE)[:2] == [1.0, 1.0]


def test_scores_have_twelve_places() -> None:
    """The digits beyond them depend on the order in which products are added up."""
    rows = RNG.normal(size=(200, 384)).astype(np.float32)
    query = RNG.normal(size=384).astype(np.float32)
    scores = cosines(rows, query)
    assert scores == [round(score, 12) for score in scores]


def test_the_best_hits_come_first_and_ties_by_id() -> None:
    hits = [Hit(RecordId(name), score) for name, score in (("b", 0.5), ("c", 0.9), ("a", 0.5), ("d", 0.1))]
    assert [hit.id for hit in top_hits(hits, 3, None)] == ["c", "a", "b"]
    assert [hit.id for hit in top_hits(hits, 9, 0.5)] == ["c", "a", "b"]


def test_a_vector_of_another_length_is_refused() -> None:
    check_length(ONE, 8)
    with pytest.raises(InvalidInput, match="9 dimensions"):
        check_length(ONE, 9)
    with pytest.raises(InvalidInput):
        rows_of([ONE, OTHER[:7]], 8)
    assert rows_of([ONE, OTHER], 8).shape == (2, 8)
    assert rows_of([], 8).shape == (0, 8)


def test_only_unit_vectors_are_taken_for_stored_ones() -> None:
    assert is_unit(ONE)
    assert is_unit(ONE.astype(np.float16).astype(np.float32))
    assert not any(is_unit(bad) for bad in (ONE * 2, ONE * 0, np.full(8, np.nan, dtype=np.float32)))
