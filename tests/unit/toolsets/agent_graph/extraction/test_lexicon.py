"""The words of relations and their classes."""

from toolsets.agent_graph.extraction.lexicon import relation_words, word_classes
from toolsets.agent_graph.extraction.model import ENTITY_TYPES, RELATION_TYPES


def test_every_relation_is_stated_by_a_verb() -> None:
    stated = {word.relation for words in relation_words().values() for word in words if word.form == "verb"}
    assert stated == set(RELATION_TYPES)
    assert all(word.targets <= set(ENTITY_TYPES) for words in relation_words().values() for word in words)


def test_every_form_of_a_verb_states_its_relation() -> None:
    forms = {form for form, words in relation_words().items() for word in words if word.label in {"use", "write"}}
    assert {"use", "uses", "used", "using", "wrote", "written", "writing"} <= forms
    assert {word.label for word in relation_words()["wrote"]} == {"write"}


def test_a_class_has_the_words_of_the_classes_that_it_names() -> None:
    assert {"<being>", "<auxiliary>", "<function>"} <= word_classes()["was"]
    assert "zubzip" not in word_classes()
