"""Verbs and their forms, known from WordNet's list."""

import pytest

from toolsets.skills.extraction.verbs import base_of_gerund, base_of_past, is_verb, noun_share, third_person


@pytest.mark.parametrize("verb", ["solder", "untick", "reseat", "rebase", "long-press", "degrease", "backup"])
def test_a_verb_of_the_list_may_have_a_prefix(verb: str) -> None:
    assert is_verb(verb)


@pytest.mark.parametrize("word", ["battery", "check-in", "plug-in", "recent", "unit", "is", "the", ""])
def test_other_words_are_no_verbs(word: str) -> None:
    assert not is_verb(word)


def test_a_verb_is_more_or_less_often_a_noun() -> None:
    assert noun_share("restart") is None
    assert [verb for verb in ("water", "open") if (noun_share(verb) or 0) > 50] == ["water"]


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("wiping", "wipe"),
        ("hoping", "hope"),
        ("pressing", "press"),
        ("swapping", "swap"),
        ("pasting", "paste"),
        ("unticking", "untick"),
        ("tightening", "tighten"),
        ("pinging", "ping"),
        ("string", None),
        ("during", None),
        ("nothing", None),
    ],
)
def test_the_base_of_a_gerund(form: str, base: str | None) -> None:
    assert base_of_gerund(form) == base


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("picked", "pick"),
        ("wiped", "wipe"),
        ("swapped", "swap"),
        ("copied", "copy"),
        ("blew", "blow"),
        ("unticked", "untick"),
        ("speed", None),
        ("indeed", None),
    ],
)
def test_the_base_of_a_past_form(form: str, base: str | None) -> None:
    assert base_of_past(form) == base


@pytest.mark.parametrize(("form", "base"), [("takes", "take"), ("copies", "copy"), ("pushes", "push"), ("class", None)])
def test_the_base_of_a_third_person(form: str, base: str | None) -> None:
    assert third_person(form) == base
