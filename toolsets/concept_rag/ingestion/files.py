"""Scans paths for files to ingest: recursively, in a stable order, with a reason for each skipped path."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from toolsets.concept_rag.ingestion.document import NotADocument, SkipKind, Unreadable
from toolsets.concept_rag.ingestion.formats import format_of_name
from toolsets.concept_rag.ingestion.normal_text import quotable

MAX_FILE_BYTES: Final = 512 * 1024 * 1024
"""Larger files are skipped unless the caller sets another limit."""
_PAGES: Final = (".html", ".htm", ".xhtml")
_SAVED: Final = ("_files", "_Files", "-Dateien", "_fichiers", "_archivos")
"""The endings of the folder that a browser saves beside a page."""
_CHUNK: Final = 1024 * 1024
"""Bytes in memory at once, whatever the size of the file."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file with a known ending. A file with equal size, modification time and inode is unchanged."""

    path: Path
    """Absolute, without resolving links. A name that is not UTF-8 has surrogate escapes."""
    size: int
    """Bytes."""
    mtime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that is skipped."""

    path: Path
    kind: SkipKind
    reason: str


Scanned: TypeAlias = FoundFile | SkippedPath


def scan(paths: Sequence[Path], *, max_bytes: int = MAX_FILE_BYTES) -> Iterator[Scanned]:
    """Yield the files in `paths` and below their folders, each once, ordered by path argument and then by name in bytes.

    Hidden files and folders inside folders are skipped without a report; a given path is never hidden. Links are
    followed, and each folder is entered once. No file is opened. Blocks: run it in a thread.
    """
    walk = _Walk(max_bytes)
    for path in paths:
        # Links are kept, because users know the file by this path.
        yield from walk.visit(Path(os.path.abspath(path)))  # noqa: PTH100


def sha256_of(path: Path) -> str:
    """Return the hash of a regular file's bytes in hexadecimal. Raises `Unreadable` and `NotADocument`."""
    with open_regular(path) as file:
        return digest_of(file)


def digest_of(file: BinaryIO) -> str:
    """Return the hash of an open file from its start, reading a piece at a time."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def open_regular(path: Path, *, flags: int = 0) -> BinaryIO:
    """Open a regular file for reading, without blocking on pipes. Raises `Unreadable` and `NotADocument`."""
    try:
        # Opening a pipe would otherwise wait for its other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    except (FileNotFoundError, NotADirectoryError):
        raise NotADocument("not_a_file", "There is no file at this path.") from None
    except (OSError, ValueError) as error:
        raise Unreadable("no_access", f"The file cannot be opened: {quotable(str(error), 300)}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotADocument("not_a_file", "The path names no regular file.")
    return os.fdopen(descriptor, "rb")


def display_name(path: Path) -> str:
    """Return a path as text that can be stored and shown: non-UTF-8 bytes are written as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class _Walk:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._files: set[str] = set()
        self._folders: set[tuple[int, int]] = set()

    def visit(self, path: Path) -> Iterator[Scanned]:
        """Yield the files at a path. Iterative, because folders may be nested deeper than the call stack allows."""
        pending: list[tuple[str, tuple[tuple[int, int], ...]]] = [(str(path), ())]
        while pending:
            name, ancestors = pending.pop()
            try:
                state = os.stat(name)  # noqa: PTH116 -- making a `Path` takes longer than the call
            except (OSError, ValueError) as error:
                yield _unreachable(name, error)
                continue
            if not stat.S_ISDIR(state.st_mode):
                yield from self._file(name, state)
                continue
            key = (state.st_dev, state.st_ino)
            if key in ancestors:
                yield SkippedPath(Path(name), "symlink_loop", "The link leads to a folder that contains it.")
            elif key not in self._folders:
                self._folders.add(key)
                try:
                    names = list_folder(name)
                except OSError as error:
                    yield _unreachable(name, error)
                    continue
                if (page := _page_of(name)) is not None:
                    yield from (
                        SkippedPath(Path(each), "part_of_page", f"It is a part of {page}.")
                        for each in names
                        if _is_html(each)
                    )
                    names = [each for each in names if not _is_html(each)]
                pending.extend((child, (*ancestors, key)) for child in reversed(names))

    def _file(self, name: str, state: os.stat_result) -> Iterator[Scanned]:
        if name in self._files:
            return
        self._files.add(name)
        path = Path(name)
        if not stat.S_ISREG(state.st_mode):
            yield SkippedPath(path, "not_a_file", f"It is {_what(state.st_mode)}, not a regular file.")
            return
        try:
            format_of_name(path.name)
        except NotADocument as error:
            yield SkippedPath(path, error.kind, error.reason)
            return
        if state.st_size == 0:
            yield SkippedPath(path, "empty", "The file is empty.")
        elif state.st_size > self._max_bytes:
            reason = f"The file has {state.st_size:,} bytes; the limit is {self._max_bytes:,}."
            yield SkippedPath(path, "over_size_limit", reason)
        else:
            yield FoundFile(path, state.st_size, state.st_mtime_ns, state.st_ino, state.st_dev)


def list_folder(folder: str) -> list[str]:
    """Return the paths in a folder, ordered by the bytes of their names, without hidden ones."""
    with os.scandir(folder) as entries:
        return sorted((entry.path for entry in entries if not entry.name.startswith(".")), key=os.fsencode)


def _page_of(folder: str) -> str | None:
    """Return the name of the page that a browser saved with this folder: "Ovens.html" beside "Ovens_files"; None if none is."""
    stem = next((folder.removesuffix(end) for end in _SAVED if folder.endswith(end)), "")
    return next((os.path.basename(stem + end) for end in _PAGES if stem and os.path.isfile(stem + end)), None)  # noqa: PTH113, PTH119


def _is_html(path: str) -> bool:
    return path.lower().endswith(_PAGES)


def _unreachable(name: str, error: OSError | ValueError) -> SkippedPath:
    path = Path(name)
    if isinstance(error, ValueError):
        return SkippedPath(path, "not_a_file", "No file can have this name.")
    if isinstance(error, FileNotFoundError):
        link = path.is_symlink()
        return SkippedPath(path, "not_a_file", "The link leads nowhere." if link else "There is nothing at this path.")
    if error.errno == errno.ELOOP:
        return SkippedPath(path, "symlink_loop", "The links lead to each other.")
    return SkippedPath(path, "no_access", f"It cannot be read: {error.strerror}.")


def _what(mode: int) -> str:
    kinds = (
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for matches, name in kinds if matches(mode)), "something else")
