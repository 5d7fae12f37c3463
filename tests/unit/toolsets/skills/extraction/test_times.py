"""Days, dates and periods that clauses name."""

import pytest

from toolsets.skills.extraction.times import IS_TIME, without_date


@pytest.mark.parametrize(
    "text",
    [
        "Monday",
        "last week",
        "yesterday morning",
        "3 May 2026",
        "May 3rd",
        "2026-05-03",
        "a few days ago",
        "two weeks now",
        "the end of June",
    ],
)
def test_a_date_or_a_period_is_a_time(text: str) -> None:
    assert IS_TIME.match(text) is not None


@pytest.mark.parametrize("text", ["the update", "1.2 update", "we moved", "version 3", "installing it on Monday"])
def test_an_event_is_none(text: str) -> None:
    assert IS_TIME.match(text) is None


@pytest.mark.parametrize(
    ("event", "bare"),
    [
        ("we got a new router on Monday", "we got a new router"),
        ("we moved house last week", "we moved house"),
        ("the update was installed, three days ago", "the update was installed"),
        ("it lasted from spring to last year", "it lasted from spring to last year"),
        ("updated yesterday", "updated yesterday"),
        ("we got a new router", "we got a new router"),
    ],
)
def test_an_event_loses_its_date(event: str, bare: str) -> None:
    assert without_date(event) == bare
