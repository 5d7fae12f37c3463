"""What the text around a visual says about it: the section's heading, and the sentence that refers to it."""

from pathlib import Path

import pytest

from tests.support.documents import docx, docx_image, docx_paragraph, docx_table, epub, html, page, png
from toolsets.concept_rag.ingestion.document import Block, BlockKind, Format
from toolsets.concept_rag.ingestion.formats import PARSERS
from toolsets.concept_rag.ingestion.surroundings import MAX_CONTEXT, Surroundings, VisualContext

HEADING = Block("heading", "3.1 The boot", 1, 2)


def text(words: str, kind: BlockKind = "paragraph") -> Block:
    return Block(kind, words, 1)


def context(before: list[Block], after: list[Block], *, rows: list[Block] | None = None) -> VisualContext:
    """Return the context of a visual between blocks; of a table if it has `rows`."""
    blocks = [*before, *(rows or ()), *after]
    return Surroundings(blocks).of(len(before), len(before) + len(rows or ()), is_table=rows is not None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            ["It starts. The following picture shows the order. Then it stops."],
            [],
            "The following picture shows the order.",
        ),
        (["The loader runs as shown below. It is small."], ["It ends."], "The loader runs as shown below."),
        (["The order of the four steps is fixed:"], [], "The order of the four steps is fixed:"),
        (["See the image below.", "It is an old one that many people know."], [], "See the image below."),
        (["A loader is small."], ["The previous figure has four steps."], "The previous figure has four steps."),
        (["Nothing."], ["The steps are shown above. They end."], "The steps are shown above."),
        (["As Figure 3 tells, the kernel comes last."], [], "As Figure 3 tells, the kernel comes last."),
        (["Some words. A loader reads the kernel from the disk."], [], "A loader reads the kernel from the disk."),
        (["Short."], ["The kernel mounts the disk. It ends."], "The kernel mounts the disk."),
        (["which ends a sentence that began above some listing."], ["Short."], ""),
        (
            ["The following table has the times of all the steps."],
            [],
            "The following table has the times of all the steps.",
        ),
        (
            ['> legend(240, 0.6, c("the death rate", "the birth rate"))'],
            ["The kernel mounts the disk."],
            "The kernel mounts the disk.",
        ),
        (["Death after the end), col=c(1,2), lty=2, lwd=2)"], [], ""),
        (["D D D D &"], [], ""),
        ([], [], ""),
    ],
)
def test_the_sentence_that_refers_to_a_picture_follows_the_heading(
    before: list[str], after: list[str], expected: str
) -> None:
    found = context(
        [HEADING, *map(text, before)], [*map(text, after), Block("heading", "Next", 1, 2), text("This picture.")]
    )
    assert found.text == (f"3.1 The boot: {expected}" if expected else "3.1 The boot")


def test_a_sentence_about_another_picture_or_table_is_left_out() -> None:
    captioned = text("Figure 3: The kernel", "caption")
    rows = [text("Step | Seconds", "table"), text("Loader | 2", "table")]
    assert context([text("As Figure 3 tells, it ends.")], [captioned]).text == "As Figure 3 tells, it ends."
    assert context([text("As Figure 3 tells."), text("x")], [captioned]).text == ""
    assert (
        context([text("The following table has the times.")], [], rows=rows).text
        == "The following table has the times."
    )
    assert context([text("The following picture has the times.")], [], rows=rows).text == "Step, Seconds"
    assert context([HEADING, text("The table below tells: x"), text("y")], rows).text == "3.1 The boot"


def test_a_table_that_no_sentence_refers_to_has_its_first_row() -> None:
    rows = [text("Step | | Seconds |", "table"), text("Loader | a | 2 | b", "table")]
    assert context([HEADING, text("A loader reads the kernel.")], [], rows=rows).text == "3.1 The boot: Step, Seconds"


@pytest.mark.parametrize(
    ("heading", "sentence", "expected"),
    [
        ("The boot", "The following flow chart has the steps.", "flowchart"),
        ("The boot", "The charts below have the times.", "chart"),
        ("The boot", "This screenshot has a chart.", None),
        ("Flowcharts of the boot", "The following pictures are old.", "flowchart"),
        ("Flowcharts of the boot", "The following diagram is old.", "diagram"),
        ("The boot", "The following table is a picture.", "table"),
    ],
)
def test_the_sentence_or_the_heading_names_the_type(heading: str, sentence: str, expected: str | None) -> None:
    assert context([Block("heading", heading, 1, 1), text(sentence)], []).visual_type == expected


def test_a_context_is_bounded() -> None:
    found = context([Block("heading", "Boot " * 200, 1, 1), text("The following picture is old " + "x " * 500)], [])
    assert 200 < len(found.text) <= MAX_CONTEXT + 2


def test_a_long_document_of_pictures_is_read_in_linear_time() -> None:
    blocks = [text("Loader | 2", "table") for _ in range(100_000)]
    surroundings = Surroundings(blocks)
    for place in range(0, 100_000, 200):
        assert surroundings.of(place).text == ""


def documents(folder: Path) -> dict[Format, bytes]:
    """Return a document in each format with a picture and a table that have no caption; its image is in the folder."""
    (folder / "a.png").write_bytes(png())
    sentence = "The following diagram shows the coil."
    rows = [["Part of the relay", "Ohms"], ["Coil", "40"], ["Contact", "0.1"]]
    table = "".join(f"<tr><td>{part}</td><td>{ohms}</td></tr>" for part, ohms in rows)
    head = f"<h1>Relays</h1><h2>Coils</h2><p>A coil is long. {sentence}</p><p><img src='a.png'/></p><h2>Ohms</h2>"
    markup = f"{head}<table>{table}</table>"
    word = [
        docx_paragraph("Coils", style="Heading1"),
        docx_paragraph(f"A coil is long. {sentence}"),
        docx_paragraph("", content=docx_image("i")),
        docx_paragraph("Ohms", style="Heading1"),
        docx_table(rows),
    ]
    source = f"# Coils\n\nA coil is long. {sentence}\n\n![](a.png)\n\n# Ohms\n\n"
    source += "\n".join(f"|{part}|{ohms}|" for part, ohms in (rows[0], ("--", "--"), *rows[1:]))
    return {
        "markdown": source.encode(),
        "html": html(markup),
        "epub": epub([page(markup)], files={"text/a.png": png()}),
        "docx": docx(word, media={"i": png()}),
    }


@pytest.mark.parametrize("found", ["markdown", "html", "epub", "docx"])
def test_visuals_without_a_caption_have_their_context_in_every_format(found: Format, tmp_path: Path) -> None:
    document = PARSERS[found].load_bytes_parser()(tmp_path / "x", documents(tmp_path)[found])
    assert [(picture.visual_type, picture.context) for picture in document.pictures] == [
        ("diagram", "Coils: The following diagram shows the coil."),
        ("table", "Ohms: Part of the relay, Ohms"),
    ]
