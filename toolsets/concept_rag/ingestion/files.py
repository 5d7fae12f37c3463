"""The scan of paths for files to ingest: folders recursively in a stable order, with a reason for what is skipped."""

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
from toolsets.concept_rag.ingestion.normal_text import shown

MAX_FILE_BYTES: Final = 512 * 1024 * 1024
"""Larger files are skipped unless the caller sets another limit."""
_CHUNK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file with a known ending. Equal size, modification time and inode mean that it is unchanged."""

    path: Path
    """Absolute, as it was reached: links are not resolved. A name that is no UTF-8 holds surrogate escapes."""
    size: int
    """Bytes."""
    mtime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that is passed over."""

    path: Path
    kind: SkipKind
    reason: str


Scanned: TypeAlias = FoundFile | SkippedPath


def scan(paths: Sequence[Path], *, max_bytes: int = MAX_FILE_BYTES) -> Iterator[Scanned]:
    """Yield the files in `paths` and in their folders, each once, in the order of the paths and then of the names' bytes.

    Hidden files and folders inside folders are passed over in silence; a path that is given itself is not hidden. Links
    are followed, each folder is entered once. No file is opened. Reading the disk blocks: run it in a thread.
    """
    walk = _Walk(max_bytes)
    for path in paths:
        # Links on the way stay in the path, by which people know the file.
        yield from walk.visit(Path(os.path.abspath(path)))  # noqa: PTH100


def sha256_of(path: Path) -> str:
    """Return the hash of a regular file's bytes in hexadecimal. Raises `Unreadable` and `NotADocument`."""
    with open_regular(path) as file:
        return digest_of(file)


def digest_of(file: BinaryIO) -> str:
    """Return the hash of an open file's bytes from its start, a piece at a time."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def open_regular(path: Path, *, flags: int = 0) -> BinaryIO:
    """Open a regular file for reading without waiting for anything. Raises `Unreadable` and `NotADocument`."""
    try:
        # A pipe in the file's place would wait for its other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    except (FileNotFoundError, NotADirectoryError):
        raise NotADocument("not_a_file", "There is no file at this path.") from None
    except (OSError, ValueError) as error:
        raise Unreadable("no_access", f"The file cannot be opened: {shown(str(error), 300)}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotADocument("not_a_file", "The path names no regular file.")
    return os.fdopen(descriptor, "rb")


def display_name(path: Path) -> str:
    """Return a path as text that can be stored and shown: bytes that are no UTF-8 are written as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class _Walk:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._files: set[str] = set()
        self._folders: set[tuple[int, int]] = set()

    def visit(self, path: Path) -> Iterator[Scanned]:
        """Yield what is at a path. A stack holds the folders, since they may be nested deeper than calls."""
        pending: list[tuple[str, tuple[tuple[int, int], ...]]] = [(str(path), ())]
        while pending:
            name, ancestors = pending.pop()
            try:
                state = Path(name).stat()
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
                    names = listed(name)
                except OSError as error:
                    yield _unreachable(name, error)
                    continue
                pending.extend((child, (*ancestors, key)) for child in reversed(names))

    def _file(self, name: str, state: os.stat_result) -> Iterator[Scanned]:
        if name in self._files:
            return
        self._files.add(name)
        path = Path(name)
        if not stat.S_ISREG(state.st_mode):
            yield SkippedPath(path, "not_a_file", f"It is {_what(state.st_mode)}, and no file.")
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


def listed(folder: str) -> list[str]:
    """Return the paths in a folder by the bytes of their names, hidden ones left out."""
    with os.scandir(folder) as entries:
        return sorted((entry.path for entry in entries if not entry.name.startswith(".")), key=os.fsencode)


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
