"""The type of a visual follows the head noun of its caption or of the heading above it."""

from itertools import combinations
from typing import get_args

import pytest

from toolsets.concept_rag.ingestion.document import VisualType
from toolsets.concept_rag.ingestion.visual_types import headed_type, is_bare, label_of, stated_type, visual_nouns


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Table 2", "table"),
        ("Tab. 3: Architecture of the gateway", "table"),
        ("Figure 3: Flow chart of the boot", "flowchart"),
        ("Figure 3: Flow-charts of the boot and the shutdown", "flowchart"),
        ("Decision trees of a clerk", "flowchart"),
        ("Diagram 4: Flow chart of the boot", "flowchart"),
        ("Diagram 4: The boot", "diagram"),
        ("Architecture diagram", "diagram"),
        ("Architecture diagrams of both releases", "diagram"),
        ("Figure 5: Overview of the architecture", "diagram"),
        ("Figure 5: Topologies (simplified)", "diagram"),
        ("The states of a session (state diagram)", "flowchart"),
        ("Relay, circuit and waveforms", "diagram"),
        ("Circuit 2", "diagram"),
        ("Graphs of the load versus time", "chart"),
        ("Fig. 6 Load vs. time", "chart"),
        ("Power spectra of both tones", "chart"),
        ("Confusion matrices", "table"),
        ("Screenshot of the table editor", "figure"),
        ("Screen shots with a diagram of the circuit", "figure"),
        ("Photograph of the circuit", "figure"),
        ("The settings window with a plot of the load", "figure"),
        ("The old weir, seen from the bridge", None),
        ("Relay in a circuit with a diode", None),
        ("Figure 7", None),
        ("Settings tab", None),
        ("", None),
    ],
)
def test_a_caption_states_the_type_by_its_head_noun(caption: str, expected: VisualType | None) -> None:
    assert stated_type(caption) == expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("9.2 Flowcharts of the maintainer scripts", "flowchart"),
        ("Block diagram", "diagram"),
        ("Table 4: Sizes", "table"),
        ("Tables and indexes", None),
        ("The Debian distribution", None),
        ("Network architecture", None),
        ("Pictures", None),
    ],
)
def test_a_heading_announces_a_type_by_a_word_for_pictures(heading: str, expected: VisualType | None) -> None:
    assert headed_type(heading) == expected


@pytest.mark.parametrize(("text", "bare"), [("", True), ("Figure 3.", True), ("image", True), ("Screen shots", True)])
def test_a_caption_may_say_nothing(text: str, bare: bool) -> None:
    assert is_bare(text) == bare
    assert not is_bare(f"{text} Salmon")


def test_a_label_has_a_type_and_a_number() -> None:
    assert label_of("Fig. 3.2: A weir") == label_of("Figure 3.2") == ("figure", "3.2")
    assert label_of("Tab. IV") == ("table", "IV")
    assert label_of("Section 3.2") is None
    assert label_of("Figures of speech") is None


def test_each_noun_is_in_the_singular_and_has_one_type() -> None:
    nouns = visual_nouns()
    for noun, named in {**nouns.kinds, **nouns.subjects}.items():
        assert stated_type(noun) == named
        assert stated_type(f"{noun}s of the boot") == named or noun.endswith(("s", "x", "sh", "y"))
    assert not nouns.kinds.keys() & nouns.subjects.keys()
    assert {*nouns.kinds.values()} == {*get_args(VisualType)}
    groups = (nouns.ends, nouns.joins, nouns.transparent, nouns.kinds.keys(), nouns.subjects.keys())
    assert all(not {*one} & {*other} for one, other in combinations(groups, 2))
