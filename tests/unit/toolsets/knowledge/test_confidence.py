"""The confidence formula: bounded, repeatable, and higher for what is known better."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from toolsets.knowledge.concept import Placement
from toolsets.knowledge.confidence import Evidence, score

DAY = 86_400_000_000
BARE = Evidence("A loop.", Placement(), connections=0, age=0)
EVIDENCE = st.builds(
    Evidence,
    st.text(min_size=1),
    st.builds(Placement, *[st.none() | st.just("x")] * 3),
    connections=st.integers(0, 1000),
    age=st.integers(-DAY, 5000 * DAY),
)


@given(EVIDENCE)
def test_a_score_lies_between_0_and_100_and_is_repeatable(evidence: Evidence) -> None:
    assert 0 <= score(evidence) <= 100
    assert score(evidence) == score(evidence)


def test_the_documented_examples_come_out() -> None:
    assert score(BARE) == 14
    full = Evidence("A sentence. " * 50, Placement("a", "t", "s"), connections=5, age=0)
    assert score(full) == 100
    assert score(replace(full, age=180 * DAY)) == 95


@given(EVIDENCE)
def test_more_substance_placement_and_connections_never_lower_it(evidence: Evidence) -> None:
    assert score(replace(evidence, explanation=evidence.explanation + " More is said here.")) >= score(evidence)
    assert score(replace(evidence, placement=Placement("a", "t", "s"))) >= score(evidence)
    assert score(replace(evidence, connections=evidence.connections + 1)) >= score(evidence)
    assert score(replace(evidence, age=evidence.age + DAY)) <= score(evidence)
