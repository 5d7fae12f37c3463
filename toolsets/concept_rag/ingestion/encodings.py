"""Decodes text by byte order mark, declared encoding, escapes of ISO 2022, UTF-16 without a mark, or a guess."""

import codecs
import re
from typing import Final

from toolsets.concept_rag.ingestion.charsets import guessed_encoding, telling_sample
from toolsets.concept_rag.ingestion.document import Unreadable

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, because its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED: Final = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,30})|<meta[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{2,30})""",
    re.IGNORECASE,
)
_DECLARED_WITHIN: Final = 4_096
"""Bytes searched for a declaration; browsers search 1,024, but scripts and comments may precede it."""
_TEXT_CODECS: Final = re.compile(
    r"utf_?(?:8|16|32)|ascii|us_ascii|iso_?8859|latin|l\d$|windows|cp\d|koi8|mac|big5|gb|hz|euc|shift|sjis|s_jis|ks_|iso_?2022|tis"
)
"""Text codecs; Python also has codecs that decompress or compute, such as `zlib` and `punycode`."""
# Declared names and the encodings that browsers use for them.
_MEANT: Final = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
_SAMPLE: Final = 32_768
"""The number of bytes used to recognise damaged UTF-8 and UTF-16."""
_ESCAPE: Final = re.compile(rb"\x1b\$(?:[@B]|\([CDOQ]|\)C)")
_KANJI: Final = re.compile(rb"\x1b\$[@B]((?:[!-~]{2})*+)")
_TO_ASCII: Final = re.compile(rb"\x1b\([BJ]")
_USUAL: Final = re.compile(
    "[\t\n\f\r -~\xa0-\u024f\u0370-\u06ff\u0900-\u0dff\u0e01-\u0e5b\u1e00-\u1fff\u2010-\u203a\u20ac\u2190-\u2193"
    "\u2500-\u257f\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffee\U0001f300-\U0001faff]"
)
"""The characters of most texts; 8-bit text and binary data that are read as UTF-16 have many others."""
_SEPARATORS: Final = re.compile("[\t\n\r \u3000-\u3002\uff0c\uff0e]")
_LEAST_USUAL: Final = 0.97
"""The least share of them: text may have a few rare ones, 8-bit text and binary data have many."""
_LEAST_SEPARATORS: Final = 0.01
"""Their least share: most texts have one in less than ten characters, binary data by accident."""
_LEAST_LATIN: Final = 0.5
"""With at least this share of Latin letters a text needs no separators."""
_TERMINAL: Final = re.compile("[^\n]\b|\x1b\\[[0-?]{0,20}[ -/]{0,4}[@-~]")
"""A letter that is struck over, as for bold type in manual pages, and the escapes for colours in logs."""
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROLS: Final = 0.002
"""The largest share of control characters. Escape is not counted, so terminal logs have fewer; binary data has far more."""
_MAX_WRONG: Final = 0.002
"""The largest share of undecodable characters; a single damaged byte is no reason to guess another encoding."""


def decode_text(data: bytes) -> str:
    """Return `data` as text without signs for terminals. Raises `Unreadable` if it is not text in any encoding."""
    return _checked(_TERMINAL.sub("", _marked(data) or _undeclared(data)))


def decode_markup(data: bytes) -> str:
    """Return a page of HTML or XHTML as text, by its mark, its declaration, UTF-8, or a guess. Raises `Unreadable`."""
    return _checked(_marked(data) or _as_declared(data) or _undeclared(data))


def _undeclared(data: bytes) -> str:
    # Both of the first may be valid UTF-8: ISO 2022 has only bytes of ASCII, and so have many letters in UTF-16.
    return _as_escaped(data) or _as_bare_utf16(data) or _as_utf8(data) or _guessed(data)


def _marked(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return None


def _as_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _nearly(data, "utf-8")


def _nearly(data: bytes, encoding: str) -> str | None:
    """Decode data with a few invalid bytes among many valid non-ASCII ones."""
    text = data.decode(encoding, "replace")
    wrong = text.count("�")
    foreign = sum(byte >= 0x80 for byte in data[:_SAMPLE])
    return text if wrong <= _MAX_WRONG * len(text) and wrong * 20 <= foreign else None


def _as_declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:_DECLARED_WITHIN])
    if match is None:
        return None
    encoding = _codec((match[1] or match[2]).decode("ascii", "replace"))
    if encoding is None or encoding.startswith(("utf-16", "utf-32")):
        # A declaration that is readable as single bytes is not in UTF-16.
        return None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return _nearly(data, encoding)


def _codec(declared: str) -> str | None:
    name = declared.lower()
    if _TEXT_CODECS.match(name.replace("-", "_")) is None:
        return None
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return _MEANT.get(found, found)


def _as_escaped(data: bytes) -> str | None:
    """Decode Japanese or Korean text in which escapes switch between ASCII and another set, as in old mail."""
    escape = _ESCAPE.search(data)
    if escape is None:
        return None
    encodings = ("iso2022_kr",) if escape[0].endswith(b")C") else ("iso2022_jp_2", "iso2022_jp_ext")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    try:
        # Mail programs of Windows also escape the signs that cp932 adds, such as circled numbers.
        return _TO_ASCII.sub(b"", _KANJI.sub(_shifted, data)).decode("cp932")
    except UnicodeDecodeError:
        return None


def _shifted(kanji: re.Match[bytes]) -> bytes:
    """Return the two-byte codes after an escape as bytes of cp932."""
    codes = bytearray()
    for row, cell in zip(kanji[1][::2], kanji[1][1::2], strict=True):
        codes.append((row + 1) // 2 + (0x70 if row < 0x5F else 0xB0))
        codes.append(cell + (0x1F + (cell >= 0x60) if row % 2 else 0x7E))
    return bytes(codes)


def _as_bare_utf16(data: bytes) -> str | None:
    """Decode UTF-16 without a mark, in which spaces and line feeds have a zero byte."""
    sample = data[:_SAMPLE]
    if len(data) % 2 or b"\0" not in sample:
        return None
    fits = {order: _fit(sample.decode(order, "replace")) for order in ("utf-16-le", "utf-16-be")}
    best = max(fits, key=lambda order: fits[order])
    return data.decode(best, "replace") if fits[best] >= _LEAST_USUAL else None


def _fit(text: str) -> float:
    """Return the share of usual characters; 0 if too few of them cannot be parts of 8-bit text read as UTF-16."""
    certain = sum(1 for _ in _SEPARATORS.finditer(text))
    # In Latin text of 16 bits every second byte is zero, with or without spaces.
    latin = sum(each < "\u0100" for each in text)
    if certain < _LEAST_SEPARATORS * len(text) and latin < _LEAST_LATIN * len(text):
        return 0.0
    return sum(1 for _ in _USUAL.finditer(text)) / len(text)


def _guessed(data: bytes) -> str:
    if b"\0" in telling_sample(data):
        raise Unreadable("damaged", "The file is not text: it contains binary data.")
    return data.decode(guessed_encoding(data), "replace")


def _checked(text: str) -> str:
    controls = sum(1 for _ in _CONTROLS.finditer(text))
    wrong = text.count("�")
    if controls > _MAX_CONTROLS * len(text) + 2 or wrong > 0.02 * len(text) + 2:
        raise Unreadable("damaged", "The file is not text: it contains binary data.")
    return text
