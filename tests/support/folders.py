"""What is in a data directory, to be compared with what is there later."""

import hashlib
from pathlib import Path


def contents(directory: Path) -> dict[str, str]:
    """Return all that is in a directory but locks, with a digest of what is in it."""
    return {
        str(path): _digest(directory / path)
        for path in (each.relative_to(directory) for each in directory.rglob("*"))
        if path.suffix != ".lock"
    }


def _digest(path: Path) -> str:
    """Return a digest of a file; not of Chroma's, which writes something into several whenever it is opened."""
    return "" if path.is_dir() or "chroma" in path.parts else hashlib.sha256(path.read_bytes()).hexdigest()
