"""Tables of contents without page numbers."""

from pathlib import Path

import pytest

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, heading
from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.ingestion.plain_text import parse_text
from toolsets.concept_rag.sections import section_kinds

CHAPTERS = ("Overview", "Tool Setups", "Relays", "Coils", "Contacts", "Sockets")


def kinds_by_text(blocks: list[Block]) -> list[tuple[str, str]]:
    return [(kind, each.text) for kind, each in zip(section_kinds(blocks), blocks, strict=True)]


def book(contents: list[Block]) -> list[Block]:
    chapters = [
        each
        for number, name in enumerate(CHAPTERS, 1)
        for each in (heading(f"Chapter {number}. {name}"), block(" ".join(CIRCUITS)), block(" ".join(LEDGERS)))
    ]
    return [block("A guide to relays"), block("It says how relays are used."), *contents, *chapters]


def marked(contents: list[Block]) -> list[str]:
    return [text for kind, text in kinds_by_text(book(contents)) if kind == "contents"]


@pytest.mark.parametrize(
    "title",
    [
        "Table of Contents",
        "Inhaltsverzeichnis",
        "Inhalt",
        "Table des matières",
        "Sommaire",
        "Índice",
        "Contenido",
        "目次",
    ],
)
def test_a_title_and_numbered_lines_are_contents(title: str) -> None:
    lines = [title, "Preface", "1. Anfang", "1.1. Werkzeug", "1.2. 道具", "2. Relais", "2.1. Spulen", "A. Tafeln"]
    assert marked([block(line) for line in lines]) == lines


def test_numbered_lines_that_recur_as_headings_are_contents_without_a_title() -> None:
    lines = [f"{number}. {name}" for number, name in enumerate(CHAPTERS, 1)]
    assert marked([Block("list_item", line, 1) for line in lines]) == lines


def test_lines_without_numbers_are_contents_if_they_recur_as_headings() -> None:
    assert marked([block("Contents"), *(block(name) for name in CHAPTERS)]) == ["Contents", *CHAPTERS]


def test_a_numbered_list_is_no_table_of_contents() -> None:
    steps = ["1. Switch the relay off", "2. Take the coil out", "3. Put a new coil in", "4. Switch it on", "5. Test it"]
    assert marked([Block("list_item", step, 1) for step in steps]) == []


def test_a_text_book_has_its_contents_apart_from_its_chapters() -> None:
    entries = "\n".join(
        [
            "Preface",
            *(
                f"{number}. {name}\n    {number}.1. First\n    {number}.2. Second\n    half"
                for number, name in enumerate(CHAPTERS, 1)
            ),
        ]
    )
    chapters = "\n\n".join(
        f"Chapter {number}. {name}\n\n{' '.join(CIRCUITS)}" for number, name in enumerate(CHAPTERS, 1)
    )
    source = f"Guide to Relays\n\nTable of Contents\n\n{entries}\n\nPreface\n\n{' '.join(LEDGERS)}\n\n{chapters}\n"
    parsed = parse_text(Path("guide.txt"), source.encode())
    kinds = kinds_by_text(list(parsed.blocks))
    contents = [text for kind, text in kinds if kind == "contents"]
    assert contents[:5] == ["Table of Contents", "Preface", "1. Overview", "1.1. First", "1.2. Second half"]
    assert len(contents) == 2 + 3 * len(CHAPTERS)
    assert ("body", "Chapter 1. Overview") in kinds


def test_many_short_lines_are_read_in_time_that_grows_with_them() -> None:
    lines = [block(f"{number}. Line number {number} of it") for number in range(20_000)]
    assert set(section_kinds([*lines, *(block(" ".join(CIRCUITS)) for _ in range(5_000))])) == {"body"}
