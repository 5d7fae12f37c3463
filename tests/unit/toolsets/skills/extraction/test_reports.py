"""What a reply tells of a step."""

import pytest

from toolsets.skills.extraction.clauses import words_of
from toolsets.skills.extraction.reports import (
    after_report,
    goes_on,
    is_hindered,
    leaves_a_rest,
    names_a_hindrance,
    names_new_fault,
    reports_following,
    says_yes,
    shows_an_error,
    tells_an_inspection,
    was_in_vain,
    without_irony,
)


def words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


@pytest.mark.parametrize(
    ("reply", "hindered"),
    [
        ("There is no such button.", True),
        ("I can't find that menu.", True),
        ("The option is greyed out.", True),
        ("I found the button.", False),
        ("It is blue.", False),
    ],
)
def test_a_step_could_not_be_followed(reply: str, hindered: bool) -> None:
    assert names_a_hindrance(reply) is hindered
    assert is_hindered(reply, words(reply)) is hindered


@pytest.mark.parametrize(
    ("clause", "followed"),
    [
        ("Done", True),
        ("I cleared it", True),
        ("The cache is cleared", True),
        ("ok, I have restarted the router", True),
        ("It crashed", False),
        ("I wanted to clear it", False),
        ("How do I clear it", False),
    ],
)
def test_a_clause_reports_that_a_step_was_followed(clause: str, followed: bool) -> None:
    assert reports_following(clause) is followed


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("Done, but there is no sound", "there is no sound"),
        ("I cleared it. It drips", "It drips"),
        ("Done", "Done"),
        ("There is no sound, but light", "There is no sound, but light"),
    ],
)
def test_a_complaint_follows_the_report(reply: str, rest: str) -> None:
    assert after_report(reply) == rest


@pytest.mark.parametrize(
    ("sentence", "looked"),
    [("Checked the fuse", True), ("I checked the fuse", True), ("The fuse was checked by me", False)],
)
def test_a_sentence_begins_with_a_look_at_a_thing(sentence: str, looked: bool) -> None:
    assert tells_an_inspection(sentence) is looked


@pytest.mark.parametrize(
    ("clause", "affirmed", "vain"),
    [
        ("I tried that before I called", False, True),
        ("three times", True, True),
        ("three times", False, False),
        ("it works", True, False),
    ],
)
def test_a_step_was_followed_in_vain(clause: str, affirmed: bool, vain: bool) -> None:
    assert was_in_vain(clause, affirmed=affirmed) is vain


@pytest.mark.parametrize(
    ("sentence", "yes"),
    [("Yes, it is", True), ("sure", True), ("yep", True), ("No", False), ("yesterday", False), ("", False)],
)
def test_a_sentence_begins_with_a_yes(sentence: str, yes: bool) -> None:
    assert says_yes(sentence) is yes


@pytest.mark.parametrize(
    ("clause", "followed", "contrasted", "problem"),
    [
        ("it still drips", True, False, True),
        ("it still drips", False, True, True),
        ("it still drips", False, False, False),
        ("it drips", True, False, True),
        ("it drips", False, True, False),
        ("it works fine", True, False, False),
        ("it still drips?", True, True, False),
    ],
)
def test_a_problem_goes_on_only_after_a_step_or_a_contrast(
    clause: str, followed: bool, contrasted: bool, problem: bool
) -> None:
    assert goes_on(clause, words(clause), followed=followed, contrasted=contrasted) is problem


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("Hm, then the sum breaks", True),
        ("Now it crashes", True),
        ("Now it works", False),
        ("Now it crashes?", False),
        ("It breaks", False),
    ],
)
def test_what_came_of_a_step_may_be_a_new_fault(sentence: str, fault: bool) -> None:
    assert names_new_fault(sentence, words(sentence), sentence) is fault


def test_a_clause_without_a_verb_says_what_is_left() -> None:
    assert leaves_a_rest("Apple nothing")
    assert not leaves_a_rest("Apple refreshed")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I get an error: 0x80070005", True),
        ("Error 0x80070005", True),
        ("It shows the picture", False),
        ("", False),
    ],
)
def test_a_reply_says_which_error_is_shown(text: str, shown: bool) -> None:
    assert shows_an_error(text) is shown


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Great, now it has deleted everything.", "now it has deleted everything."),
        ("Great, it works.", "Great, it works."),
        ("Great. Nothing was deleted.", "Great. Nothing was deleted."),
    ],
)
def test_praise_before_damage_is_irony(text: str, meant: str) -> None:
    assert without_irony(text) == meant
