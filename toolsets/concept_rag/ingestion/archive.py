"""The members of a zip file, read within limits; names that leave the archive, links and nested archives are not followed."""

import io
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote

from backends.ports.text import normalized
from toolsets.concept_rag.ingestion.document import Unreadable

MAX_MEMBERS: Final = 20_000
"""The most members. The largest books have some thousands; each costs a kilobyte before anything is read."""
MAX_MEMBER_BYTES: Final = 48 * 1024 * 1024
"""The most bytes of an unpacked member; its XML tree takes up to ten times as much."""
MAX_TOTAL_BYTES: Final = 512 * 1024 * 1024
"""The most bytes of all members unpacked so far."""
MAX_RATIO: Final = 200
"""The highest ratio of unpacked to packed bytes; repetitive markup reaches 50, zeros 1,030."""
_RATIO_FROM: Final = 1024 * 1024
"""The ratio is checked from this many unpacked bytes; smaller members are harmless."""
_DIRECTORY_ENTRY: Final = b"PK\x01\x02"
_ENCRYPTED: Final = 0x1
"""Bit 0 of the flags of a ZIP member."""
_UTF8_NAME: Final = 0x800
"""Bit 11 of the flags of a ZIP member."""


class MissingMember(Exception):
    """The archive has no such member, or the member is a link, a folder or outside the archive."""


class DamagedMember(Exception):
    """A member cannot be unpacked."""


class Archive:
    """An archive in memory. All reads together are limited to `MAX_TOTAL_BYTES`."""

    def __init__(self, data: bytes) -> None:
        """Read the directory. Raises `Unreadable` if the data is not a zip file or has too many members."""
        # Checked before the library creates an object for each member.
        if data.count(_DIRECTORY_ENTRY) > MAX_MEMBERS:
            raise Unreadable("bomb", f"The archive has more than {MAX_MEMBERS:,} members.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
            raise Unreadable("damaged", "The file is not a zip archive, or it is truncated.") from error
        self._members = {
            name: info for info in self._zip.infolist() if (name := _inside(_name(info))) and not _is_link(info)
        }
        self._unpacked = 0

    @property
    def names(self) -> frozenset[str]:
        """The normalised paths of the readable members."""
        return frozenset(self._members)

    def read(self, name: str, *, max_bytes: int = MAX_MEMBER_BYTES) -> bytes:
        """Return a member's bytes.

        Raises `MissingMember`, `DamagedMember`, and `Unreadable` if the member is encrypted or exceeds a limit.
        """
        info = self._members.get(name)
        if info is None:
            raise MissingMember(name)
        if info.flag_bits & _ENCRYPTED:
            raise Unreadable("encrypted", "The document is protected by a password.")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise DamagedMember(f"{name} is packed by a method that documents do not use")
        limit = self._check_declared(name, info, max_bytes)
        with _unpacking(name), self._zip.open(info) as member:
            data = member.read(limit + 1)
        self._unpacked += len(data)
        if len(data) > limit or self._unpacked > MAX_TOTAL_BYTES:
            raise _bomb()
        return data

    def _check_declared(self, name: str, info: zipfile.ZipInfo, max_bytes: int) -> int:
        """Check the size declared in the directory; return the most bytes that may be unpacked."""
        ratio_limit = max(_RATIO_FROM, MAX_RATIO * max(1, info.compress_size))
        if info.file_size > ratio_limit or info.file_size + self._unpacked > MAX_TOTAL_BYTES:
            raise _bomb()
        if info.file_size > max_bytes:
            raise DamagedMember(f"{name} has more than {max_bytes // 1024 // 1024} MiB")
        return min(max_bytes, ratio_limit)


def _bomb() -> Unreadable:
    return Unreadable("bomb", "The archive unpacks to far more than a document holds.")


@contextmanager
def _unpacking(name: str) -> Generator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise DamagedMember(f"{name} is damaged") from error


def _name(info: zipfile.ZipInfo) -> str:
    """Return a member's name. Linux's `zip` writes UTF-8 without the flag for it, which the library reads as code page 437."""
    if info.flag_bits & _UTF8_NAME or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _inside(name: str) -> str:
    """Return a member's normalised path; "" for a folder and for a path that is absolute or leaves the archive.

    Letters with accents are composed, because macOS writes them decomposed and books refer to them in either form.
    """
    name = normalized(name, "NFC")
    if not name or name.endswith("/") or name.startswith("/") or "\\" in name or ":" in name or "\0" in name:
        return ""
    path = posixpath.normpath(name)
    return "" if path == ".." or path.startswith("../") else path


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def resolve(base: str, reference: str) -> str:
    """Return the member to which the relative URL `reference` in the member `base` leads; "" if outside the archive."""
    path = unquote(reference.partition("#")[0].partition("?")[0])
    if ":" in path:
        return ""
    if path.startswith("/"):
        return _inside(path.lstrip("/"))
    return _inside(posixpath.join(posixpath.dirname(base), path)) if path else ""
