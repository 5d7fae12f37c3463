"""Zip files that are damaged, encrypted, or made to do harm."""

import io
import unicodedata
import zipfile
from typing import Literal

import pytest

from tests.support.documents import archive
from toolsets.concept_rag.ingestion.archive import Archive, DamagedMember, MissingMember, resolve
from toolsets.concept_rag.ingestion.document import Unreadable


def test_names_that_leave_the_archive_and_links_are_no_members() -> None:
    members = {
        "../../etc/x": b"a",
        "/absolute": b"b",
        "a/../b": b"c",
        "back\\slash": b"d",
        "C:/d": b"e",
        "folder/": b"",
    }
    opened = Archive(archive({**members, "good": b"good"}, links={"link": "good"}))
    assert opened.names == {"b", "good"}
    for name in ("../../etc/x", "/absolute", "link"):
        with pytest.raises(MissingMember):
            opened.read(name)


def test_a_member_that_unpacks_to_far_more_than_it_takes_is_a_bomb() -> None:
    opened = Archive(archive({"zeros": bytes(4 << 20)}))
    with pytest.raises(Unreadable) as failure:
        opened.read("zeros")
    assert failure.value.kind == "bomb"


def test_a_member_that_understates_its_size_is_read_no_further_than_it_says() -> None:
    data = bytearray(archive({"zeros": bytes(4 << 20)}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        start = data.index(mark) + (22 if mark == b"PK\x03\x04" else 24)
        data[start : start + 4] = (1000).to_bytes(4, "little")
    with pytest.raises(DamagedMember):
        Archive(bytes(data)).read("zeros")


def test_all_members_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolsets.concept_rag.ingestion.archive.MAX_TOTAL_BYTES", 2_500)
    opened = Archive(archive({"a": bytes(1_000), "b": bytes(1_000)}))
    opened.read("a")
    opened.read("b")
    with pytest.raises(Unreadable) as failure:
        opened.read("a")
    assert failure.value.kind == "bomb"


def test_too_many_members_are_a_bomb() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        for number in range(20_001):
            written.writestr(str(number), b"")
    with pytest.raises(Unreadable) as failure:
        Archive(buffer.getvalue())
    assert failure.value.kind == "bomb"


def test_a_member_larger_than_its_reader_takes_is_damaged() -> None:
    with pytest.raises(DamagedMember):
        Archive(archive({"a": b"x" * 100})).read("a", max_bytes=99)


def test_an_encrypted_member_is_distinguished_from_a_damaged_one() -> None:
    data = bytearray(archive({"a": b"text"}))
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable) as failure:
        Archive(bytes(data)).read("a")
    assert failure.value.kind == "encrypted"


def test_a_member_with_a_wrong_checksum_is_damaged() -> None:
    data = bytearray(archive({"a": b"text" * 100}))
    data[data.index(b"PK\x01\x02") + 16] ^= 0xFF
    with pytest.raises(DamagedMember):
        Archive(bytes(data)).read("a")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_documents_do_not_use_are_refused(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as written:
        written.writestr("a", b"x" * 1_000)
    with pytest.raises(DamagedMember):
        Archive(buffer.getvalue()).read("a")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no archive at all"])
def test_what_is_no_archive_is_damaged(data: bytes) -> None:
    with pytest.raises(Unreadable) as failure:
        Archive(data)
    assert failure.value.kind == "damaged"


def without_flag(data: bytes) -> bytes:
    """Clear the flag that names are in UTF-8, as `zip` of Linux and macOS leaves it."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        start = -1
        while (start := changed.find(mark, start + 1)) >= 0:
            changed[start + place] &= ~0x08
    return bytes(changed)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("flagged", [True, False])
@pytest.mark.parametrize("reference", ["kapitel-%C3%BC.xhtml", "kapitel-u%CC%88.xhtml"])
def test_names_in_unicode_are_found_with_and_without_their_flag(
    form: Literal["NFC", "NFD"], flagged: bool, reference: str
) -> None:
    data = archive({unicodedata.normalize(form, "kapitel-\u00fc.xhtml"): b"text", "\u65e5\u672c.png": b"sun"})
    opened = Archive(data if flagged else without_flag(data))
    assert opened.read(resolve("book.opf", reference)) == b"text"
    assert opened.read("\u65e5\u672c.png") == b"sun"


def test_a_name_in_an_old_code_page_is_read_as_before() -> None:
    data = without_flag(archive({"\u0101.png": b"x"})).replace("\u0101".encode(), b"\x81\x84")
    assert Archive(data).read("\u00fc\u00e4.png") == b"x"


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("b.png", "x/b.png"),
        ("../b%20c.png#part", "b c.png"),
        ("/b.png", "b.png"),
        ("../../b.png", ""),
        ("http://host/b.png", ""),
        ("", ""),
        ("#part", ""),
    ],
)
def test_references_lead_to_members_only(reference: str, name: str) -> None:
    assert resolve("x/a.html", reference) == name
