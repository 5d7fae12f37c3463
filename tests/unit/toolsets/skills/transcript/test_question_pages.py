"""Pages with a question, its answers and comments."""

import pytest

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.question_pages import read_question_page
from toolsets.skills.transcript.reader import read_transcript

ASKED, ANSWERED, CONFIRMED = (
    "Why does the build stop?",
    "Raise the limit:\n\n```yaml\nservices:\n  a: 1\n```",
    "Thanks, it builds.",
)
PAGES = {
    "authors": "# Build stops\n\n**Question** asked by tom, 14 March 2026\n\n{0}\n\n"
    "**Answer** by sue (accepted), 15 March 2026\n\n{1}\n\n**Comments**\n\n> {2} – *tom*, 15 March 2026",
    "no asker": "# Build stops\n\n{0}\n\n**Answer** by sue (accepted), 15 March 2026\n\n{1}\n\n> {2} – *tom*",
    "headings": "# Build stops\n\n## Question by tom\n\n{0}\n\n## Answer by Sue Ray (12 votes)\n\n{1}\n\n"
    "### 1 comment\n\n> {2}\n> — tom, 15 March 2026",
    "no title": "**Asked by** tom on 14 March 2026\n\n{0}\n\n**Accepted answer by** sue\n\n{1}\n\n> {2} - Tom\n> - *tom*",
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_has_a_question_an_answer_and_a_confirmation(page: str) -> None:
    turns = [
        turn for turn in read_transcript(page.format(ASKED, ANSWERED, CONFIRMED)).turns if turn.text != "# Build stops"
    ]
    assert [turn.role for turn in turns] == ["customer", "agent", "customer"]
    assert [turn.text for turn in turns[:2]] == [ASKED, ANSWERED]
    assert turns[2].text.startswith(CONFIRMED)


def test_third_persons_and_answers_that_are_not_accepted_count_for_nobody() -> None:
    page = PAGES["authors"].format(ASKED, ANSWERED, CONFIRMED)
    page += "\n\n> Same here. – *nina*\n\n**Answer** by gerd, 16 March 2026\n\nBuy more memory.\n"
    turns = read_transcript(page).turns
    assert [(turn.role, turn.text) for turn in turns][-2:] == [("other", "Same here."), ("other", "Buy more memory.")]
    assert [turn.role for turn in turns] == ["other", "customer", "agent", "customer", "other", "other"]


def test_a_quotation_without_an_author_is_a_part_of_the_text() -> None:
    page = PAGES["authors"].format("> error: a - b\n\nWhy?", ANSWERED, CONFIRMED)
    assert read_transcript(page).turns[1].text == "> error: a - b\n\nWhy?"


def test_the_text_after_a_gap_is_nobody_s() -> None:
    lines = ["# T", "Why?", "**Answer** by sue", "Because.", GAP, "Run it."]
    said = read_question_page(lines)
    assert said is not None
    assert [each.role for each in said if each.text.strip()] == [None, "customer", "agent", "other"]


@pytest.mark.parametrize(
    "text",
    [
        "Answer by return of post.\nThen wait.",
        "# Notes\nThe answer by Ann is right.",
        "# T\n\n```\n**Answer** by sue\n```",
        "# T\nCustomer: Why?\nAgent: See below.\n**Answer** by sue\nBecause.",
        "**Answer** by sue\nBecause.",
    ],
)
def test_other_texts_are_no_such_pages(text: str) -> None:
    assert read_question_page(text.split("\n")) is None
