"""What is read from Markdown."""

from pathlib import Path

from tests.support.documents import markdown, png
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.ingestion.markdown import parse_markdown


def parsed(data: bytes | str, path: Path = Path("notes.md")) -> ParsedDocument:
    return parse_markdown(path, data.encode() if isinstance(data, str) else data)


def test_blocks_keep_their_kind() -> None:
    source = (
        "Title\n=====\n\nA *wrapped*\nparagraph with `code`.\n\n## Part\n\n- one\n- two\n  lines\n\n> said\n\n"
        "```python\ndef f():\n    pass\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<details><p>inside</p></details>\n"
    )
    assert parsed(source).blocks == (
        Block("heading", "Title", 1, 1),
        Block("paragraph", "A wrapped paragraph with code.", 1),
        Block("heading", "Part", 1, 2),
        Block("list_item", "one", 1),
        Block("list_item", "two lines", 1),
        Block("quote", "said", 1),
        Block("code", "def f():\n    pass", 1),
        Block("table", "a | b", 1),
        Block("table", "1 | 2", 1),
        Block("paragraph", "inside", 1),
    )


def test_the_first_heading_is_the_title_where_there_is_no_front_matter() -> None:
    assert parsed("text\n\n## Two\n\n# One\n").title == "One"


def test_images_beside_the_file_are_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    document = parsed("![A chart of it](a.png)\n\n![x](../a.png)\n\ntext", tmp_path / "notes.md")
    assert [(picture.caption, picture.visual_type) for picture in document.pictures] == [("A chart of it", "chart")]


def test_other_encodings_are_read() -> None:
    assert parsed("# Käse\n\ntext".encode("utf-16")).title == "Käse"


def test_the_sample_is_read_as_it_was_written() -> None:
    document = parsed(markdown("# Heading\n\ntext", title="Stated", author="Ada Example", date="2021-01-01"))
    assert (document.title, document.author, document.year) == ("Stated", "Ada Example", "2021")


def test_a_title_in_the_front_matter_may_look_like_a_file_name() -> None:
    assert parsed("---\ntitle: package.json\n---\n\n### Description\n\nIt must be JSON.\n").title == "package.json"
