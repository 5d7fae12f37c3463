"""Families of names that are alike by the thousand are searched with an effort that grows with the number of names."""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.toolsets.agent_graph.duplicates.oracle import similarity
from toolsets.agent_graph.duplicates import pairs
from toolsets.agent_graph.duplicates.likeness import ways
from toolsets.agent_graph.duplicates.model import Named
from toolsets.agent_graph.duplicates.normal import normal
from toolsets.agent_graph.duplicates.pairs import find_pairs

ENDS = st.text(alphabet="abc", min_size=1, max_size=3)
FAMILY = st.builds(
    "{}{}".format, st.sampled_from(["Alan Smith", "Alan A Smith", "nAla Smith", "Smith", "db-7-host"]), ENDS
)
ENTITIES = st.lists(st.tuples(st.sampled_from(["person", "host"]), st.lists(FAMILY, max_size=3)), max_size=20)


def family(size: int) -> list[str]:
    """Return names of one stem that end in three letters, many of which differ in one."""
    ends = (chr(97 + n % 26) + chr(97 + n // 26 % 26) + chr(97 + n // 676) for n in range(size))
    return [f"Carol Browne{end}" for end in ends]


def hub(size: int) -> list[str]:
    """Return names that differ in an initial, a number or the order of words."""
    return [f"{chr(97 + n % 26)} {chr(97 + n // 26 % 26)} Smith Carol {chr(97 + n // 676)}" for n in range(size)]


def members(names: Iterable[str]) -> int:
    """Return how many names all blocks hold together."""
    forms = {normal(name): [place] for place, name in enumerate(names)}
    return sum(len(block) for _, finding in ways(forms, lambda _: None) for find in finding for block in find())


@pytest.mark.parametrize("names", [family, hub])
def test_a_name_is_in_a_bounded_number_of_blocks(names: Callable[[int], list[str]]) -> None:
    assert members(names(4_000)) < 4_000 * 60


@pytest.mark.parametrize("alike", [family, hub])
def test_few_pairs_are_looked_at(alike: Callable[[int], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(positions: list[int], size: int) -> Iterator[tuple[int, ...]]:
        nonlocal looked
        for pair in combinations(positions, size):
            looked += 1
            yield pair

    monkeypatch.setattr(pairs, "combinations", counted)
    entities = [Named(str(place), "person", (name,)) for place, name in enumerate(alike(4_000))]
    found = find_pairs(entities, threshold=0.8, limit=500)
    assert (len(found.pairs), found.truncated) == (500, True)
    assert looked < 4_000 * 12


@given(ENTITIES, st.sampled_from([0.0, 0.8, 0.9]), st.sampled_from([0, 1, 5, 1000]))
def test_the_best_pairs_of_families_are_those_of_comparing_all(
    drawn: list[tuple[str, list[str]]], threshold: float, limit: int
) -> None:
    entities = [Named(str(place), kind, tuple(names)) for place, (kind, names) in enumerate(drawn)]
    scored = [
        (max((similarity(a, b) for a in drawn[one][1] for b in drawn[other][1]), default=0.0), one, other)
        for one, other in combinations(range(len(drawn)), 2)
        if drawn[one][0] == drawn[other][0]
    ]
    wanted = sorted((-score, one, other) for score, one, other in scored if score >= max(threshold, 1e-9))
    found = find_pairs(entities, threshold=threshold, limit=limit)
    assert [(-pair.similarity, int(pair.first), int(pair.second)) for pair in found.pairs] == wanted[:limit]
    assert found.truncated == (len(wanted) > limit)
