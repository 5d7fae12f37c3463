"""Recorded paths of files, and checks whether the files still exist."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.files import display_name

_ESCAPE: Final = re.compile(r"\\x([89a-f][0-9a-f])")


def recorded_path(path: Path) -> str:
    """Return the absolute path as it is recorded and shown; links are not resolved."""
    return display_name(Path(os.path.abspath(path)))  # noqa: PTH100 keeps links in the path


def is_below(path: str, roots: Set[str]) -> bool:
    """Return whether a recorded path is one of the roots or below one; the time does not depend on their number."""
    return any(each in roots for each in _upwards(path))


def with_parents(paths: Iterable[str]) -> Set[str]:
    """Return recorded paths and all folders above them; a folder that is not among them has none of the paths."""
    found: set[str] = set()
    for path in paths:
        for each in _upwards(path):
            if each in found:
                break
            found.add(each)
    return found


def _upwards(path: str) -> Iterator[str]:
    """Yield a recorded path, its folder, and so on up to the root of the file system."""
    yield path
    end = len(path)
    while (end := path.rfind("/", 0, end)) > 0:
        yield path[:end]
    yield "/"


def file_path(recorded: str) -> Path:
    """Return the path of a recorded file: non-UTF-8 bytes are recorded as escapes, which a name may also have literally."""
    literal = Path(recorded)
    if "\\" not in recorded or os.path.lexists(literal):
        return literal
    raw = _ESCAPE.sub(lambda match: os.fsdecode(bytes.fromhex(match.group(1))), recorded)
    return Path(raw)


def is_gone(recorded: str) -> bool:
    """Return whether the file at a recorded path certainly no longer exists. Blocks."""
    try:
        return not stat.S_ISREG(file_path(recorded).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False


def older_than(paths: Iterable[Path], moment: float) -> list[Path]:
    """Return the files last modified before a Unix time in seconds, ignoring files removed meanwhile. Blocks."""
    older: list[Path] = []
    for path in paths:
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < moment:
                older.append(path)
    return older
