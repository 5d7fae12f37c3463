"""Times as people and programs write them."""

import re

import pytest

from toolsets.skills.transcript.stamps import MOMENT, STAMP, moment_in


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Tue, 12 May 2026 at 4:20 PM", (2026, 5, 12, 16, 20, 0)),
        ("Dienstag, 5. Mai 2026 11:40", (2026, 5, 5, 11, 40, 0)),
        ("05.05.2026 um 10:11", (2026, 5, 5, 10, 11, 0)),
        ("3 juillet 2026", (2026, 7, 3)),
        ("2026-03-02T09:14:03Z", (2026, 3, 2, 9, 14, 3)),
        ("05/04/2026 10:00", None),
        ("at noon", None),
    ],
)
def test_the_time_in_a_text(text: str, moment: tuple[int, ...] | None) -> None:
    assert moment_in(text) == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("12 August 2026, 12:05 am", (2026, 8, 12, 0, 5, 0)),
        ("May 12, 2026 12:05 p.m.", (2026, 5, 12, 12, 5, 0)),
        ("12:30 on 2026年3月2日", (2026, 3, 2, 12, 30, 0)),
        ("31-12-26", (2026, 12, 31)),
        ("12.31.2026", (2026, 12, 31)),
        ("12 juin 2026", (2026, 6, 12)),
        ("5 de octubre de 2026", (2026, 10, 5)),
        ("version 3 since 12 Nonsense 2026", None),
        ("12:30", None),
        ("", None),
    ],
)
def test_the_first_date_with_a_year_counts(text: str, moment: tuple[int, ...] | None) -> None:
    assert moment_in(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "12:03",
        "2026-03-02T09:14:03Z",
        "12.05.2026, 10:11",
        "4:20 PM",
        "May 12, 2026 at 16:20",
        "12/05/2026 10:11 +0200",
    ],
)
def test_a_stamp_has_a_time_of_day(text: str) -> None:
    assert re.fullmatch(STAMP, text) is not None
    assert re.fullmatch(MOMENT, text) is not None


@pytest.mark.parametrize("text", ["3 hours ago", "2026-03-02", "May 12, 2026"])
def test_a_moment_may_have_none(text: str) -> None:
    assert re.fullmatch(MOMENT, text) is not None
    assert re.fullmatch(STAMP, text) is None
