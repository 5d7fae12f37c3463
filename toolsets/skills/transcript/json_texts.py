"""Finds the text of a message in JSON, and turns what is HTML or has entities into plain text."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from backends.ports.values import Json
from toolsets.skills.transcript.web_pages import is_page, text_of_page

_TEXTS: Final = tuple(
    "plainbody bodytext plaintext strippedtext contenttext content text message body msg utterance comment said what nachricht"
    " mensaje texte htmlbody bodyhtml html".split()
)
_OF_HTML: Final = frozenset({"htmlbody", "bodyhtml", "html", "descriptionhtml"})
_NOT_SAID: Final = frozenset(
    {"tooluse", "toolresult", "toolcall", "functioncall", "thinking", "reasoning", "image", "file"}
)
"""The types of the parts of a message that no one says."""
_DEEPEST: Final = 30
"""More levels than editors write; a hostile text must not exhaust the stack."""


@dataclass(frozen=True, slots=True)
class MessageText:
    """A text, and whether its source says that it is HTML."""

    text: str
    is_html: bool = False


def text_in(fields: Mapping[str, Json], keys: Sequence[str] = _TEXTS) -> MessageText:
    """Return the text of an object whose keys have no capital and no underscore, an empty one if it has none."""
    for key in keys:
        if key in fields and (found := _text(fields[key], 0)).text.strip():
            return found if key not in _OF_HTML else MessageText(found.text, is_html=True)
    return MessageText("")


def _text(value: Json, depth: int) -> MessageText:
    """Return the text of a value; the parts of a list are joined."""
    if isinstance(value, str):
        return MessageText(value)
    if depth > _DEEPEST:
        return MessageText("")
    if isinstance(value, Mapping):
        fields = {key.lower().replace("_", ""): each for key, each in value.items()}
        if fields.get("type") == "doc":
            return MessageText("".join(_document(fields, depth)).strip())
        if str(fields.get("type")).lower().replace("_", "") in _NOT_SAID:
            return MessageText("")
        found = next((text for key in _TEXTS if (text := _text(fields.get(key), depth + 1)).text), MessageText(""))
        return MessageText(found.text, found.is_html or str(fields.get("contenttype")).lower() in {"html", "text/html"})
    if isinstance(value, Sequence):
        parts = [part.text for each in value if (part := _text(each, depth + 1)).text]
        # The parts of a text with formats are pieces of a line, unlike those of a message with pictures.
        pieces = any(isinstance(each, str) and each[:1] + each[-1:] != (each[:1] + each[-1:]).strip() for each in value)
        return MessageText(("" if pieces else "\n").join(parts))
    return MessageText("")


def _document(node: Mapping[str, Json], depth: int) -> Iterator[str]:
    """Yield the pieces of text in a document of Atlassian's format, a line for each block."""
    if isinstance(said := node.get("text"), str):
        yield said
    content = node.get("content")
    for child in content if isinstance(content, list) and depth < _DEEPEST else ():
        if isinstance(child, dict):
            yield from _document(child, depth + 1)
    if node.get("type") not in {
        "text",
        "doc",
        "mention",
        "emoji",
        "inlineCard",
        "listItem",
        "bulletList",
        "orderedList",
    }:
        yield "\n"


_LINE_BREAK = re.compile(r"(?i)<br\s?/?>")
_PAIRED = re.compile(r"(?i)<(?P<tag>a|b|blockquote|code|div|em|i|li|ol|p|pre|span|strong|u|ul)\b[^<>]{0,300}>")
_CODE = re.compile(r"`[^`\n]{1,300}`|```[\s\S]{1,2000}?```")
_ABOUT_MARKUP = re.compile(r"(?i)\b(?:html|markup|tags?|templates?|xml)\b")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,5}|#x[\da-fA-F]{1,5});")
_RAW = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|nbsp|#\d{1,5}|#x[\da-fA-F]{1,5});)|<(?![@#!]|(?:https?|mailto|tel):)")
"""A character that an escaped text has only as an entity; chats put people and addresses between angle brackets."""


def plain_texts(texts: Sequence[MessageText]) -> list[str]:
    """Return the texts of a conversation without tags and entities.

    A text is HTML if its source says so, if it begins with a block, or if it has tags and no text of the conversation is about
    markup. Entities of other texts are resolved if no text has one of their characters: then the program has escaped them.
    """
    about_markup = any(_ABOUT_MARKUP.search(each.text) is not None for each in texts)
    html_ = [each.is_html or is_page(each.text) or (not about_markup and _has_tags(each.text)) for each in texts]
    others = [each.text for each, is_html in zip(texts, html_, strict=True) if not is_html]
    escaped = not about_markup and not any(_RAW.search(text) is not None for text in others)
    return [
        text_of_page(each.text).strip() if is_html else _unescaped(each.text) if escaped else each.text
        for each, is_html in zip(texts, html_, strict=True)
    ]


def _has_tags(text: str) -> bool:
    """Return whether a text has line breaks or closed tags outside of its code."""
    if "<" not in text:
        return False
    bare = _CODE.sub("", text)
    closed = {match["tag"].lower() for match in _PAIRED.finditer(bare)}
    return _LINE_BREAK.search(bare) is not None or any(f"</{tag}>" in bare.lower() for tag in closed)


def _unescaped(text: str) -> str:
    return html.unescape(text).replace("\u00a0", " ") if _ENTITY.search(text) is not None else text
