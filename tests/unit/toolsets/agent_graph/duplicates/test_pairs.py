"""Pairs of entities are found by their names, in a fixed order, without comparing each with each."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.toolsets.agent_graph.duplicates.oracle import similarity
from toolsets.agent_graph.duplicates.model import Named
from toolsets.agent_graph.duplicates.normal import normal
from toolsets.agent_graph.duplicates.pairs import find_pairs

NAMES = st.text(alphabet="abAB é.-12js", max_size=12) | st.sampled_from(
    [
        "Docker",
        "Dockre",
        "Dokcer",
        "Docker Compose",
        "Postgres",
        "PostgreSQL",
        "John Smith",
        "Jon Smith",
        "John A Smith",
    ]
)


def named(*names: str, kind: str = "technology") -> list[Named]:
    return [Named(str(place), kind, (name,)) for place, name in enumerate(names)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("React", "ReactJS"),
        ("ReactJS", "React.js"),
        ("Open AI", "OpenAI"),
        ("Müller", "Mueller"),
        ("Acme", "ACME Corp."),
        ("John Smith", "Smith, John"),
        ("John Smith", "John A. Smith"),
        ("Jon Smith", "John Smith"),
        ("Kubernetes", "Kubernets"),
        ("Elasticsearch", "Elasticserach"),
        ("Postgres", "PostgreSQL"),
        ("OAuth2", "OAuth 2.0"),
        ("John A. Smith", "John A Smith"),
        ("Python3.11", "Python 3.11"),
        ("2024 Report", "Report 2024"),
    ],
)
def test_another_spelling_makes_a_pair(one: str, other: str) -> None:
    assert [(pair.first, pair.second) for pair in find_pairs(named(one, other), threshold=0.8).pairs] == [("0", "1")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Docker", "Docker Compose"),
        ("AUTH-142", "AUTH-143"),
        ("Java", "JavaScript"),
        ("Python 2", "Python 3"),
        ("Team A", "Team B"),
        ("Model S", "Model X"),
        ("Appendix A", "Appendix B"),
        ("John A Smith", "John B Smith"),
        ("GraphQL", "GraphDB"),
        ("GitHub", "GitLab"),
        ("Bash", "Dash"),
        ("C", "C++"),
        ("C", "C#"),
    ],
)
def test_different_entities_are_no_pair(one: str, other: str) -> None:
    assert find_pairs(named(one, other), threshold=0.8).pairs == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Django 1.11", "Django 11.1"),
        ("PROJ-1-23", "PROJ-12-3"),
        ("10.1.1.2", "10.11.2"),
        ("Report 2024-1-12", "Report 2024-11-2"),
        ("Section 1.23", "Section 12.3"),
        ("PostgreSQL 9.6", "PostgreSQL 96"),
        ("v1.2", "v12"),
        ("Agenda 12 of 2024", "Agenda 2024 of 12"),
        ("The Bridge 3 4", "Bridge 34"),
    ],
)
def test_names_with_other_numbers_are_hardly_alike(one: str, other: str) -> None:
    assert find_pairs(named(one, other), threshold=0.61).pairs == ()


@given(NAMES, NAMES)
def test_equal_digits_in_other_groups_are_other_numbers(one: str, other: str) -> None:
    """Whatever else the names have in common."""
    if normal(one).numbers != normal(other).numbers:
        assert find_pairs(named(one, other), threshold=0.61).pairs == ()


def test_names_of_persons_that_differ_in_the_last_letter_are_not_the_same() -> None:
    persons = named("Robert Williams", "Robert William", kind="person")
    assert [pair.similarity < 1 for pair in find_pairs(persons, threshold=0.8).pairs] == [True]


def test_entities_of_two_types_make_no_pair() -> None:
    found = find_pairs([Named("a", "technology", ("Atlas",)), Named("b", "project", ("Atlas",))], threshold=0.1)
    assert found.pairs == ()


def test_aliases_count_and_the_best_names_decide() -> None:
    found = find_pairs([Named("a", "x", ("Kubernetes", "k8s")), Named("b", "x", ("Kubernets", "K8S"))], threshold=0.8)
    assert [pair.similarity for pair in found.pairs] == [1.0]


def test_the_most_similar_come_first_then_the_oldest() -> None:
    found = find_pairs(named("Kubernetes", "Kubernets", "kubernetes", "Docker", "docker"), threshold=0.8)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("0", "2"), ("3", "4"), ("0", "1"), ("1", "2")]


def test_the_best_pairs_are_kept_when_there_are_too_many() -> None:
    found = find_pairs(named(*["Atlas"] * 300, "Atlases"), threshold=0.5, limit=10)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("0", str(other)) for other in range(1, 11)]
    assert found.truncated


def test_progress_is_reported_and_can_stop_the_search() -> None:
    told: list[tuple[int, int]] = []

    def stop_halfway(done: int, total: int) -> None:
        told.append((done, total))
        if done * 2 > total:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        find_pairs(named(*(f"thing number {place}" for place in range(5_000))), threshold=0.8, progress=stop_halfway)
    assert told == sorted(told)
    assert len(told) > 5


def test_the_last_progress_is_all() -> None:
    told: list[tuple[int, int]] = []
    find_pairs(named("a", "A", "b"), threshold=0.8, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (6, 6)


@given(NAMES)
def test_every_name_is_itself(name: str) -> None:
    assert similarity(name, name) == 1.0


@given(NAMES, NAMES)
def test_likeness_is_mutual(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_a_name(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1


@given(st.lists(NAMES, max_size=14), st.sampled_from([0.0, 0.7, 0.8, 0.9, 1.0]))
def test_looking_up_finds_what_comparing_all_finds(names: list[str], threshold: float) -> None:
    everything = {
        (str(one), str(other)): similarity(names[one], names[other])
        for one, other in combinations(range(len(names)), 2)
        if similarity(names[one], names[other]) >= max(threshold, 1e-9)
    }
    found = find_pairs(named(*names), threshold=threshold).pairs
    assert {(pair.first, pair.second): pair.similarity for pair in found} == everything


@given(st.permutations(range(8)), st.lists(NAMES, min_size=8, max_size=8))
def test_the_order_of_entities_does_not_matter(order: list[int], names: list[str]) -> None:
    entities = named(*names)
    turned = [entities[place] for place in order]
    plain = {
        (frozenset((pair.first, pair.second)), pair.similarity) for pair in find_pairs(entities, threshold=0.5).pairs
    }
    other = {
        (frozenset((pair.first, pair.second)), pair.similarity) for pair in find_pairs(turned, threshold=0.5).pairs
    }
    assert plain == other
