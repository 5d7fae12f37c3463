"""Pictures: PNG files in the toolset's directory, each named by the SHA-256 of its bytes."""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture
from toolsets.concept_rag.ingestion.visual_types import is_bare, label_of
from toolsets.concept_rag.pipeline.paths import older_than
from toolsets.concept_rag.runtime import picture_path, write_whole

SPARED_S: Final = 3_600.0
"""Unused files younger than this are kept, because a run may be about to record a visual that uses them."""
_MAX_DESCRIPTION: Final = 400
"""The most characters of a caption or text; a document may have 500 visuals, all in one event."""
_BEGINNING: Final = re.compile(r"[.!?]\s+(?=[^\W\d_a-z])")


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """A picture whose image is stored in a file."""

    picture: Picture
    """Without its image."""
    digest: str


def store_pictures(
    document: ParsedDocument, directory: Path | None
) -> tuple[ParsedDocument, tuple[StoredPicture, ...]]:
    """Write a document's images to files, and return the document without images; without a directory they are dropped.

    Files are written atomically and are durable when this returns. Blocks: run it in a thread.
    Raises `OSError`.
    """
    bare = replace(document, pictures=())
    if directory is None:
        return bare, ()
    return bare, tuple(_stored(picture, directory) for picture in document.pictures)


def missing_pictures(directory: Path, digests: Iterable[str]) -> list[str]:
    """Return the paths of the missing files among `digests`."""
    return [str(path) for digest in digests if not (path := picture_path(directory, digest)).is_file()]


def idle_pictures(directory: Path, age_s: float) -> Iterator[list[str]]:
    """Yield the digests of files that were not stored within the last `age_s` seconds, at most 100 at a time."""
    latest = time.time() - age_s
    for folder in sorted((directory / "pictures").glob("??")):
        found = [path.stem for path in older_than(sorted(folder.glob("*.png")), latest)]
        for start in range(0, len(found), 100):
            yield found[start : start + 100]


def remove_pictures(directory: Path, digests: Collection[str], age_s: float) -> None:
    """Remove files, except those stored within the last `age_s` seconds; missing files are ignored. Blocks."""
    latest = time.time() - age_s
    for path in older_than([picture_path(directory, digest) for digest in digests], latest):
        # A run that finds a file renews its age. Once renamed no run finds it, so its age is final.
        aside = path.with_name(f".{path.stem}.{secrets.token_hex(8)}")
        with suppress(FileNotFoundError):
            path.rename(aside)
            if aside.stat().st_mtime < latest:
                aside.unlink()
            else:
                aside.rename(path)


def _stored(picture: Picture, directory: Path) -> StoredPicture:
    digest = hashlib.sha256(picture.png).hexdigest()
    path = picture_path(directory, digest)
    try:
        # The cleanup of unused files skips new ones.
        os.utime(path)
    except FileNotFoundError:
        write_whole(path, picture.png)
    return StoredPicture(replace(picture, png=b""), digest)


def descriptions(
    pictures: Sequence[StoredPicture], title: str, seen: Mapping[str, str]
) -> Iterator[tuple[StoredPicture, int, str]]:
    """Yield each picture with the number of equal pictures before it and a description.

    The description is its caption and a language model's text (`seen`, by digest), else its context, else the text around it.
    """
    shown: dict[str, int] = {}
    for stored in pictures:
        occurrence = shown.get(stored.digest, 0)
        shown[stored.digest] = occurrence + 1
        yield stored, occurrence, _description(stored.picture, title, seen.get(stored.digest, ""))


def _description(picture: Picture, title: str, seen: str) -> str:
    caption = _line(picture.caption)
    if is_bare(caption) and label_of(caption) is None:
        caption = ""
    if picture.context and not seen:
        context = picture.context.removeprefix(f"{title}: ")
        return _line(f"{caption.rstrip(' .:')}. {context}" if caption else context)
    if seen:
        end = "" if not caption or caption[-1] in ".!?…。" else "."
        return f"{caption}{end} {seen}".strip()
    return (
        caption
        or _line(_from_a_beginning(picture.nearby_text))
        or f"{picture.visual_type.capitalize()} on page {picture.page} of {title}"
    )


def _from_a_beginning(text: str) -> str:
    """Return a text without the partial sentence at its beginning, unless nothing else is left."""
    if not text[:1].islower():
        return text
    begun = _BEGINNING.search(text)
    return text[begun.end() :] if begun else text


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_DESCRIPTION else f"{line[:_MAX_DESCRIPTION].rpartition(' ')[0]} …"
