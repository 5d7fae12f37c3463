"""Images of a page are files inside its folder, and data in its text."""

import base64
from pathlib import Path

from tests.support.documents import html, png
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.ingestion.html import parse_html


def parsed(data: bytes, path: Path = Path("page.html")) -> ParsedDocument:
    return parse_html(path, data)


def test_images_inside_the_folder_are_pictures_and_others_are_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "in side.png").write_bytes(png(seed=1))
    (tmp_path / "outside.png").write_bytes(png(seed=2))
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    body = (
        "<img src='images/in%20side.png' alt='Circuit'><img src='../outside.png'><img src='link.png'>"
        f"<img src='{tmp_path}/outside.png'><img src='file://{tmp_path}/outside.png'><img src='http://h/x.png'>"
        "<img src='//h/x.png'><img src='/dev/zero'><img src='missing.png'><img src='images'><p>text</p>"
    )
    document = parsed(html(body), folder / "page.html")
    assert [(picture.caption, picture.visual_type) for picture in document.pictures] == [("Circuit", "diagram")]
    assert document.notes == ("1 image is left out: there is no file at its path beside the page.",)


def test_embedded_images_are_pictures_within_their_limit() -> None:
    good = base64.b64encode(png()).decode()
    body = (
        f"<img src='data:image/png;base64,{good}'><img src='data:image/png;base64,%%%'>"
        f"<img src='data:text/html,x'><img src='data:image/png;base64,{'A' * (28 << 20)}'><p>text</p>"
    )
    document = parsed(html(body))
    assert len(document.pictures) == 1
    assert any("20 MiB" in note for note in document.notes)


def test_the_caption_of_an_image_is_not_that_of_the_table_before_it() -> None:
    good = base64.b64encode(png()).decode()
    table = "<table><tr><th>Day</th><th>Loaves</th></tr><tr><td>Mon</td><td>40</td></tr></table>"
    figure = (
        f"<figure><img src='data:image/png;base64,{good}'><figcaption>Temperature of the oven</figcaption></figure>"
    )
    pictures = parsed(html(f"<h1>Bakery</h1>{table}{figure}<p>text</p>")).pictures
    assert sorted((picture.visual_type, picture.caption) for picture in pictures) == [
        ("figure", "Temperature of the oven"),
        ("table", ""),
    ]
