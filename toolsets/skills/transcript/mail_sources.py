"""Turns mails as servers store them, with parts and encodings, into headers and plain text that is read as any other mail."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from typing import Final, cast

from toolsets.skills.transcript.web_pages import text_of_page

_FIELD = re.compile(r"[A-Za-z][\w-]{0,60}:")
_ENCODED = re.compile(
    r"(?i)content-transfer-encoding:[ \t]{0,3}(?:quoted-printable|base64)|content-type:[ \t]{0,3}(?:multipart/|text/html)"
)
_BETWEEN = re.compile(r"(?m)^From \S{1,200} .{0,60}\d{4}\b.{0,40}\n(?=[A-Za-z][\w-]{0,60}:)")
"""The line above each mail in an archive."""
_SHOWN: Final = ("From", "Date", "To", "Subject")
_CODED: Final = frozenset({"quoted-printable", "base64"})
_LONGEST_HEAD: Final = 20_000
"""Characters; mails that passed many servers have long headers, and other texts have no end of them."""
_LONGEST_VALUE: Final = 500
"""Characters of a subject or sender; a longer one is cut before it is decoded."""
_MOST_PARTS: Final = 60
"""The most kinds of content in a mail that is read; nested ones take time."""


def decoded(text: str) -> str:
    """Return mails with their text in place of their parts; any other text is returned as it is.

    The plain part is read, or else the HTML; attachments are left out.
    """
    first = text.lstrip("\ufeff\r\n")
    if not (first.startswith("From ") or _FIELD.match(first)) or not _has_encodings(first):
        return text
    mails = [mail for mail in _BETWEEN.split(first.replace("\r\n", "\n")) if mail.strip()]
    return "\n\n".join(_plain(mail) for mail in mails)


def _has_encodings(mail: str) -> bool:
    """Return whether the headers of a mail have a sender and say that its text is encoded or in parts."""
    head = re.split(r"\r?\n[ \t]*\r?\n", mail[:_LONGEST_HEAD], maxsplit=1)[0]
    return re.search(r"(?im)^from:", head) is not None and _ENCODED.search(head) is not None


def _plain(mail: str) -> str:
    if not _has_encodings(mail) or len(re.findall(r"(?i)content-type:", mail)) > _MOST_PARTS:
        return mail
    message = message_from_bytes(mail.encode(errors="replace"))
    headers = [f"{name}: {_header(value)}" for name in _SHOWN if (value := message.get(name)) is not None]
    body = next(filter(None, (_body(message, kind) for kind in ("text/plain", "text/html"))), "")
    return "\n".join([*headers, "", body])


def _header(value: object) -> str:
    """Return the text of a header whose words may be encoded."""
    written = " ".join(str(value)[:_LONGEST_VALUE].split())
    try:
        return str(make_header(decode_header(written)))
    except (HeaderParseError, LookupError, UnicodeError, ValueError):
        return written


def _body(message: Message, kind: str) -> str:
    """Return the first part of a kind that has a text and is not an attachment."""
    for part in _parts(message):
        if part.get_content_type() == kind and part.get_content_disposition() != "attachment":
            text = _text(part)
            if text := (text_of_page(text) if kind == "text/html" else text).strip():
                return text
    return ""


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of a mail, without those of a mail that is attached to it."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(cast("list[Message]", part.get_payload()))


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    # What is not encoded has been decoded by whoever has pasted it.
    coded = str(part.get("Content-Transfer-Encoding", "")).strip().lower() in _CODED
    charset = (part.get_content_charset() if coded else None) or "utf-8"
    try:
        return payload.decode(charset, errors="replace")
    except (LookupError, UnicodeError):
        return payload.decode(errors="replace")
