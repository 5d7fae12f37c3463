"""Weights, scales and the cut, without stores."""

import pytest

from toolsets.concept_rag.search.scores import (
    CANDIDATES,
    CATALOG_WEIGHTS,
    CHUNK_WEIGHTS,
    CLEAR,
    CONCEPT_WEIGHTS,
    EVIDENT,
    GAP,
    LEAST_BEST,
    STRETCHED,
    WORDED,
    Ranked,
    Weights,
    decimal,
    evidence,
    is_clear,
    leading,
    meaningful,
    rank,
    scaled,
)


def ranking(*scores: float) -> list[Ranked[int]]:
    return [Ranked(place, score, {}) for place, score in enumerate(scores)]


def kept(*scores: float) -> int:
    return len(leading(ranking(*scores)))


@pytest.mark.parametrize(
    ("weights", "documented"),
    [
        (CATALOG_WEIGHTS, {"vector": 30, "bm25": 25, "title": 20, "concept": 15, "wordnet": 10}),
        (CHUNK_WEIGHTS, {"vector": 35, "bm25": 30, "concept": 20, "wordnet": 15}),
        (CONCEPT_WEIGHTS, {"vector": 30, "bm25": 20, "name": 40, "wordnet": 10}),
    ],
)
def test_the_weights_are_the_documented_ones(weights: Weights, documented: dict[str, int]) -> None:
    assert {name: round(weight * 100) for name, weight in weights.items()} == documented
    assert sum(documented.values()) == 100


def test_a_score_is_the_weighted_sum_of_its_components() -> None:
    columns = {"vector": [0.5, 1.0], "bm25": [1.0, 0.0], "concept": [0.0, 0.5], "wordnet": [1.0, 0.0]}
    first, second = rank(["a", "b"], columns, CHUNK_WEIGHTS, key=lambda text: (text, 0))
    assert (first.item, round(first.score, 3)) == ("a", 0.625)
    assert (second.item, round(second.score, 3)) == ("b", 0.45)
    assert first.components == {"vector": 0.5, "bm25": 1.0, "concept": 0.0, "wordnet": 1.0}


def test_what_scores_nothing_is_no_result_and_ties_go_by_key() -> None:
    columns = {name: [0.5, 0.0, 0.5, 0.000002] for name in CHUNK_WEIGHTS}
    ranked = rank(["b", "x", "a", "y"], columns, CHUNK_WEIGHTS, key=lambda text: (text, 0))
    assert [each.item for each in ranked] == ["a", "b"]


def test_a_cosine_below_a_fifth_counts_as_nothing() -> None:
    assert [meaningful(cosine) for cosine in (-1.0, 0.0, 0.199, 0.2, 0.7, 1.0001)] == [0, 0, 0, 0.2, 0.7, 1]


def test_nearness_and_words_are_evidence_alone_or_together() -> None:
    found = evidence([EVIDENT, EVIDENT - 0.01, 0, 0], [0, 0, WORDED, WORDED - 0.01])
    assert [each >= 1 for each in found] == [True, False, True, False]
    assert [each >= 1 for each in evidence([EVIDENT / 2] * 2, [0, 0], [WORDED / 2, WORDED / 3])] == [True, False]


def test_a_text_with_every_word_is_clear_whatever_its_share_is() -> None:
    found = evidence([0.0, 0.0, EVIDENT * 2], [WORDED, WORDED, 0.0], whole={0, 2})
    assert found == pytest.approx([CLEAR, 1.0, 2.0])
    assert is_clear(found[:1])


def test_nothing_is_found_without_one_clear_candidate() -> None:
    assert [is_clear(found) for found in ([], [1.0, 1.0], [0.0, CLEAR])] == [False, False, True]


def test_what_has_no_evidence_is_no_result_whatever_it_scores() -> None:
    columns = {name: [0.5, 1.0] for name in CHUNK_WEIGHTS}
    ranked = rank(["a"], columns, CHUNK_WEIGHTS, key=lambda text: (text, 0), places=[0])
    assert [(each.item, each.components["vector"]) for each in ranked] == [("a", 0.5)]


def test_the_best_of_poor_candidates_is_no_whole_match() -> None:
    assert scaled([LEAST_BEST / 2, 0.1], "best_match")[0] == pytest.approx(0.5)


def test_half_as_many_words_are_more_than_half_as_good() -> None:
    columns = {name: [0.0, 0.0] for name in CHUNK_WEIGHTS} | {"bm25": [LEAST_BEST, LEAST_BEST / 2]}
    first, second = rank(["a", "b"], columns, CHUNK_WEIGHTS, key=lambda text: (text, 0))
    assert first.components["bm25"] == 1.0
    assert second.components["bm25"] == pytest.approx(0.5 ** STRETCHED["bm25"])


def test_components_are_taken_as_they_are_or_stretched() -> None:
    assert scaled([0.2, 0.6, 1.2, -0.1], "full_match") == [0.2, 0.6, 1.0, 0.0]
    assert scaled([0.2, 0.5, 0.4, -0.1], "best_match") == pytest.approx([0.4, 1.0, 0.8, 0.0])
    assert scaled([0.0, 0.0], "best_match") == [0.0, 0.0]
    assert scaled([0.2, 0.6, 0.4], "min_max") == pytest.approx([0, 1, 0.5])
    assert scaled([0.3, 0.3], "min_max") == [0.3, 0.3]
    assert scaled([], "min_max") == []


def test_a_ranking_is_cut_at_its_largest_gap() -> None:
    assert kept(0.9, 0.85, 0.85 - GAP - 0.05, 0.6 - GAP) == 2
    assert kept(0.9, 0.85, 0.85 - GAP / 2, 0.7) == 4
    assert kept(0.5 + GAP, 0.5) == 1
    assert (kept(), kept(0.1)) == (0, 1)


def test_a_ranking_has_at_most_thirty_results() -> None:
    assert kept(*(1 - place / 100 for place in range(50))) == CANDIDATES


def test_numbers_are_printed_with_three_digits() -> None:
    assert [decimal(value) for value in (0, 1, 0.12345, 1.00001, -0.2)] == ["0.000", "1.000", "0.123", "1.000", "0.000"]
