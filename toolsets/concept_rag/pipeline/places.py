"""Places: paths of files as they are recorded, and whether what lies there is gone."""

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolsets.concept_rag.ingestion.files import display_name

_ESCAPE: Final = re.compile(r"\\x([89a-f][0-9a-f])")


def recorded_path(path: Path) -> str:
    """Return the absolute path in the form in which it is recorded and shown; links stay in it."""
    return display_name(Path(os.path.abspath(path)))  # noqa: PTH100 links on the way stay in the path


def is_below(path: str, roots: Iterable[str]) -> bool:
    """Say whether a recorded path is one of the roots or lies in one."""
    return any(path == root or path.startswith(f"{root.rstrip('/')}/") for root in roots)


def file_path(recorded: str) -> Path:
    """Return the path of a file: bytes that are no UTF-8 are recorded as escapes, which a name may also hold literally."""
    literal = Path(recorded)
    if "\\" not in recorded or os.path.lexists(literal):
        return literal
    raw = _ESCAPE.sub(lambda match: os.fsdecode(bytes.fromhex(match.group(1))), recorded)
    return Path(raw)


def is_gone(recorded: str) -> bool:
    """Say whether there is certainly no file at a recorded path any more. Blocks."""
    try:
        return not stat.S_ISREG(file_path(recorded).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False


def older_than(paths: Iterable[Path], moment: float) -> list[Path]:
    """Return the files last changed before a time in seconds since 1970, without those that others remove meanwhile. Blocks."""
    older: list[Path] = []
    for path in paths:
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < moment:
                older.append(path)
    return older
