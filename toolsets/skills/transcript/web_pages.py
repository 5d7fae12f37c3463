"""Turns copied web pages into lines, before the forms of chats are known; apart, because it knows none of them."""

import html
import re

_PAGE = re.compile(
    r"(?i)\s*<(?:!doctype|html|body|p|div|ul|ol|li|table|b|strong|span|section|article|h[1-6])\b[^<>]{0,300}>"
)
_LINE_END = re.compile(r"(?i)<(?:br|hr)\b[^<>]{0,100}>|</(?:p|div|li|tr|h[1-6]|section|article)>")
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,300}>")


def without_tags(text: str) -> str:
    """Return the text of a web page, a line for each paragraph; any other text is returned as it is."""
    if _PAGE.match(text) is None:
        return text
    return html.unescape(_TAG.sub("", _LINE_END.sub("\n", text)))
