"""The files of a folder that are embedded Chroma's own; others may lie beside them."""

import re
from pathlib import Path
from typing import Final

DATABASE: Final = "chroma.sqlite3"
"""The file that the engine holds open and that says what else is there."""
_SEGMENT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name of a folder that holds an index."""


def own_files(folder: Path) -> tuple[Path, ...]:
    """Return what of a folder the engine has made."""
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            entry
            for entry in folder.iterdir()
            if entry.name == DATABASE or entry.name.startswith(f"{DATABASE}-") or _SEGMENT.fullmatch(entry.name)
        )
    )
