"""Contents, references, front and back matter are told from the body, by headings and by shape."""

import pytest

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, heading
from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.sections import SectionKind, section_kinds

PROSE = [block(" ".join(CIRCUITS)), block(" ".join(LEDGERS))]
LEADERS = [
    block(f"{number}.1 Circuits of kind {number} . . . . . . . . . . . . {10 * number}") for number in range(1, 9)
]
CITATIONS = [
    block(f"[{number}] A. Author and B. Writer. On circuits. Journal of Things, 12(3):45-67, 19{80 + number}.")
    for number in range(1, 8)
]
ENTRIES = [
    block(f"{word}, {number}, {number + 4}-{number + 6}")
    for number, word in enumerate("adc bus coil diode emf fet".split(), 20)
]


def kinds_of(*blocks: Block) -> list[SectionKind]:
    return section_kinds(blocks)


def body(chapters: int) -> list[Block]:
    return [each for number in range(chapters) for each in (heading(f"{number + 1} Chapter on circuits"), *PROSE)]


def test_sections_named_by_their_headings() -> None:
    blocks = [
        heading("Table of Contents"), *LEADERS, heading("Preface"), PROSE[0], *body(9),
        heading("References"), *CITATIONS, heading("Index"), *ENTRIES,
    ]  # fmt: skip
    kinds = section_kinds(blocks)
    named = {blocks[place].text: kinds[place + 1] for place in range(len(blocks)) if blocks[place].kind == "heading"}
    assert named["Table of Contents"] == "contents"
    assert named["Preface"] == "front_matter"
    assert named["5 Chapter on circuits"] == "body"
    assert named["References"] == "references"
    assert named["Index"] == "back_matter"


@pytest.mark.parametrize(
    "title", ["Bibliography", "12. References", "Appendix B: Bibliography", "WORKS CITED", "Literaturverzeichnis"]
)
def test_references_have_many_names(title: str) -> None:
    assert kinds_of(*body(5), heading(title), *CITATIONS)[-1] == "references"


@pytest.mark.parametrize("title", ["Concept Index", "Function and Variable Index", "A. Index"])
def test_indexes_have_many_names(title: str) -> None:
    assert kinds_of(*body(6), heading(title), *ENTRIES)[-1] == "back_matter"


def test_runs_are_found_by_shape_where_there_is_no_heading() -> None:
    kinds = kinds_of(*LEADERS, *PROSE * 5, *CITATIONS, *ENTRIES)
    assert kinds[: len(LEADERS)] == ["contents"] * len(LEADERS)
    assert kinds[len(LEADERS) : -13] == ["body"] * 10
    assert kinds[-13:-6] == ["references"] * 7
    assert kinds[-6:] == ["back_matter"] * 6


def test_a_chapter_called_references_stays_body_when_it_is_prose() -> None:
    """In a book on C++ the chapter on references stands in the middle and cites nothing."""
    kinds = kinds_of(*body(3), heading("References"), *PROSE, *body(8))
    assert set(kinds) == {"body"}


def test_a_chapter_called_contents_stays_body_when_it_is_prose() -> None:
    assert set(kinds_of(*body(4), heading("Contents"), *PROSE, *body(4))) == {"body"}


def test_contents_end_where_prose_begins() -> None:
    kinds = kinds_of(heading("Contents"), *LEADERS, *PROSE * 6)
    assert kinds[: len(LEADERS) + 1] == ["contents"] * (len(LEADERS) + 1)
    assert set(kinds[len(LEADERS) + 1 :]) == {"body"}


def test_a_table_of_contents_that_a_page_break_tore_apart_is_whole() -> None:
    kinds = kinds_of(*LEADERS, block("A short line"), block("CHAPTER ONE"), *LEADERS, *PROSE * 9)
    assert kinds[: 2 * len(LEADERS) + 2] == ["contents"] * (2 * len(LEADERS) + 2)


def test_pages_before_the_copyright_notice_are_front_matter() -> None:
    kinds = kinds_of(
        block("Circuits"), block("A. Author"), block("Copyright © 2020 A. Author. All rights reserved."), *body(9)
    )
    assert kinds[:3] == ["front_matter"] * 3
    assert set(kinds[3:]) == {"body"}


def test_acknowledgements_at_the_end_are_back_matter() -> None:
    assert kinds_of(*body(9), heading("Acknowledgements"), block("We thank all readers."))[-1] == "back_matter"


def test_a_numbered_section_on_licences_is_body() -> None:
    assert set(kinds_of(*body(1), heading("1.2 License", 2), *PROSE, *body(8))) == {"body"}


def test_subsections_belong_to_their_section() -> None:
    blocks = [*body(9), heading("References", 1), heading("Books", 2), *CITATIONS, heading("Papers", 2), *CITATIONS]
    assert set(section_kinds(blocks)[28:]) == {"references"}


def test_code_with_numbers_and_lists_of_prose_are_body() -> None:
    numbers = [block("values = [1, 2, 3, 4, 5, 6]", "code"), *[block("Use it in 1990, then stop.", "list_item")] * 9]
    assert set(kinds_of(*body(3), *numbers, *body(3))) == {"body"}


def test_no_blocks_have_no_kinds() -> None:
    assert kinds_of() == []


def test_thirty_thousand_headings_take_linear_time() -> None:
    kinds = section_kinds([heading("Index")] * 30_000)
    assert len(kinds) == 30_000
    assert kinds[-1] == "back_matter"


def test_references_are_recognised_although_addresses_in_the_type_of_code_split_them() -> None:
    entry = block(
        "Hill M, Weir J, Moss K (2015). “Rivers and Weirs of the North Land and its Coast.” Journal of Rivers, 67(1). doi:"
    )
    plain = block("Arne P (2009). “Modelling the River in the Flat Land with Some Certainty”")
    address = block("10.1162/rest.90.3.414.", "code")
    parts = [entry, address, plain, address, plain, address]
    kinds = section_kinds([*(block(" ".join(CIRCUITS)) for _ in range(8)), heading("References"), *parts * 12])
    assert kinds[8:] == ["references"] * 73
