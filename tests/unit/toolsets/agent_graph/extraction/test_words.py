"""A word has its shapes and classes as features, and what the lists say of it."""

import pytest

from toolsets.agent_graph.extraction.words import FREE, MAX_LENGTH, type_of_noun, word_of


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("Redis", {"[capital]", "[word]", "[begins_upper]"}),
        ("API", {"[acronym]", "[begins_upper]"}),
        ("uses", {"<verb>", "uses"}),
        ("Dr", {"<title>"}),
        (",", {"[mark]"}),
    ],
)
def test_a_word_has_features(text: str, features: set[str]) -> None:
    word = word_of(text)
    assert features <= word.features
    assert {FREE, word.lower} <= word.features


def test_letters_are_folded_and_apostrophes_straight() -> None:
    word = word_of("O’Brien")
    assert (word.text, word.lower) == ("O’Brien", "o'brien")
    assert word_of("STRASSE").lower == word_of("straße").lower


def test_a_word_that_begins_a_listed_name_or_states_a_relation_takes_more_work() -> None:
    listed, verb, plain = word_of("PostgreSQL"), word_of("uses"), word_of("gently")
    assert listed.names
    assert verb.relations
    assert not plain.names
    assert not plain.relations
    assert min(listed.effort, verb.effort) > plain.effort >= 2


def test_a_word_that_is_too_long_has_no_class() -> None:
    long = word_of("x" * (MAX_LENGTH + 1))
    assert (long.names, long.relations) == ((), ())
    assert not {"[word]", "[common]"} & long.features


@pytest.mark.parametrize(
    ("features", "kind"),
    [({"<person_noun>"}, "person"), ({"<person_noun>", "<technology_noun>"}, "technology"), ({"<noun>"}, None)],
)
def test_a_noun_gives_the_type_of_the_name_beside_it(features: set[str], kind: str | None) -> None:
    assert type_of_noun(frozenset(features)) == kind
