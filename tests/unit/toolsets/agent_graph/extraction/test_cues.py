"""The cues agree with the words and the code that they refer to."""

from toolsets.agent_graph.extraction.cues import Choice, cues, edges_of
from toolsets.agent_graph.extraction.lexicon import word_classes
from toolsets.agent_graph.extraction.model import ENTITY_TYPES
from toolsets.agent_graph.extraction.sentence import SHAPES


def choices() -> list[Choice]:
    rows = [cue for group in cues().values() for _, cue in group.cues]
    terms = [term for row in rows for terms in (row.before, row.here, row.first, row.last, row.every) for term in terms]
    return [choice for term in terms for choice in term.choices]


def test_cues_name_classes_shapes_and_types_that_exist() -> None:
    classes = frozenset[str]().union(*word_classes().values())
    used = choices()
    assert len(used) > 100
    assert {name for choice in used for name in choice.classes} <= classes
    assert {name for choice in used for name in choice.types} <= {*ENTITY_TYPES, "name"}
    assert {name for choice in used for name in choice.shapes} == set(SHAPES)


def test_a_word_rules_out_the_cues_and_terms_that_it_cannot_meet() -> None:
    [(bit, contrast)] = [
        (bit, cue)
        for bit, cue in cues()["contrast"].cues
        if "unlike" in {w for choice in cue.here[0].choices for w in choice.words}
    ]
    assert bit & edges_of("unlike").here
    assert not bit & edges_of("zubzip").here
    assert contrast.here[0].admits("unlike", frozenset()) is True
    assert contrast.here[0].admits("zubzip", frozenset()) is False
