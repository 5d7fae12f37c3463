"""Writers of small documents in every ingested format; the output is always the same bytes."""

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from struct import pack
from typing import Final
from xml.sax.saxutils import escape, quoteattr

TITLE: Final = "Notes on Relays"
AUTHOR: Final = "Ada Example"
YEAR: Final = "2021"


def markdown(body: str, *, title: str = TITLE, author: str = AUTHOR, date: str = f"{YEAR}-05-04") -> bytes:
    """Markdown with front matter."""
    return f"---\ntitle: {title}\nauthor: {author}\ndate: {date}\n---\n\n{body}\n".encode()


def html(
    body: str, *, title: str = TITLE, author: str = AUTHOR, date: str = f"{YEAR}-05-04", encoding: str = "utf-8"
) -> bytes:
    """A page of HTML that declares its encoding."""
    head = (
        f'<meta charset="{encoding}"><title>{escape(title)}</title>'
        f'<meta name="author" content={quoteattr(author)}><meta name="date" content="{date}">'
    )
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode(encoding)


def page(body: str, *, title: str = "Page") -> str:
    """A page of XHTML as books contain them."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'
    )


_CONTAINER: Final = (
    b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    b'<rootfile full-path="book/package.opf"/></rootfiles></container>'
)


def epub(  # noqa: PLR0913 a book has this many parts
    pages: Sequence[str],
    *,
    title: str = TITLE,
    author: str = AUTHOR,
    date: str = f"{YEAR}-05-04",
    files: Mapping[str, bytes] | None = None,
    manifest: str = "",
    metadata: str = "",
    spine: str = "",
    toc: str = "",
    attributes: Mapping[int, str] | None = None,
) -> bytes:
    """A book whose pages are `text/1.xhtml` and so on in the folder `book`.

    `toc` is the id of the NCX file; `files` are further members, by paths inside `book`; `manifest`, `metadata` and
    `spine` are added to those elements; `attributes` are those of the references to pages, counted from 1.
    """
    items = "".join(
        f'<item id="p{number}" href="text/{number}.xhtml" media-type="application/xhtml+xml"/>'
        for number in range(1, len(pages) + 1)
    )
    references = "".join(
        f'<itemref idref="p{number}" {(attributes or {}).get(number, "")}/>' for number in range(1, len(pages) + 1)
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator><dc:date>{date}</dc:date>"
        f"{metadata}</metadata><manifest>{items}{manifest}</manifest><spine toc='{toc}'>{references}{spine}</spine></package>"
    )
    members: dict[str, bytes] = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "book/package.opf": package.encode(),
    }
    members |= {f"book/text/{number}.xhtml": text.encode() for number, text in enumerate(pages, start=1)}
    members |= {f"book/{name}": content for name, content in (files or {}).items()}
    return archive(members)


_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STYLES: Final = (
    ("Title", "Title"),
    *((f"Heading{level}", f"heading {level}") for level in range(1, 4)),
    ("ListBullet", "List Bullet"),
    ("Caption", "caption"),
    ("Quote", "Quote"),
    ("SourceCode", "Source Code"),
    ("TOC1", "toc 1"),
)


def docx_paragraph(text: str, *, style: str = "", properties: str = "", content: str = "") -> str:
    """A paragraph of a Word document; `content` are further runs."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run}{content}</w:p>"


def docx_image(relation: str, *, alternative: str = "") -> str:
    """A run with an image; `relation` is the name of a file among the media."""
    blip = f'<a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="{relation}"/>'
    return (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        f'<wp:docPr id="1" name="Picture 1" descr={quoteattr(alternative)}/>{blip}</wp:inline></w:drawing></w:r>'
    )


def docx(
    body: Sequence[str],
    *,
    title: str = "",
    author: str = "",
    created: str = f"{YEAR}-05-04T10:00:00Z",
    media: Mapping[str, bytes] | None = None,
    styles: str = "",
    footnotes: str = "",
) -> bytes:
    """A Word document of paragraphs and tables; `media` are images by the names of their relationships."""
    named = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>' for key, name in _STYLES
    )
    relations = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/image" Target="media/{key}.png"/>' for key in media or {}
    )
    root = f'xmlns:w="{_W}" xmlns:r="{_OFFICE}"'
    package = "http://schemas.openxmlformats.org/package/2006"
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {root}><w:body>{''.join(body)}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {root}>{named}{styles}</w:styles>",
        "word/footnotes.xml": f"<w:footnotes {root}>{footnotes}</w:footnotes>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{package}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f"<dcterms:created>{created}</dcterms:created></cp:coreProperties>",
    }
    members |= {f"word/media/{key}.png": image for key, image in (media or {}).items()}
    return archive({name: part.encode() if isinstance(part, str) else part for name, part in members.items()})


def archive(members: Mapping[str, bytes], *, links: Mapping[str, str] | None = None) -> bytes:
    """A zip archive; `links` are symbolic links with their targets."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in members.items():
            written.writestr(_member(name), content)
        for name, target in (links or {}).items():
            link = _member(name)
            link.external_attr = 0o120777 << 16
            written.writestr(link, target)
    return buffer.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (2021, 5, 4, 10, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def png(width: int = 160, height: int = 120, *, seed: int = 1) -> bytes:
    """A grey image whose pattern depends on `seed`."""
    rows = b"".join(b"\0" + bytes((x * seed + y * 3) & 0xFF for x in range(width)) for y in range(height))
    return _png(width, height, 0, rows)


def plain_png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """An image of one colour, given as red, green and blue up to 255."""
    return _png(width, height, 2, (b"\0" + bytes(colour) * width) * height)


def _png(width: int, height: int, colours: int, rows: bytes) -> bytes:
    chunks = (
        (b"IHDR", pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(body)) + name + body + pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def pdf(pages: Sequence[Sequence[str]], *, title: str = TITLE, author: str = AUTHOR, year: str = YEAR) -> bytes:
    """A PDF file with lines of text; the first line of a page is larger. Texts are ASCII."""
    count = len(pages)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{5 + 2 * index} 0 R' for index in range(count))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({_pdf_text(title)}) /Author ({_pdf_text(author)}) /CreationDate (D:{year}0504100000Z) >>",
    ]
    for index, lines in enumerate(pages):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {resources} /Contents {6 + 2 * index} 0 R >>"
        )
        stream = _pdf_stream(lines)
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _pdf_file(objects)


def _pdf_stream(lines: Sequence[str]) -> str:
    parts: list[str] = []
    height = 780
    for index, line in enumerate(lines):
        size = 20 if index == 0 else 11
        for piece in _wrapped(line, 85):
            parts.append(f"BT /F1 {size} Tf 60 {height} Td ({_pdf_text(piece)}) Tj ET")
            height -= round(size * 1.3)
        height -= 14
    return "\n".join(parts)


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _pdf_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _pdf_file(objects: Sequence[str]) -> bytes:
    parts = [b"%PDF-1.4\n"]
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(sum(map(len, parts)))
        parts.append(f"{number} 0 obj\n{body}\nendobj\n".encode("ascii"))
    start = sum(map(len, parts))
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    parts.append(
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n".encode("ascii")
    )
    return b"".join(parts)
