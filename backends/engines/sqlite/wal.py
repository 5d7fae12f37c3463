"""The write-ahead log beside a file: switched on, and checked whether it is intact and belongs to that file.

Damage. SQLite silently ignores everything from the first bad frame on. That is right for a write that was cut short by a
power failure. But a transaction is written only once the one before is on disk: if more than one transaction ends after a
bad frame, acknowledged ones are lost.

The chain. SQLite applies any intact WAL to the database file beside it. If a backup was copied over the log and the
`-wal` of the former file stayed, the result is a mixture of both. The one row of the table `chain` holds a random number
that changes with every transaction, and the number before it. Its page is in the WAL once for each transaction, so the
number in the file itself must be one that the WAL continues. `-shm` says how much of the WAL was copied into the file since:
pages that did not change afterwards must be in the file as they are in the WAL. While a reader holds an older snapshot, a
checkpoint copies only pages that did not change since, so the page of the chain stays behind.
Reading the three files directly is safe only while no process has them open: closing them would drop the locks of this
process, and what another process copies meanwhile would look like a mixture. `in_use` says whether one has it open.
The formats: https://sqlite.org/fileformat2.html and https://sqlite.org/walformat.html
"""

import fcntl
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from backends.engines.sqlite.errors import damaged_tail_error, foreign_wal_error, is_busy
from backends.engines.sqlite.schema import COMPANIONS
from backends.ports.errors import Unavailable

HEADER: Final = struct.Struct(">8I")
FRAME: Final = struct.Struct(">6I")
_WAL_MAGIC: Final = 0x377F0682
"""The last bit is the byte order of the numbers in checksums."""
_SUMMED: Final = 24
"""The bytes of the header before its own checksum."""
_LARGEST_PAGE: Final = 65_536
"""A header has 1 for this size."""
_BITS: Final = 0xFFFFFFFF
"""Checksums have 32 bits."""

Sums: TypeAlias = tuple[int, int]

SWITCH_RETRY_S: Final = 0.01
"""The wait before another process may have ended the transaction that keeps a file from WAL mode."""
_NUMBER: Final = 16
"""The bytes of a random number, so many that no two transactions share one."""
_CHAIN_MAGIC: Final = bytes.fromhex("fffe7c0b5a1d4e93a86f20d4c95be31f")
"""Starts a link. It is not UTF-8, so no text can contain it."""
_ROOT: Final = bytes(_NUMBER)
"""The number before the first transaction that has one."""
_CHECKS: Final = 3
"""A checkpoint may make a check fail; a log under one through all of them is refused as foreign, and may be opened again."""
_PAUSE_S: Final = 0.05
_WAL_MODE: Final = 2
"""The value of the file format's byte 18 in WAL mode."""
_LEAF: Final = 0x0D
"""The type of a table's leaf page."""
_CELLS: Final = struct.Struct(">xxxHxxxH")
"""From the header of a leaf page: the number of cells, and where the first one begins."""
_DEAD_MAN_SWITCH: Final = 128
"""The byte of `-shm` on which every process with the database open holds a shared lock."""
_FLOCK: Final = struct.Struct("@qqihh" if sys.platform == "darwin" else "@hhqqi4x")
_SHM: Final = struct.Struct("=12xB19x8s56xI28xI")
"""Whether the index is filled, the salts of its WAL, and how many frames were copied, or were about to be."""


