"""Small documents in every format that is ingested: the writers of the contract suite, and a sample of each."""

from collections.abc import Mapping, Sequence
from typing import Final

from contracts.documents import (
    AUTHOR,
    TITLE,
    YEAR,
    archive,
    docx,
    docx_image,
    docx_paragraph,
    epub,
    html,
    markdown,
    page,
    pdf,
    png,
)

__all__ = [
    "AUTHOR",
    "PARAGRAPHS",
    "TITLE",
    "YEAR",
    "archive",
    "docx",
    "docx_image",
    "docx_paragraph",
    "docx_table",
    "epub",
    "html",
    "markdown",
    "page",
    "pdf",
    "png",
    "samples",
]

PARAGRAPHS: Final = (
    "A relay is a switch that a small current operates. It keeps the circuit of the coil apart from the circuit of the load.",
    "The contacts bounce for some milliseconds after they close. A debounce circuit waits until they have come to rest.",
)
"""The text of the samples."""


def docx_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of a Word document."""
    cells = ("".join(f"<w:tc>{docx_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def samples() -> Mapping[str, bytes]:
    """One document of each format by a file name, with the same title, author, year and paragraphs."""
    return {
        "relays.docx": docx(
            [docx_paragraph(TITLE, style="Heading1"), *map(docx_paragraph, PARAGRAPHS)], title=TITLE, author=AUTHOR
        ),
        "relays.epub": epub([page(f"<h1>{TITLE}</h1>" + "".join(f"<p>{text}</p>" for text in PARAGRAPHS))]),
        "relays.html": html("".join(f"<p>{text}</p>" for text in PARAGRAPHS)),
        "relays.md": markdown(f"# {TITLE}\n\n" + "\n\n".join(PARAGRAPHS)),
        "relays.pdf": pdf([[TITLE, *PARAGRAPHS]]),
        "relays.txt": f"{TITLE}\n{'=' * len(TITLE)}\n\nby {AUTHOR}\n\nCopyright {YEAR}\n\n{chr(10).join(PARAGRAPHS)}\n".encode(),
    }
