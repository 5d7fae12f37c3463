"""Bytes become the text that was written."""

import random

import pytest

from toolsets.concept_rag.ingestion.document import Unreadable
from toolsets.concept_rag.ingestion.encodings import decode_markup, decode_text

GERMAN = "Das Relais schließt den Stromkreis für größere Lasten; das ist ein häufig benützter Überträger. "
RUSSIAN = "Реле замыкает цепь нагрузки, когда через катушку течёт небольшой ток. Контакты дребезжат. "
JAPANESE = "継電器は小さな電流で動作するスイッチです。コイルの回路と負荷の回路を分離します。"
CHINESE = "继电器是一种用小电流操作的开关。它把线圈电路和负载电路分开。接触点会反弹几毫秒。"
FRENCH = "Le relais est un interrupteur commandé par un courant très faible, à côté de l’été. "


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, JAPANESE], ids=["german", "russian", "japanese"])
def test_unicode_is_read(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_of_latin_letters_needs_no_mark(encoding: str) -> None:
    assert decode_text(GERMAN.encode(encoding)) == GERMAN


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        f"{JAPANESE}\n\n{JAPANESE}\r\n",
        f"{CHINESE}\n",
        "これはひらがなだけのぶんです。つぎのぶんです。\n",
        f"{RUSSIAN}\n",
        "계전기는 작은 전류로 동작하는 스위치이다.\n",
        "הממסר הוא מתג המופעל על ידי זרם קטן.\n",
        "रिले एक स्विच है।\n",
        "Plain words only.\n",
        "word",
        "Überträger",
    ],
)
def test_utf16_of_any_script_needs_no_mark(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text
    assert decode_text((text * 500).encode(encoding)) == text * 500
    assert decode_markup(f"<html><body><p>{text}</p></body></html>".encode(encoding)).count(text) == 1


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "iso2022_jp"),
        (f"Subject: {JAPANESE} (relay)\n\n{JAPANESE}", "iso2022_jp"),
        ("ﾘﾚｰ と リレー", "iso2022_jp_ext"),
        ("계전기는 작은 전류로 동작하는 스위치이다.\n", "iso2022_kr"),
    ],
)
def test_text_with_escapes_between_sets_is_read(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text
    assert decode_markup(f"<p>{text}</p>".encode(encoding)) == f"<p>{text}</p>"


def test_signs_that_vendors_added_to_japanese_sets_are_read() -> None:
    assert decode_text(b"\x1b$B-!7QEE4o\x1b(B relay") == "①継電器 relay"


def test_ascii_with_a_zero_is_no_utf16() -> None:
    text = "Ordinary words, with one zero\0 byte that a tool left behind." + " More of them." * 100
    assert decode_text(text.encode()) == text
    assert decode_text(f"{text} ".encode()) == f"{text} "


def test_signs_for_terminals_are_no_text() -> None:
    assert decode_text(b"\x1b[31;1mred\x1b[0m costs $5\x1b[K\n" * 20) == "red costs $5\n" * 20
    assert decode_text(b"N\bNA\bAM\bME\bE\n  _\bf_\bi_\bl_\be +\bo one\n" * 20) == "NAME\n  file o one\n" * 20


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
    ],
)
def test_older_encodings_are_guessed(text: str, encoding: str) -> None:
    assert decode_text((text * 5).encode(encoding)) == text * 5


def test_a_few_wrong_bytes_in_utf8_are_replaced() -> None:
    data = bytearray((RUSSIAN * 50).encode())
    data[1001] = 0xFF
    assert RUSSIAN in decode_text(bytes(data))


def test_ascii_with_a_short_word_in_latin1_is_read() -> None:
    assert decode_text(b"A plain text about the caf\xe9 around the corner.\n" * 3).count("café") == 3


@pytest.mark.parametrize(
    "data",
    [
        b"\0\1\2\3" * 100,
        b"one\0two\0three\0" * 300,
        random.Random(1).randbytes(9_000),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4,
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable) as failure:
        decode_text(data)
    assert failure.value.kind == "damaged"


def test_a_wrong_declaration_gives_way_to_what_the_bytes_are() -> None:
    assert decode_markup(b'<meta charset="utf-8"><p>' + GERMAN.encode("cp1252") * 5).count("größere") == 5
    assert decode_markup(b'<?xml version="1.0" encoding="utf-16"?><p>K\xc3\xa4se</p>').endswith("<p>Käse</p>")