def switch_to(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """Switch a file to WAL mode. SQLite's busy timeout does not cover this, so it is retried. Raises the driver's errors."""
    give_up = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > give_up:
                raise
            time.sleep(SWITCH_RETRY_S)
        else:
            return


def check(path: Path) -> None:
    """Raise `Unusable` if SQLite would skip acknowledged transactions of a log, or mix those of two files.

    Raises `Unavailable` for files that cannot be read.
    """
    database = Path(os.path.realpath(path))
    log, shm = (Path(f"{database}{suffix}") for suffix in COMPANIONS)
    try:
        if not in_use(shm) and is_foreign(database, log, shm):
            raise foreign_wal_error(path)
        frame = lost_behind(log)
    except OSError as error:
        raise Unavailable(f"{log} cannot be read: {error}") from error
    if frame is not None:
        raise damaged_tail_error(path, frame)


def lost_behind(wal: Path) -> int | None:
    """Return the number of the first bad frame that acknowledged transactions follow, None if there is none.

    0 is the header. Takes about 0.1 s for 1,000 pages. Raises `OSError`.
    """
    found = _bad_frame(wal)
    # Another process may be writing a frame: only what a second check still finds is damage.
    return found[1] if found is not None and _bad_frame(wal) == found else None


def page_size(header: bytes) -> int:
    """Return the size of a page, given the header of a WAL."""
    size = int(HEADER.unpack(header)[2])
    return _LARGEST_PAGE if size == 1 else size


def _bad_frame(wal: Path) -> tuple[bytes, int] | None:
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
    if magic & ~1 != _WAL_MAGIC or _sum(header[:_SUMMED], (0, 0), pairs) != sums:
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


@dataclass(frozen=True, slots=True)
class _Commit:
    """The link of one transaction: the frame of the WAL, the previous number, and its own."""

    frame: int
    before: bytes
    number: bytes


@dataclass(frozen=True, slots=True)
class _Wal:
    salts: bytes
    frames: int
    links: tuple[_Commit, ...]
    page_size: int
    latest: Mapping[int, int]
    """The last committed frame of each page that the last commit still has."""


def extend_chain(connection: sqlite3.Connection) -> None:
    """Write the next link. Call it once, before committing a transaction that changed something."""
    row: tuple[bytes] | None = connection.execute("SELECT link FROM chain WHERE id = 1").fetchone()
    before = _ROOT if row is None else row[0][-_NUMBER:]
    link = _CHAIN_MAGIC + before + os.urandom(_NUMBER)
    connection.execute("INSERT OR REPLACE INTO chain(id, link) VALUES(1, ?)", (link,))


def in_use(shm: Path) -> bool:
    """Return whether another process has the database open. Raises `OSError`."""
    try:
        with shm.open("rb") as file:
            found = fcntl.fcntl(file, fcntl.F_GETLK, _lock(fcntl.F_WRLCK, _DEAD_MAN_SWITCH))
    except FileNotFoundError:
        return False
    fields = _FLOCK.unpack(found)
    return (fields[3] if sys.platform == "darwin" else fields[0]) != fcntl.F_UNLCK


def _lock(kind: int, byte: int) -> bytes:
    """Return the `struct flock` for one byte of a file."""
    if sys.platform == "darwin":
        return _FLOCK.pack(byte, 1, 0, kind, os.SEEK_SET)
    return _FLOCK.pack(kind, os.SEEK_SET, byte, 1, 0)


def is_foreign(database: Path, wal: Path, shm: Path) -> bool:
    """Return whether the WAL belongs to another file than the one beside it. Raises `OSError`.

    A WAL without links, as builds before the first release wrote it, is foreign only if the file was never in WAL mode.
    """
    for number in range(_CHECKS):
        # Another process may be copying frames into the file: a second check then finds that they match.
        if number:
            time.sleep(_PAUSE_S)
        if not _is_foreign(database, wal, shm):
            return False
    return True


def _is_foreign(database: Path, wal: Path, shm: Path) -> bool:
    try:
        with database.open("rb") as file:
            header = file.read(20)
        number = _number_in(database)
        found = _links_in(wal)
    except FileNotFoundError:
        return False
    if found is None or not found.frames or not header:
        return False
    if header[18] != _WAL_MODE:
        return True
    if number is None or not found.links:
        return False
    least, most = _copied(found, shm)
    return number not in _continued(found, most) or not _holds(database, wal, found, least)


def _number_in(database: Path) -> bytes | None:
    """Return the number in the file itself, ignoring the WAL; None if it cannot be read."""
    address = f"{database.absolute().as_uri()}?immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'chain'").fetchone():
                return _ROOT
            row: tuple[bytes] | None = connection.execute("SELECT link FROM chain WHERE id = 1").fetchone()
    except sqlite3.Error:
        return None
    return _ROOT if row is None else row[0][-_NUMBER:]


def _links_in(wal: Path) -> _Wal | None:
    """Return the links of the committed frames, oldest first; None for a WAL without a whole header."""
    with wal.open("rb") as file:
        header = file.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        return _read_links(file, header[16:24], page_size(header))


def _read_links(file: BinaryIO, salts: bytes, page: int) -> _Wal:
    committed = number = pages = 0
    links: list[_Commit] = []
    latest: dict[int, int] = {}
    pending: dict[int, int] = {}
    while len(frame := file.read(FRAME.size + page)) == FRAME.size + page and frame[8:16] == salts:
        number += 1
        pending[int.from_bytes(frame[:4], "big")] = number
        if frame[4:8] != b"\0\0\0\0":
            committed, pages = number, int.from_bytes(frame[4:8], "big")
            latest |= pending
            pending = {}
        if frame[FRAME.size] == _LEAF and (link := _link(frame[FRAME.size :])) is not None:
            links.append(_Commit(number, link[:_NUMBER], link[_NUMBER:]))
    kept = {page: last for page, last in latest.items() if page <= pages}
    return _Wal(salts, committed, tuple(link for link in links if link.frame <= committed), page, kept)


def _link(page: bytes) -> bytes | None:
    """Return the two numbers in the leaf page of the table, None for any other page."""
    cells, first = _CELLS.unpack_from(page)
    at = page.find(_CHAIN_MAGIC, first) if cells == 1 else -1
    return None if at < 0 else page[at + len(_CHAIN_MAGIC) : at + len(_CHAIN_MAGIC) + 2 * _NUMBER]


def _continued(wal: _Wal, most: int) -> Sequence[bytes]:
    """Return the numbers that the file may hold: the one before the WAL, and those of its first `most` frames."""
    return [wal.links[0].before, *(link.number for link in wal.links if link.frame <= most)]


def _holds(database: Path, wal: Path, found: _Wal, copied: int) -> bool:
    """Return whether the file has the pages of the first `copied` frames that did not change afterwards."""
    size = found.page_size
    with database.open("rb") as file, wal.open("rb") as frames:
        for page, frame in found.latest.items():
            if frame > copied:
                continue
            file.seek((page - 1) * size)
            frames.seek(HEADER.size + (frame - 1) * (FRAME.size + size) + FRAME.size)
            if file.read(size) != frames.read(size):
                return False
    return True


def _copied(wal: _Wal, shm: Path) -> tuple[int, int]:
    """Return how many frames were copied at least and at most."""
    try:
        with shm.open("rb") as file:
            found = file.read(_SHM.size)
    except FileNotFoundError:
        return 0, wal.frames
    if len(found) < _SHM.size:
        return 0, wal.frames
    filled, salts, copied, attempted = _SHM.unpack(found)
    if not filled or salts != wal.salts:
        return 0, wal.frames
    return copied, max(copied, attempted)
