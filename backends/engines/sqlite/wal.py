"""Damage in the write-ahead log beside a file. It stands alone because it knows only the format, not our schema.

SQLite silently ignores everything from the first bad frame on. That is right for a write that a loss of power cut short.
But a transaction is written only when the one before is on the disk: if more than one transaction ends after a bad frame,
acknowledged ones are lost.
The format: https://sqlite.org/fileformat2.html#the_write_ahead_log
"""

import struct
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

HEADER: Final = struct.Struct(">8I")
FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = 0x377F0682
"""The last bit is the byte order of the numbers in checksums."""
_SUMMED: Final = 24
_LARGEST_PAGE: Final = 65_536
_BITS: Final = 0xFFFFFFFF

Sums: TypeAlias = tuple[int, int]


def lost_behind(wal: Path) -> int | None:
    """Return the number of the first bad frame that acknowledged transactions follow, None if there is none.

    0 is the header. Takes about 0.1 s for 1,000 pages. Raises `OSError`.
    """
    found = _look(wal)
    # Another process may be writing a frame: damage is what a second look still finds.
    return found[1] if found is not None and _look(wal) == found else None


def page_size(header: bytes) -> int:
    """Return the size of a page, given the header of a WAL."""
    size = int(HEADER.unpack(header)[2])
    return _LARGEST_PAGE if size == 1 else size


def _look(wal: Path) -> tuple[bytes, int] | None:
    """Return the header, which changes whenever the WAL restarts, and the number of the bad frame."""
    try:
        with wal.open("rb") as file:
            header = file.read(HEADER.size)
            bad = _first_bad(header, file) if len(header) == HEADER.size else None
    except FileNotFoundError:
        return None
    return None if bad is None else (header, bad)


def _first_bad(header: bytes, file: BinaryIO) -> int | None:
    magic, _, _, _, *salt, first, second = HEADER.unpack(header)
    pairs = struct.Struct(">2I" if magic & 1 else "<2I")
    sums = (first, second)
    if magic & ~1 != _MAGIC or _sum(header[:_SUMMED], (0, 0), pairs) != sums:
        return 0 if file.read(1) else None
    bad: int | None = None
    ends = number = 0
    size = page_size(header)
    while len(frame := file.read(FRAME.size + size)) == FRAME.size + size:
        number += 1
        _, pages_at_end, *own_salt, first, second = FRAME.unpack_from(frame)
        if bad is None:
            sums = _sum(frame[FRAME.size :], _sum(frame[:8], sums, pairs), pairs)
            bad = None if own_salt == salt and sums == (first, second) else number
        if bad is not None and own_salt == salt and pages_at_end:
            ends += 1
    return bad if ends > 1 else None


def _sum(content: bytes, sums: Sums, pairs: struct.Struct) -> Sums:
    one, two = sums
    for first, second in pairs.iter_unpack(content):
        one = (one + first + two) & _BITS
        two = (two + second + one) & _BITS
    return one, two
