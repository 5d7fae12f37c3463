"""Titles, authors and years are made even, and nothing is read into prose."""

import pytest

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.ingestion.metadata import (
    authors_from,
    best_title,
    first_page_author,
    first_page_year,
    title_from,
    year_from,
)


def paragraph(text: str) -> list[Block]:
    return [Block("paragraph", text, 1)]


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Real Title", "Real Title"),
        ("developers-reference", "Heading"),
        ("Microsoft Word - x.doc", "Heading"),
        ("", "Heading"),
    ],
)
def test_the_name_of_a_file_is_no_title_where_there_is_a_heading(stated: str, title: str) -> None:
    assert best_title(stated, [Block("heading", "Heading", 1, 1)]) == title
    assert best_title(stated, []) == stated


def test_titles_are_one_line_of_bounded_length() -> None:
    assert title_from([None, " ", "Untitled", "a\n b\u200b"]) == "a b"
    assert len(title_from(["x" * 10_000])) == 300


def test_authors_are_named_once_without_addresses() -> None:
    assert authors_from(["Ada L. <a@b.org>", "Ada L.", None, "unknown", "Bob"]) == "Ada L., Bob"
    assert authors_from(["Lovelace, Ada", "Bob"]) == "Lovelace, Ada; Bob"


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("2020-05-04", "2020"),
        ("D:20210504100000Z", "2021"),
        ("4 May 1998", "1998"),
        ("0101-01-01", ""),
        ("x", ""),
        (None, ""),
    ],
)
def test_a_year_is_found_in_a_date(date: str | None, year: str) -> None:
    if date is not None and date.startswith("D:"):
        date = date[2:6]
    assert year_from([date]) == year


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("by Ada Lovelace", "Ada Lovelace"),
        ("Written by Ada Lovelace & Charles Babbage", "Ada Lovelace, Charles Babbage"),
        ("Author: Ludwig van Beethoven", "Ludwig van Beethoven"),
        ("By Carl Sky, 2008", "Carl Sky"),
        ("Von Günther Müller, 1987", "Günther Müller"),
        ("by Ada Lovelace and Charles Babbage (1843).", "Ada Lovelace, Charles Babbage"),
        ("Von Montag an, 1987", ""),
        ("by hand", ""),
        ("By Friday we had arrived in the city of London", ""),
        ("By the Author", ""),
    ],
)
def test_an_author_is_read_from_a_line_of_names_only(line: str, author: str) -> None:
    assert first_page_author(paragraph(line)) == author


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("Copyright © 1998-2004 A. L.", "2004"),
        ("Version 3.2, released 2019-02-01", "2019"),
        ("12 May 2003", "2003"),
        ("May 12, 2003", "2003"),
        ("By Carl Sky, 2008", "2008"),
        ("Von Günther Müller, 1987", "1987"),
        ("By Friday, 2008", ""),
        ("In 1850 the relay was new", ""),
        (
            "Debian 11 was released after two years of work in the summer of the year 2021, which many people remember",
            "",
        ),
    ],
)
def test_a_year_is_read_from_a_line_about_the_document(line: str, year: str) -> None:
    assert first_page_year(paragraph(line)) == year
