"""Reports in sections are read without their headings."""

import pytest

from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.sections import without_sections

REPORT = """# Export skips empty columns #4711

**alice** opened this issue on Mar 3, 2026 · 2 comments

- [x] I have searched the issues

{level}What happened?{end}

The export skips empty columns.

{level}Steps to reproduce{end}

1. Open a sheet.
2. Export it.

{level}Environment{end}

Calc 24.2

**bob** commented on Mar 4, 2026

Tick "Keep empty columns" under Options.

**alice** commented on Mar 5, 2026

Works, thanks!
"""


@pytest.mark.parametrize(("level", "end"), [("### ", ""), ("## ", " ##"), ("**", "**"), ("**", ":**")])
def test_the_problem_has_no_headings_of_a_form(level: str, end: str) -> None:
    learned = extract(REPORT.format(level=level, end=end), metadata={})
    assert learned.title == "Export skips empty columns"
    assert learned.problem.startswith("The export skips empty columns.")
    assert learned.problem.rstrip(".").endswith("Calc 24.2")
    assert not any(word in learned.problem for word in ("happened", "reproduce", "Open a sheet", "#", "*", "searched"))
    assert learned.resolution == 'Tick "Keep empty columns" under Options.'


@pytest.mark.parametrize(
    "text",
    [
        "```\n## Log\nit fails\n```\n**It** fails.",
        "The key **Log** is dead.",
        "### Steps to reproduce\n1. Open it.",
        "# Log\nnone",
    ],
)
def test_other_lines_stay(text: str) -> None:
    assert without_sections(text) == text


def test_a_heading_that_tells_what_is_wrong_is_a_sentence() -> None:
    assert "The lamp flickers at night" in without_sections("## The lamp flickers at night\nSince May.")


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Import hangs at 99% (#12)", "Import hangs at 99%"),
        ("# Import hangs at 99% · Issue #12 · ann/tool", "Import hangs at 99%"),
        ("# Import stops with error #12", "Import stops with error #12"),
    ],
)
def test_a_title_has_no_number_of_an_issue(heading: str, title: str) -> None:
    told = f"{heading}\n\nCustomer: It does not go on.\nAgent: Delete the lock.\nCustomer: Works."
    assert extract(told, metadata={}).title == title


def test_the_fields_for_a_bug_tracker_are_no_part_of_the_problem() -> None:
    fields = "Package: cron\nVersion: 3.0pl1-162\nSeverity: minor\n"
    assert without_sections(f"\n{fields}\nEvery mail is sent twice.").strip() == "Every mail is sent twice."
    for text in (fields, "Version: 2.4\nSeverity: high\nIt fails.", "It fails.\nPackage: a\nVersion: 1\n"):
        assert without_sections(text) == text


def test_what_reportbug_asks_is_no_part_of_the_problem() -> None:
    text = "The mail is sent twice.\n\n   * What led up to the situation?\n     an upgrade\n\n"
    text += "   * What outcome did you expect instead?\n     one mail"
    assert [line.strip() for line in without_sections(text).split("\n") if line.strip()] == [
        "The mail is sent twice.",
        "an upgrade",
    ]
    assert without_sections("* What can I do?\n* It fails.") == "* What can I do?\n* It fails."
