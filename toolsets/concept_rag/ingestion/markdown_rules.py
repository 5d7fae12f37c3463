"""Renders Markdown as HTML by CommonMark, with further rules so that no text of ordinary documents is dropped."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_MAX_NESTING: Final = 50
"""The deepest level that is read as nested. A list takes two levels, a quote one; hostile brackets take time by it."""


def markdown_as_html(text: str) -> str:
    """Return Markdown with tables and deleted text as HTML."""
    markdown = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    markdown.block.ruler.before("table", "too_deep", _too_deep)
    return markdown.render(text)


def _too_deep(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the library's signature)
    """Read lines below the deepest level as a paragraph; the library drops them."""
    # An item of a list is two levels deeper than the list's surroundings.
    if silent or state.level < _MAX_NESTING - 2:
        return False
    last = first + 1
    while last < end and not state.isEmpty(last) and state.sCount[last] >= state.blkIndent:
        last += 1
    _push_paragraph(state, state.getLines(first, last, state.blkIndent, keepLastLF=False), first, last)
    state.line = last
    return True


def _push_paragraph(state: StateBlock, content: str, first: int, last: int) -> None:
    state.push("paragraph_open", "p", 1)
    text = state.push("inline", "", 0)
    text.content, text.map, text.children = content.strip(), [first, last], []
    state.push("paragraph_close", "p", -1)
