"""The data files agree with one another and with the code that reads them."""

from toolsets.agent_graph.extraction.lexicon import Choice, classes_of, cues, relation_words, traits_of, word_classes
from toolsets.agent_graph.extraction.model import ENTITY_TYPES, RELATION_TYPES
from toolsets.agent_graph.extraction.sentence import SHAPES


def choices() -> list[Choice]:
    rows = [cue for group in cues().values() for cue in group.cues]
    terms = [term for row in rows for terms in (row.before, row.here, row.first, row.last, row.every) for term in terms]
    return [choice for term in terms for choice in term.choices]


def test_cues_name_classes_shapes_and_types_that_exist() -> None:
    classes = frozenset[str]().union(*word_classes().values())
    used = choices()
    assert len(used) > 100
    assert {name for choice in used for name in choice.classes} <= classes
    assert {name for choice in used for name in choice.types} <= {*ENTITY_TYPES, "name"}
    assert {name for choice in used for name in choice.shapes} == set(SHAPES)


def test_every_relation_is_stated_by_a_verb() -> None:
    stated = {word.relation for words in relation_words().values() for word in words if word.form == "verb"}
    assert stated == set(RELATION_TYPES)
    assert all(word.targets <= set(ENTITY_TYPES) for words in relation_words().values() for word in words)


def test_forms_of_verbs_follow_the_rules_of_spelling() -> None:
    forms = {form for form, words in relation_words().items() for word in words if word.label in {"use", "write"}}
    assert {"use", "uses", "used", "using", "wrote", "written", "writing"} <= forms


def test_a_class_has_the_words_of_the_classes_that_it_names() -> None:
    assert {"being", "auxiliary", "function"} <= classes_of("was")
    assert classes_of("zubzip") == frozenset()


def test_a_word_rules_out_the_cues_and_terms_that_it_cannot_meet() -> None:
    [contrast] = [
        cue
        for cue in cues()["contrast"].cues
        if "unlike" in {w for choice in cue.here[0].choices for w in choice.words}
    ]
    assert contrast.bit & traits_of("unlike").here
    assert not contrast.bit & traits_of("zubzip").here
    assert contrast.here[0].bit & traits_of("unlike").met
    assert contrast.here[0].bit & traits_of("zubzip").failed
