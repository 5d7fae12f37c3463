"""Texts without meaningful sentences are summarised by what they have."""

from tests.support.parsed_documents import block, heading
from toolsets.concept_rag.fallback_summary import fallback_summary
from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.sections import SectionKind


def summary_of(*blocks: Block) -> str:
    kinds: list[SectionKind] = ["body"] * len(blocks)
    return fallback_summary(blocks, kinds, 700)


def test_the_first_sentences_are_no_notice_of_a_licence() -> None:
    legal = block("Этот документ является свободно распространяемым и может быть изменён.")
    assert summary_of(legal, block("Проект основан в августе.")) == "Проект основан в августе."
    notice = block("Copyright by Jane Doe, GNU Free Documentation License.")
    assert summary_of(notice, block("Das Alphabet ist endlich.")) == "Das Alphabet ist endlich."


def test_a_line_that_is_printed_on_each_page_is_no_summary_of_a_form() -> None:
    pages = [block(f"Form 1040 (2007) Page {page}") for page in range(1, 6)]
    assert summary_of(*pages, block("Filing status and name")) == "Filing status and name"
    assert summary_of(*pages, heading("Deductions"), heading("Tax on Income")) == "Deductions; Tax on Income."


def test_headings_about_authors_and_links_are_no_summary() -> None:
    page = (heading("Norse"), heading("External links"), block("Constellations", "list_item"), heading("Author"))
    assert summary_of(*page, block("Contributed by a user")) == "Constellations Contributed by a user"


def test_a_text_of_tables_has_no_summary() -> None:
    assert summary_of(block("a | b", "table"), block("1 | 2", "table")) == ""


def test_a_text_of_lines_that_differ_in_numbers_only_has_its_beginning() -> None:
    assert summary_of(*(block(f"Entry {number}") for number in range(1, 4))) == "Entry 1 Entry 2 Entry 3"
