"""The books: fetched by name from Debian's archive into a folder outside the repository, and the questions about them."""

import gzip
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

FOLDER = Path(__file__).parent


class Book(BaseModel):
    """A book: a name, the package that it comes in, and its files there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    package: str
    file: str
    epub: str | None = None


class Answer(BaseModel):
    """A place that answers a question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    pages: tuple[int, ...]


class Question(Answer):
    """A question with the place that answers it, and others that do too."""

    ask: str
    also: tuple[Answer, ...] = ()

    def is_answered(self, document: str, pages: range) -> bool:
        """Return whether a passage on some pages of a document answers the question."""
        places = (answer.pages for answer in (self, *self.also) if answer.document == document)
        return any(page in pages for some in places for page in some)

    def is_about(self, document: str) -> bool:
        """Return whether a document answers the question."""
        return document in (self.document, *(answer.document for answer in self.also))


@cache
def books() -> Sequence[Book]:
    """Return the books of the library."""
    return TypeAdapter(list[Book]).validate_python(tomllib.loads((FOLDER / "books.toml").read_text())["book"])


@cache
def questions(file: Path = FOLDER / "questions.toml") -> Sequence[Question]:
    """Return the questions, in the order of their file."""
    return TypeAdapter(list[Question]).validate_python(tomllib.loads(file.read_text())["question"], strict=False)


@cache
def nonsense(file: Path = FOLDER / "nothing.toml") -> Sequence[str]:
    """Return questions that no book answers."""
    return TypeAdapter(list[str]).validate_python(tomllib.loads(file.read_text())["ask"])


def fetch(keep: Path) -> Mapping[str, Path]:
    """Return the file of each book, by its name, and with `.epub` its EPUB; packages that are not there are downloaded."""
    found: dict[str, Path] = {}
    for book in books():
        for name, inside in ((book.name, book.file), (f"{book.name}.epub", book.epub)):
            if inside is not None:
                found[name] = _file(keep, book.package, inside)
    return found


def _file(keep: Path, package: str, inside: str) -> Path:
    place = keep / "packages" / package
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=place.parent, check=True, stdout=subprocess.DEVNULL)
        [archive] = place.parent.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, place], check=True)
    packed = place / inside
    if packed.suffix != ".gz":
        return packed
    plain = packed.with_suffix("")
    if not plain.exists():
        plain.write_bytes(gzip.decompress(packed.read_bytes()))
    return plain
