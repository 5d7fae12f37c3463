"""The hybrid score of a skill."""

import pytest

from toolsets.skills.scores import Candidate, is_duplicate, rank


def candidate(skill_id: str, cosine: float, text: str = "") -> Candidate:
    return Candidate(skill_id, cosine, title=text, problem="", resolution="")


def test_the_score_is_seven_parts_meaning_and_three_parts_words() -> None:
    (score,) = rank("reset router", [candidate("a", 0.5, "reset router")], top_k=5)
    assert score.keyword == pytest.approx(1.0)
    assert score.total == pytest.approx(0.7 * 0.5 + 0.3 * 1.0)


def test_words_take_nothing_away_from_the_same_meaning() -> None:
    (score,) = rank("cannot sign in", [candidate("a", 0.8, "authentication broken")], top_k=5)
    assert score.total == pytest.approx(0.8)


def test_a_shared_word_does_not_outrank_the_meaning() -> None:
    found = rank(
        "laptop will not charge overnight",
        [
            candidate("right", 0.7, "battery stays empty"),
            candidate("chance", 0.55, "overnight backups"),
            candidate("x", 0.1),
        ],
        top_k=3,
    )
    assert [score.skill_id for score in found] == ["right", "chance", "x"]


def test_words_count_in_every_field() -> None:
    fields = [
        Candidate("title", 0.2, "quota", "", ""),
        Candidate("problem", 0.2, "", "quota", ""),
        Candidate("resolution", 0.2, "", "", "quota"),
        Candidate("conditions", 0.2, "", "", "", conditions=("quota",)),
        Candidate("keywords", 0.2, "", "", "", keywords=("quota",)),
        Candidate("none", 0.2, "", "", "other"),
    ]
    found = {score.skill_id: score.keyword for score in rank("quota", fields, top_k=6)}
    assert found.pop("none") == 0
    assert min(found.values()) == max(found.values()) > 0


def test_a_negative_cosine_counts_as_none() -> None:
    (score,) = rank("router", [candidate("a", -0.4, "router")], top_k=5)
    assert score.total == pytest.approx(0.3)


def test_the_least_score_is_applied_to_the_whole() -> None:
    found = rank("router", [candidate("a", 0.5, "router"), candidate("b", 0.5, "tea")], top_k=5, min_score=0.6)
    assert [score.skill_id for score in found] == ["a"]


def test_at_most_top_k_are_returned_and_ties_go_by_title_then_id() -> None:
    tied = [candidate("a", 0.5, "Tea"), candidate("c", 0.5, "Ale"), candidate("b", 0.5, "Ale"), candidate("d", 0.4)]
    found = rank("router", tied, top_k=3)
    assert [score.skill_id for score in found] == ["b", "c", "a"]
    assert [score.skill_id for score in rank("router", tied, top_k=1)] == ["b"]


def test_totals_have_four_digits() -> None:
    (score,) = rank("router", [candidate("a", 0.123456789)], top_k=1)
    assert score.total == 0.1235


def test_no_candidates_are_no_results() -> None:
    assert rank("router", [], top_k=5) == []


def test_a_duplicate_is_strictly_closer_than_095() -> None:
    assert not is_duplicate(0.95)
    assert is_duplicate(0.950001)
