"""Whether what is written beside a file was damaged later: SQLite ignores all from the first bad frame on, without a word.

That is right for the end of what a loss of power cut short. But nothing is written behind a transaction before that is on
the disk: where more than one transaction ends behind a bad frame, acknowledged ones are among them.
The format: https://sqlite.org/fileformat2.html#the_write_ahead_log
"""

import struct
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = 0x377F0682
"""The last bit says which end of a number comes first in what is summed up."""
_SUMMED: Final = 24
_LARGEST_PAGE: Final = 65_536
_BITS: Final = 0xFFFFFFFF

Sums: TypeAlias = tuple[int, int]


def lost_behind(wal: Path) -> int | None:
    """Return the number of the first bad frame behind which acknowledged transactions lie, else None.

    0 stands for what precedes all frames. Takes about 0.1 s for 1,000 pages. Raises `OSError`.
    """
    found = _look(wal)
    # Somebody may write there at this moment: what is still there afterwards is no frame on its way to the disk.
    return found[1] if found is not None and _look(wal) == found else None


def _look(wal: Path) -> tuple[bytes, int] | None:
    """Return the header, which is another one each time frames begin anew, and the number of the bad frame."""
    try:
        with wal.open("rb") as file:
            header = file.read(_HEADER.size)
            bad = _first_bad(header, file) if len(header) == _HEADER.size else None
    except FileNotFoundError:
        return None
    return None if bad is None else (header, bad)


def _first_bad(header: bytes, file: BinaryIO) -> int | None:
    magic, _, page, _, *salt, first, second = _HEADER.unpack(header)
    pairs = struct.Struct(">2I" if magic & 1 else "<2I")
    sums = (first, second)
    if magic & ~1 != _MAGIC or _sum(header[:_SUMMED], (0, 0), pairs) != sums:
        return 0 if file.read(1) else None
    bad: int | None = None
    ends = number = 0
    size = _LARGEST_PAGE if page == 1 else page
    while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
        number += 1
        _, pages_at_end, *own_salt, first, second = _FRAME.unpack_from(frame)
        if bad is None:
            sums = _sum(frame[_FRAME.size :], _sum(frame[:8], sums, pairs), pairs)
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
