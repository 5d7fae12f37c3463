"""Below the rules every threshold has an effect: similarity is continuous, and searched with bounded effort."""

from itertools import pairwise

import pytest

from toolsets.agent_graph.duplicates import fuzzy
from toolsets.agent_graph.duplicates.fuzzy import HIGHEST, MAX_CANDIDATES, OTHER_NUMBERS, fuzzy_pairs, similarity
from toolsets.agent_graph.duplicates.model import Named
from toolsets.agent_graph.duplicates.normal import NormalName, normal
from toolsets.agent_graph.duplicates.pairs import find_pairs


def found(one: str, other: str, threshold: float) -> bool:
    entities = [Named("a", "concept", (one,)), Named("b", "concept", (other,))]
    return bool(find_pairs(entities, threshold=threshold).pairs)


@pytest.mark.parametrize(
    ("one", "other", "threshold"),
    [
        ("Authentication Service", "Auth Service", 0.7),
        ("Alice", "Alicia", 0.5),
        ("Amazon Web Services", "AWS", 0.65),
        ("Payment Gateway", "Payments Gatway API", 0.5),
        ("Java", "JavaScript", 0.6),
        ("Docker", "Docker Compose", 0.7),
    ],
)
def test_names_that_are_somewhat_alike_are_found_below_the_default(one: str, other: str, threshold: float) -> None:
    assert found(one, other, threshold)
    assert not found(one, other, 0.8)


@pytest.mark.parametrize(("one", "other"), [("Alice", "Kubernetes"), ("Redis", "Paris"), ("React", "Angular")])
def test_names_that_are_not_alike_are_far_below(one: str, other: str) -> None:
    assert not found(one, other, 0.5)


def test_each_threshold_leaves_out_more_than_the_one_below_it() -> None:
    names = ("Payment Service", "Payments", "Pay Service", "Payment Gateway", "Payroll", "Paint", "Service Desk")
    entities = [Named(name, "concept", (name,)) for name in names]
    counts = [len(find_pairs(entities, threshold=step / 20).pairs) for step in range(17)]
    assert all(fewer <= more for more, fewer in pairwise(counts))
    assert len(set(counts)) >= 8


def test_names_with_other_numbers_stay_low() -> None:
    assert similarity(normal("Release 1.2"), normal("Release 1.3")) == OTHER_NUMBERS


def test_fuzzy_similarity_stays_below_every_rule() -> None:
    assert similarity(normal("same name"), normal("same name")) == HIGHEST


def test_many_names_of_one_word_are_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(one: NormalName, other: NormalName) -> float:
        nonlocal compared
        compared += 1
        return similarity(one, other)

    monkeypatch.setattr(fuzzy, "similarity", counted)
    forms = [normal(f"Service {chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}") for n in range(4_000)]
    fuzzy_pairs(list(dict.fromkeys(forms)), 0.1, lambda _: None)
    assert compared <= 4_000 * MAX_CANDIDATES
