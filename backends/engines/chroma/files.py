"""The files of embedded Chroma in a folder, which may contain others."""

import re
from pathlib import Path
from typing import Final

DATABASE: Final = "chroma.sqlite3"
"""The main database file, which the engine keeps open."""
_SEGMENT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name of an index folder."""


def own_files(folder: Path) -> tuple[Path, ...]:
    """Return the files and folders made by the engine."""
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            entry
            for entry in folder.iterdir()
            if entry.name == DATABASE or entry.name.startswith(f"{DATABASE}-") or _SEGMENT.fullmatch(entry.name)
        )
    )
