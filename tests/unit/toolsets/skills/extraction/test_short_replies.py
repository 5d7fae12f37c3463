"""Replies that are not English sentences."""

import pytest

from toolsets.bm25 import terms
from toolsets.skills.extraction.short_replies import (
    Verdict,
    after_no,
    asks_how_it_went,
    denies_after_trying,
    is_bare_refusal,
    offers_more_help,
    only_declines,
    repeats_complaint,
    still_complains,
    verdict_abroad,
    verdict_of_signs,
)


def test_a_plain_no_is_no_more_than_that() -> None:
    assert is_bare_refusal("No, sorry.")
    assert not is_bare_refusal("No, it is a laptop.")
    assert not is_bare_refusal("")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Funktioniert leider nicht", "failed"),
        ("Ça marche, merci", "worked"),
        ("解決しました", "worked"),
        ("It works", None),
        ("Der Drucker ist blau", None),
        ("", None),
    ],
)
def test_a_clause_in_another_language_has_a_verdict(text: str, verdict: Verdict | None) -> None:
    assert verdict_abroad(text) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"), [("✅", "worked"), ("ok 👎", "failed"), ("✅👎", "failed"), ("ok", None), ("é", None)]
)
def test_a_sign_has_a_verdict(text: str, verdict: Verdict | None) -> None:
    assert verdict_of_signs(text) == verdict


@pytest.mark.parametrize(
    ("turn", "offers"),
    [
        ("Is there anything else I can help you with?", True),
        ("Great. Anything else?", True),
        ("Anything else? " + "x" * 200, False),
        ("Does it help?", False),
    ],
)
def test_a_turn_ends_with_an_offer_of_further_help(turn: str, offers: bool) -> None:
    assert offers_more_help(turn) is offers


@pytest.mark.parametrize(
    ("turn", "asks"),
    [
        ("Restart it. Does it work now?", True),
        ("Which model is it?", False),
        ("Does it work? Restart it.", None),
        ("", None),
    ],
)
def test_a_turn_ends_with_a_question_about_the_result(turn: str, asks: bool | None) -> None:
    assert asks_how_it_went(turn) is asks


@pytest.mark.parametrize(
    ("reply", "rest", "declines"),
    [
        ("No, that's it", "that's it", True),
        ("nope that's it", "that's it", True),
        ("none of it worked", "of it worked", False),
        ("Not now", "now", False),
        ("Nobody answers", "Nobody answers", False),
        ("Thanks", "Thanks", False),
    ],
)
def test_a_no_begins_a_reply(reply: str, rest: str, declines: bool) -> None:
    assert after_no(reply) == rest
    assert only_declines(reply) is declines


def test_a_no_may_follow_the_step() -> None:
    assert denies_after_trying(["Tried that", "no"])
    assert not denies_after_trying(["no"])
    assert not denies_after_trying(["Tried that", "yes"])


def test_a_complaint_may_have_no_subject() -> None:
    assert still_complains("Still drifts")
    assert not still_complains("Still water")


@pytest.mark.parametrize(
    ("reply", "repeats"),
    [
        ("It drips again", True),
        ("I replaced the nut, but the tap drips", True),
        ("It drips again?", False),
        ("The lamp blinks again", False),
        ("drips", False),
        ("It drips again " * 20, False),
    ],
)
def test_a_short_reply_repeats_the_complaint(reply: str, repeats: bool) -> None:
    assert repeats_complaint(reply, frozenset(terms("The tap drips"))) is repeats
