"""The numbers with which a book labels its paragraphs are no text."""

from pathlib import Path

from tests.support.documents import epub, page, png
from toolsets.concept_rag.ingestion.blocks import Blocks
from toolsets.concept_rag.ingestion.captions import ImagePlace
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.epub import parse_epub
from toolsets.concept_rag.ingestion.paragraph_numbers import without_paragraph_numbers


def parsed(data: bytes) -> ParsedDocument:
    return parse_epub(Path("book.epub"), data)


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def numbered(number: int, content: str) -> str:
    return f"<div><label class='ocn'><a href='#o{number}'>{number}</a></label>{content}</div>"


def test_numbers_of_paragraphs_are_no_text() -> None:
    """A book labels each paragraph, those of a page without text and of pictures too; another number stays."""
    picture = "<img src='../images/a.png' alt='A relay'/>"
    pages = [
        page(numbered(1, "<h1>Relays</h1>")),
        page("".join(numbered(number, f"<p>Text {number}</p>") for number in range(2, 12))),
        page(numbered(12, "<p>1998</p>") + numbered(14, picture) + numbered(15, "<p>The end</p>")),
    ]
    document = parsed(epub(pages, files={"images/a.png": png(120, 120)}))
    assert texts(document) == ["Relays", *(f"Text {number}" for number in range(2, 12)), "1998", "The end"]
    [shown] = document.pictures
    assert shown.nearby_text.endswith("1998 The end")


def test_some_numbers_in_a_row_are_text() -> None:
    document = parsed(epub([page("".join(f"<p>{number}</p><p>a</p><p>b</p><p>c</p>" for number in range(1, 30)))]))
    assert "29" in texts(document)
    assert texts(parsed(epub([page("<p>1</p><p>2</p><p>3</p>")]))) == ["1", "2", "3"]


def labelled(count: int) -> Blocks:
    """Paragraphs with a number before each, in brackets or not."""
    blocks = Blocks()
    for number in range(1, count + 1):
        blocks.add("paragraph", f"[{number}]" if number % 2 else str(number), page=1)
        blocks.add("paragraph", f"text {number}", page=1)
    return blocks


def test_images_keep_their_place_between_the_blocks_that_stay() -> None:
    blocks = labelled(10)
    places = [ImagePlace("a", "", 1, position) for position in (0, 4, 20)]
    moved = without_paragraph_numbers(blocks, places)
    assert [block.text for block in blocks.finished()] == [f"text {number}" for number in range(1, 11)]
    assert [place.position for place in moved] == [0, 2, 10]


def test_fewer_than_ten_numbers_are_no_labels() -> None:
    blocks = labelled(9)
    assert without_paragraph_numbers(blocks, []) == []
    assert len(blocks) == 18
