"""Turns copied web pages into lines, before the forms of chats are known; kept separate because it knows none of them."""

import html
import re

_PAGE = re.compile(
    r"(?i)\s*<(?:!doctype|html|body|p|div|ul|ol|li|table|b|strong|span|section|article|h[1-6])\b[^<>]{0,300}>"
)
_LINE_END = re.compile(r"(?i)<(?:br|hr)\b[^<>]{0,100}>|</(?:p|div|dd|li|tr|h[1-6]|section|article)>")
_LINE_START = re.compile(
    r"(?i)<(?:p|div|dl|dt|li|ul|ol|tr|table|pre|blockquote|h[1-6]|section|article)(?=[\s>])[^<>]{0,300}>"
)
_CELL_END = re.compile(r"(?i)</(?:td|th|dt)>")
_NAME_ABOVE = re.compile(r"(?i)<(b|strong)>([^<>\n:]{1,40})</\1>\s{0,9}(?=<(?:p|div|blockquote|pre|ul|ol)[\s>])")
"""A name in bold type that has no mark before the paragraph below it."""
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,300}>")
_MIDDLE = re.compile("(?<=[^\\n\0])[ \\t]*\0+")
"""The beginning of a block on a line that has text already."""


def without_tags(text: str) -> str:
    """Return the text of a web page, a line for each paragraph; any other text is returned as it is."""
    return text_of_page(text) if is_page(text) else text


def is_page(text: str) -> bool:
    """Return whether a text begins with a tag of a block of HTML."""
    return _PAGE.match(text) is not None


def text_of_page(text: str) -> str:
    """Return the text of HTML, a line for each paragraph."""
    text = _LINE_END.sub("\n", _NAME_ABOVE.sub(r"\2:\n", text))
    text = _TAG.sub("", _CELL_END.sub(" ", _LINE_START.sub("\0", text)))
    return html.unescape(_MIDDLE.sub("\n", text).replace("\0", "")).replace("\u00a0", " ")
