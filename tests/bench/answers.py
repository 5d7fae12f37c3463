"""Questions and answers from Debian's documents, as support conversations; the documents come from Debian's archive.

The packages are downloaded by name with apt-get and unpacked with dpkg-deb into a cache outside the repository.
"""

import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from platformdirs import user_cache_path
from selectolax.lexbor import LexborHTMLParser, LexborNode

CACHE: Final = user_cache_path("entrepot-bench") / "debian-documents"
DOCUMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "faq": ("debian-faq", "usr/share/doc/debian/FAQ/*.en.html"),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html/en-US/s*.html"),
    "reference": ("debian-reference-en", "usr/share/debian-reference/ch*.en.html"),
}
"""The package of each document, and where its chapters are."""
LONGEST_ANSWER: Final = 4_000
_NOT_OWN: Final = ("titlepage", "section", "toc", "sidebar")
_NUMBER: Final = re.compile(r"[A-Z0-9]+(?:\.\d+)*\.\W*")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with a conversation that answers it, and the same question in other words."""

    question: str
    conversation: str
    again: str


def written(file: Path) -> list[Answered]:
    """Return the conversations of a file: tables `[[item]]` with `name`, `conversation` and `query`."""
    items = cast("list[dict[str, str]]", tomllib.loads(file.read_text(encoding="utf-8"))["item"])
    return [Answered(item["name"], item["conversation"], item["query"]) for item in items]


def answered() -> list[Answered]:
    """Return all questions. Raises `KeyError` for a section that the documents do not have."""
    listed = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))
    found: list[Answered] = []
    for document, entries in listed.items():
        sections = dict(_sections(document))
        for entry in cast("list[dict[str, str]]", entries):
            title = entry["section"]
            question = entry.get("question", title)
            found.append(Answered(question, _chat(question, sections[title]), entry["again"]))
    return found


def _chat(question: str, answer: str) -> str:
    return f"Customer: {question}\n\nAgent: {answer}\n\nCustomer: Thanks, that answers my question."


def _sections(document: str) -> Iterator[tuple[str, str]]:
    """Yield title and own text of each section of a document, subsections left out."""
    package, pattern = DOCUMENTS[document]
    for chapter in sorted(_unpacked(package).glob(pattern)):
        for section in LexborHTMLParser(chapter.read_text(encoding="utf-8")).css("div.section"):
            title = section.css_first("div.titlepage .title")
            if title is None:
                continue
            number, _, rest = " ".join(title.text().split()).partition(" ")
            if text := _own_text(section):
                yield (rest if _NUMBER.fullmatch(number) else f"{number} {rest}"), text


def _own_text(section: LexborNode) -> str:
    parts: list[str] = []
    size = 0
    for child in section.iter():
        if (child.attributes.get("class") or "") in _NOT_OWN:
            continue
        for block in _blocks(child):
            text = block.text().strip("\n") if block.tag == "pre" else " ".join(block.text().split())
            if text.strip() and size + len(text) <= LONGEST_ANSWER:
                parts.append(text)
                size += len(text)
    return "\n\n".join(parts)


def _blocks(node: LexborNode) -> list[LexborNode]:
    """Return the innermost paragraphs and listings, the node itself where it is one."""
    inner = [each for child in node.iter() for each in _blocks(child)]
    own = node.tag in ("p", "pre", "dt") or node.attributes.get("class") == "para"
    return inner or ([node] if own else [])


def _unpacked(package: str) -> Path:
    folder = CACHE / package
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=CACHE, check=True)
        [archive] = CACHE.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)
    return folder
