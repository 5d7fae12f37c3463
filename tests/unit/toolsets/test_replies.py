"""Replies: printed numbers, refused values cut short, and pages that end with their size."""

import json

import pytest
from pydantic import BaseModel

from backends.ports.values import Json
from toolsets import replies
from toolsets.replies import (
    FIRST_PAGE,
    FittingRows,
    counted,
    cut_sentence,
    escaped_length,
    fitting_rows,
    plain_number,
    problem_sentences,
    reply_of,
    row_size,
    shortened,
)
from toolsets.spec import Image, Problem, Reply


def test_whole_numbers_are_printed_whole() -> None:
    assert [repr(plain_number(value)) for value in (90.0, 90.5, 0.0)] == ["90", "90.5", "0"]


def test_refused_values_are_shown_short() -> None:
    assert shortened("x" * 500) == "x" * 200
    long: Json = ["y" * 500]
    assert isinstance(shortened(long), str)
    assert shortened({"a": 1}) == {"a": 1}


@pytest.mark.parametrize("value", [float("nan"), "\ud800", [float("inf")]])
def test_what_is_no_json_is_not_shown(value: Json) -> None:
    with pytest.raises(ValueError, match=r".*"):
        shortened(value)


class Row(BaseModel):
    text: str


@pytest.mark.parametrize(("room", "expected"), [(10_000, 4), (3_000, 2), (1_000, 1), (1, 1)])
def test_a_page_has_the_first_rows_that_fit_and_at_least_one(room: int, expected: int) -> None:
    rows = [Row(text=str(number) * 1_000) for number in range(4)]
    assert fitting_rows(rows, room) == tuple(rows[:expected])
    assert fitting_rows(rows[:0], room) == ()


def test_size_is_counted_in_bytes_of_json() -> None:
    rows = [Row(text="\u3042" * 1_000), Row(text="a")]
    assert fitting_rows(rows, 2_000) == (rows[0],)
    assert fitting_rows(rows, 4_000) == tuple(rows)


def test_characters_that_json_escapes_count_as_they_are_sent() -> None:
    for text in ("\x01" * 100, '"' * 100, "\\" * 100, "\u3042" * 100, "\U0001f600" * 100):
        rows = [Row(text=text)] * 2
        size = sum(map(row_size, rows))
        assert fitting_rows(rows, size) == tuple(rows)
        assert fitting_rows(rows, size - 1) == tuple(rows[:1])


@pytest.mark.parametrize("text", ['"' * 100, "\\" * 100, "\u3042\n" * 100, "plain"])
def test_a_row_is_as_large_as_half_of_what_is_sent_of_it(text: str) -> None:
    """It is sent as JSON, and in a text that holds the same JSON with its quotes escaped."""
    row = Row(text=text).model_dump_json()
    escaped = json.dumps(row, ensure_ascii=False).encode()[1:-1]
    assert escaped_length(row.encode()) == len(escaped)
    assert row_size(Row(text=text)) == (len(row.encode()) + len(escaped)) // 2 + 1


def test_a_page_that_was_cut_says_so() -> None:
    assert cut_sentence(4, 4) == ""
    assert cut_sentence(3, 4) == "; 3 of 4 shown, because a reply stops at about 8 MB"


def test_a_count_has_its_noun() -> None:
    assert [counted(number, "entity", "entities") for number in (0, 1, 2)] == ["0 entities", "1 entity", "2 entities"]


def test_an_answer_carries_its_images() -> None:
    picture = Image(b"\x89PNG", "image/png")
    assert reply_of(Row(text="a"), images=(picture,)) == Reply({"text": "a"}, images=(picture,))


def test_of_many_problems_the_first_three_are_told_and_the_others_counted() -> None:
    problems = [Problem("missing", name, f"{name} is required") for name in "abcde"]
    assert problem_sentences(problems[:3]) == "a is required; b is required; c is required"
    assert problem_sentences(problems) == "a is required; b is required; c is required; and 2 more"


class Line(BaseModel):
    text: str


def test_rows_are_added_until_one_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [Line(text="x" * 100) for _ in range(10)]
    monkeypatch.setattr(replies, "MAX_PAGE_BYTES", 3 * row_size(lines[0]))
    found = FittingRows[Line]()
    taken = iter(lines)
    found.add(taken)
    assert (len(found.rows), found.is_full, len([*taken])) == (3, True, 6)


def test_a_row_that_never_fits_is_added_if_it_is_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "MAX_PAGE_BYTES", 10)
    found = FittingRows[Line]()
    found.add([Line(text="x" * 100)])
    assert (len(found.rows), found.is_full) == (1, False)
    assert found.next_page(5) == 1


def test_the_next_page_is_about_as_long_as_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(text="x" * 100)
    monkeypatch.setattr(replies, "MAX_PAGE_BYTES", 50 * row_size(line))
    found = FittingRows[Line]()
    assert (found.next_page(1_000), found.next_page(5)) == (FIRST_PAGE, 5)
    found.add([line] * 10)
    assert (found.next_page(1_000), found.next_page(5)) == (41, 5)
