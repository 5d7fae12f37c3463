"""Title, author and year: the metadata's where they say something, else the first page's."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, prose
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.pdf.parser import parse_pdf


def book(
    folder: Path, *, title: str = "", author: str = "", front: list[tuple[str, float]] | None = None
) -> ParsedDocument:
    sheets = Sheets()
    if title:
        sheets.pdf.set_title(title)
    if author:
        sheets.pdf.set_author(author)
    sheets.page()
    for place, (text, size) in enumerate(front or []):
        sheets.text(100, 120 + 30 * place, text, size=size)
    sheets.lines(prose(88), y=500).page().lines(prose(88))
    return parse_pdf(sheets.save(folder / "rivers_v3.pdf"))


FRONT = [
    ("The Rivers of the North", 24.0),
    ("An Account in Three Parts", 14.0),
    ("by Mary Hill and John de la Mare", 12.0),
]


def test_the_metadata_comes_first(tmp_path: Path) -> None:
    document = book(tmp_path, title="Rivers", author="M. Hill", front=FRONT)
    assert (document.title, document.author, document.year) == ("Rivers", "M. Hill", "2019")


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - rivers.doc",
        "untitled",
        "Untitled-1",
        "(anonymous)",
        "(unspecified)",
        "rivers_v3",
        "rivers.dvi",
        "main.tex",
        "C:\\docs\\rivers.indd",
        "Document1",
        "   ",
        "1",
        "PowerPoint Presentation",
        "<4D6963726F736F667420576F7264>",
    ],
)
def test_junk_titles_give_way_to_the_first_page(tmp_path: Path, title: str) -> None:
    assert book(tmp_path, title=title, front=FRONT).title == "The Rivers of the North"


def test_a_file_name_of_words_is_better_than_nothing(tmp_path: Path) -> None:
    assert book(tmp_path, title="Microsoft Word - Annual report of the mill.docx").title == "Annual report of the mill"
    assert book(tmp_path).title == ""


@pytest.mark.parametrize("author", ["", "user", "Administrator", "unknown", "Microsoft Office User"])
def test_junk_authors_give_way_to_the_names_below_the_title(tmp_path: Path, author: str) -> None:
    assert book(tmp_path, author=author, front=FRONT).author == "Mary Hill and John de la Mare"


@pytest.mark.parametrize(
    "line", ["Department of Rivers", "Version 3.2", "May 2019", "All Rights Reserved", "For Students"]
)
def test_what_is_no_name_is_no_author(tmp_path: Path, line: str) -> None:
    assert book(tmp_path, front=[("The Rivers of the North", 24.0), (line, 12.0)]).author == ""


def test_a_title_of_two_lines_is_one_title(tmp_path: Path) -> None:
    front = [("The Rivers of the North and", 24.0), ("their Bridges", 24.0), ("Mary Hill", 12.0)]
    document = book(tmp_path, front=front)
    assert (document.title, document.author) == ("The Rivers of the North and their Bridges", "Mary Hill")


def test_the_year_is_that_of_the_copyright_when_the_metadata_has_none(tmp_path: Path) -> None:
    document = book(tmp_path, front=[*FRONT, ("First printed 1998. Copyright 2001-2004 Mary Hill", 10.0)])
    path = tmp_path / "rivers_v3.pdf"
    path.write_bytes(path.read_bytes().replace(b"/CreationDate (D:2019", b"/CreationDate (D:0000"))
    assert document.year == "2019"
    assert parse_pdf(path).year == "2004"


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("May 2004", "2004"), ("12 March 1998", "1998"), ("Published on June 3, 2001", "2001"), ("2003-05-01", "2003"),
        ("1.7.1998", "1998"), ("Journal of Rivers, November 2004, Volume 11", "2004"),
        ("The flood of March 1998 and its causes", "2019"), ("Rivers since 1998", "2019"),
    ],
)  # fmt: skip
def test_a_printed_date_comes_before_the_date_of_the_file(tmp_path: Path, line: str, year: str) -> None:
    assert book(tmp_path, front=[*FRONT, (line, 10.0)]).year == year


def test_names_and_titles_are_bounded(tmp_path: Path) -> None:
    document = book(tmp_path, title="very " * 400 + "long", author="Mary Hill, " * 200)
    assert len(document.title) <= 300
    assert len(document.author) <= 300


def test_names_in_several_lines_are_read_without_the_marks_of_their_affiliations(tmp_path: Path) -> None:
    front = [
        ("The Rivers of the North", 24.0),
        ("Mary Hill*+, John de la Mare*, Ann R. Waters$ ,", 12.0),
        ("Carl Sky#, Eva Lund+", 12.0),
        ("Northern Corporation*", 12.0),
    ]
    assert book(tmp_path, front=front).author == "Mary Hill, John de la Mare, Ann R. Waters, Carl Sky, Eva Lund"


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Mary Hill* Ann R. Waters+", "Mary Hill, Ann R. Waters"),
        ("Mary Hill Ann Waters Carl Sky", "Mary Hill, Ann Waters, Carl Sky"),
        ("Northern Corporation", ""),
        ("Starting Octave", ""),
    ],
)
def test_names_are_separated_and_others_are_no_names(tmp_path: Path, line: str, author: str) -> None:
    assert book(tmp_path, front=[("The Rivers of the North", 24.0), (line, 12.0)]).author == author


def test_the_address_of_an_object_is_no_author(tmp_path: Path) -> None:
    assert book(tmp_path, author="ARRAY(0x2c7cf020)", front=FRONT).author == "Mary Hill and John de la Mare"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (" - The river and its banks", "The river and its banks"),
        ("The river and its banks ∗", "The river and its banks"),
        ("The package river.asy*", "The package river.asy"),
        ("The river and its banks†‡", "The river and its banks"),
        ("The search for rivers with A*", "The search for rivers with A*"),
        ("Rivers - 1990 - 2000", "Rivers - 1990 - 2000"),
    ],
)
def test_dashes_before_and_footnote_marks_after_a_title_are_no_part_of_it(
    tmp_path: Path, title: str, expected: str
) -> None:
    assert book(tmp_path, title=title).title == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (
            "Mary Hill, with help by Carl Sky,, and others., ` `%%%`#`&12_`__~~~",
            "Mary Hill, with help by Carl Sky, and others.",
        ),
        ("SE:W:CAR:MP:I:S", "Mary Hill and John de la Mare"),
        ("W:CAR:MP:FP", "Mary Hill and John de la Mare"),
        ("Hill, M., Sky, C.", "Hill, M., Sky, C."),
    ],
)
def test_signs_and_codes_of_departments_are_no_authors(tmp_path: Path, stated: str, expected: str) -> None:
    assert book(tmp_path, author=stated, front=FRONT).author == expected


def test_the_heading_of_the_contents_is_no_title(tmp_path: Path) -> None:
    assert book(tmp_path, front=[("Contents", 24.0), ("1 The Rivers", 12.0)]).title != "Contents"


def article(
    folder: Path, front: list[str], *, bold: bool = False, centred: bool = False, size: float = 10
) -> ParsedDocument:
    sheets = Sheets().page()
    sheets.pdf.set_font("Times", "B" if bold else "", size)
    for place, text in enumerate(front):
        x = 306 - sheets.pdf.get_string_width(text) / 2 if centred else 72
        sheets.text(x, 90 + 30 * place, text, size=size, face="B" if bold and place == 0 else "")
    sheets.lines(prose(110), y=100 + 30 * len(front)).page().lines(prose(110))
    return parse_pdf(sheets.save(folder / "rivers_v3.pdf"))


@pytest.mark.parametrize(
    ("title", "bold", "centred"),
    [
        ("THE RIVERS OF THE NORTH: A SURVEY", True, True),
        ("THE RIVERS OF THE t-SHAPED NORTH", False, True),
        ("The Rivers of the North", True, True),
        ("The Rivers of the North", False, True),
        ("The Rivers of the North", True, False),
        ("THE RIVERS OF THE NORTH", False, False),
        ("INTRODUCTION TO RIVERS", False, True),
        ("Summary of River Characteristics", True, False),
        ("X Window System Protocol", True, True),
        ("Table Tennis Rules", True, False),
        ("2001 Annual Report", True, True),
    ],
)
def test_a_title_in_the_type_of_the_text_is_bold_or_in_capitals_or_centred(
    tmp_path: Path, title: str, *, bold: bool, centred: bool
) -> None:
    names = "MARY HILL, ANN R. WATERS, AND CARL SKY"
    document = article(tmp_path, [title, names], bold=bold, centred=centred)
    assert (document.title, document.author) == (title, names)


@pytest.mark.parametrize(
    "line",
    [
        "1 Introduction",
        "IV. Methods",
        "Chapter 2",
        "Appendix B",
        "Abstract",
        "May 2004",
        "NOTICE",
        "Contents of the book",
        "Dear Mary Hill,",
        "It ends here.",
    ],
)
def test_headings_dates_and_sentences_in_the_type_of_the_text_are_no_titles(tmp_path: Path, line: str) -> None:
    assert article(tmp_path, [line], bold=True, centred=True).title == ""


def test_a_first_line_of_prose_is_no_title(tmp_path: Path) -> None:
    assert article(tmp_path, ["The river rises in the hills to the north of the town"]).title == ""
