"""The chain of transactions: each names the one before it, so that a WAL which belongs to another file is noticed.

SQLite applies any intact WAL to the database file beside it. Where a backup was copied over the log and the `-wal` of the
former file stayed, the result is a mixture of both. The one row of the table `chain` holds a random number that changes
with every transaction, and the number before it. Its page is in the WAL once for each transaction, so the number in the
file itself must be one that the WAL continues. `-shm` says how much of the WAL was copied into the file since.
Reading the three files directly is safe only while nobody has them open: closing them would drop the locks of this process,
and what another process copies meanwhile would look like a mixture. `in_use` says whether another process has the log open.
The formats: https://sqlite.org/fileformat2.html and https://sqlite.org/walformat.html
"""

import fcntl
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from backends.engines.sqlite.wal import FRAME, HEADER, page_size

TABLE: Final = "CREATE TABLE chain(id INTEGER PRIMARY KEY, link BLOB NOT NULL)"
_NUMBER: Final = 16
_MAGIC: Final = bytes.fromhex("fffe7c0b5a1d4e93a86f20d4c95be31f")
"""Begins a link. It is not UTF-8, so that no text can hold it."""
_ROOT: Final = bytes(_NUMBER)
"""The number before the first transaction that has one."""
_LOOKS: Final = 3
_PAUSE_S: Final = 0.05
_WAL_MODE: Final = 2
_LEAF: Final = 0x0D
_CELLS: Final = struct.Struct(">xxxHxxxH")
"""From the header of a leaf page: the number of cells, and where the first one begins."""
_DEAD_MAN_SWITCH: Final = 128
"""The byte of `-shm` on which every process with the database open holds a shared lock."""
_FLOCK: Final = struct.Struct("@qqihh" if sys.platform == "darwin" else "@hhqqi4x")
_SHM: Final = struct.Struct("=12xB19x8s56xI28xI")
"""Whether the index is filled, the salts of its WAL, and how many frames were copied, or were about to be."""


@dataclass(frozen=True, slots=True)
class _Link:
    """What one transaction wrote: the frame of the WAL, the number before it, and its own."""

    frame: int
    before: bytes
    number: bytes


@dataclass(frozen=True, slots=True)
class _Wal:
    salts: bytes
    frames: int
    links: tuple[_Link, ...]


def extend(connection: sqlite3.Connection) -> None:
    """Write the next link; to be called once before a transaction that changed something is committed."""
    row: tuple[bytes] | None = connection.execute("SELECT link FROM chain WHERE id = 1").fetchone()
    before = _ROOT if row is None else row[0][-_NUMBER:]
    link = _MAGIC + before + os.urandom(_NUMBER)
    connection.execute("INSERT OR REPLACE INTO chain(id, link) VALUES(1, ?)", (link,))


def in_use(shm: Path) -> bool:
    """Say whether another process has the database open. Raises `OSError`."""
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
    """Say whether the WAL continues another file than the one beside it. Raises `OSError`.

    A WAL without links, as version 0.1 wrote it, is foreign only where the file was never in WAL mode.
    """
    for look in range(_LOOKS):
        # Another process may be copying frames into the file: what belongs together does so at the next look.
        if look:
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
    return number is not None and bool(found.links) and number not in _continued(found, shm)


def _number_in(database: Path) -> bytes | None:
    """Return the number in the file itself, whatever the WAL says; None for one that cannot be read."""
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
    committed = number = 0
    links: list[_Link] = []
    while len(frame := file.read(FRAME.size + page)) == FRAME.size + page and frame[8:16] == salts:
        number += 1
        if frame[4:8] != b"\0\0\0\0":
            committed = number
        if frame[FRAME.size] == _LEAF and (link := _link(frame[FRAME.size :])) is not None:
            links.append(_Link(number, link[:_NUMBER], link[_NUMBER:]))
    return _Wal(salts, committed, tuple(link for link in links if link.frame <= committed))


def _link(page: bytes) -> bytes | None:
    """Return the two numbers in the leaf page of the table, None for any other page."""
    cells, first = _CELLS.unpack_from(page)
    at = page.find(_MAGIC, first) if cells == 1 else -1
    return None if at < 0 else page[at + len(_MAGIC) : at + len(_MAGIC) + 2 * _NUMBER]


def _continued(wal: _Wal, shm: Path) -> Sequence[bytes]:
    """Return the numbers that the file may hold: those of the frames that were copied into it, or else the first one's."""
    least, most = _copied(wal, shm)
    numbers = [wal.links[0].before]
    for link in wal.links:
        if link.frame <= least:
            numbers = [link.number]
        elif link.frame <= most:
            numbers.append(link.number)
    return numbers


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
