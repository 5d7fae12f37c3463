"""The rules by which names are alike find their pairs, and none that they exclude."""

from itertools import combinations, product

import pytest

from toolsets.agent_graph.duplicates.likeness import (
    ENDING,
    FIRST_LETTER,
    JOINED,
    MINOR_WORDS,
    MORE_WORDS,
    REORDERED,
    SAME,
    SLIP_COST,
    Block,
    ways,
)
from toolsets.agent_graph.duplicates.normal import NormalName, normal


def best(*names: str) -> float:
    """The highest similarity at which a block holds the first two names; 0 if there is none."""
    forms: dict[NormalName, list[int]] = {}
    for place, name in enumerate(names):
        forms.setdefault(normal(name), []).append(place)
    for similarity, finding in ways(forms, lambda _: None):
        for find in finding:
            if any(_holds(block, {0, 1}) for block in find()):
                return similarity
    return 0.0


def _holds(block: Block, pair: set[int]) -> bool:
    places = [set(holders) for holders in block]
    return any(pair <= one for one in places) or any(
        pair <= {a, b} for one, other in combinations(places, 2) for a, b in product(one, other)
    )


@pytest.mark.parametrize(
    ("one", "other", "similarity"),
    [
        ("Acme", "ACME Corp.", SAME),
        ("Open AI", "OpenAI", JOINED),
        ("John Smith", "Smith, John", REORDERED),
        ("John Smith", "John A. Smith", MINOR_WORDS),
        ("Bank of England", "Bank England", MINOR_WORDS),
        ("Postgres", "PostgreSQL", ENDING),
        ("Docker", "Docker Compose", MORE_WORDS),
        ("Elasticsearch", "Elasticserach", round(1 - SLIP_COST / 13, 4)),
        ("Elasticsearch", "Elasticsaarch", round(1 - SLIP_COST / 13, 4)),
        ("Elasticsearch", "Llasticsearch", FIRST_LETTER),
        ("John A Smith", "John B Smith", 0.0),
        ("Bash", "Dash", 0.0),
        ("Python 2", "Python 3", 0.0),
        ("Django 1.11", "Django 11.1", 0.0),
    ],
)
def test_a_rule_has_its_similarity(one: str, other: str, similarity: float) -> None:
    assert best(one, other) == best(other, one) == similarity


def test_similarities_come_highest_first_and_work_is_reported() -> None:
    steps: list[int] = []
    forms = {normal(name): [place] for place, name in enumerate(["Payment Service", "Payments", "Elasticsearch"])}
    found = ways(forms, steps.append)
    assert [similarity for similarity, _ in found] == sorted({similarity for similarity, _ in found}, reverse=True)
    before = sum(steps)
    for _, finding in found:
        for find in finding:
            list(find())
    assert before == 3, "the search itself is lazy"
    assert sum(steps) > before
