"""Scratch files with the vectors of a document that is being embedded, so that an interrupted run can resume."""

import hashlib
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.pipeline.paths import older_than

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

KEPT_S: Final = 7 * 86_400.0
"""How long the file of an unfinished document is kept."""
_KEY: Final = 32
"""The bytes of a SHA-256 digest."""
_CHECK: Final = 4
"""The bytes of a CRC-32."""


class VectorScratch:
    """The vectors of one document so far, by the hash of their text. All methods block."""

    def __init__(self, directory: Path | None, content_hash: str, identity: str) -> None:
        """Without the toolset's `directory` nothing is stored. Each embedder (`identity`) has separate files."""
        name = hashlib.sha256(f"{identity}/{content_hash}".encode()).hexdigest()
        self._path = None if directory is None else directory / "scratch" / f"{name}.vectors"

    def load(self, dim: int) -> "Mapping[str, Vector]":
        """Return the vectors that an earlier run has written, up to the first damaged record."""
        return {} if self._path is None else vectors_in(self._path, dim)

    def append(self, hashes: Sequence[str], rows: "NDArray[numpy.float32]") -> None:
        """Append vectors in one write."""
        if self._path is None:
            return
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._path.open("ab", buffering=0) as file:
            file.write(written_vectors(hashes, rows))

    def remove(self) -> None:
        """Remove the file."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def vectors_in(path: Path, dim: int) -> "Mapping[str, Vector]":
    """Return the vectors of a file by the hash of their text, up to the first damaged record; none without a file. Blocks."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    return dict(_records(data, dim))


def written_vectors(hashes: Sequence[str], rows: "NDArray[numpy.float32]") -> bytes:
    """Return vectors in the format of the file."""
    records: list[bytes] = []
    for key, row in zip(hashes, rows, strict=True):
        body = bytes.fromhex(key) + row.tobytes()
        records.append(zlib.crc32(body).to_bytes(_CHECK, "big") + body)
    return b"".join(records)


def remove_old(directory: Path) -> None:
    """Remove the files of documents that were not finished within a week. Blocks."""
    for path in older_than((directory / "scratch").glob("*.vectors"), time.time() - KEPT_S):
        path.unlink(missing_ok=True)


def _records(data: bytes, dim: int) -> "list[tuple[str, Vector]]":
    import numpy

    size = _CHECK + _KEY + 4 * dim
    records: list[tuple[str, Vector]] = []
    for start in range(0, len(data) - size + 1, size):
        body = data[start + _CHECK : start + size]
        if zlib.crc32(body) != int.from_bytes(data[start : start + _CHECK], "big"):
            break
        records.append((body[:_KEY].hex(), numpy.frombuffer(body[_KEY:], dtype=numpy.float32)))
    return records
