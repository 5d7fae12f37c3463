"""Renders Markdown as HTML by CommonMark, with further rules so that no text of ordinary documents is dropped."""

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_MAX_NESTING: Final = 50
"""The deepest level that is read as nested. A list takes two levels, a quote one; hostile brackets take time by it."""

_NOTE: Final = re.compile(r"\[\^[^\]\n]{1,99}\]:")
"""The sign of a footnote's text. CommonMark takes a footnote of one word for the address of a link."""
_NOTE_INDENT: Final = 4
"""Columns by which the further paragraphs of a footnote are indented."""


def markdown_as_html(text: str) -> str:
    """Return Markdown with tables and deleted text as HTML."""
    markdown = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    markdown.block.ruler.before("table", "too_deep", _too_deep)
    markdown.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference", "blockquote"]})
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


def _footnote(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the library's signature)
    """Read the text of a footnote after its sign, and the indented lines below it."""
    start = state.bMarks[first] + state.tShift[first]
    sign = None if state.is_code_block(first) else _NOTE.match(state.src, start, state.eMarks[first])
    if sign is None or silent:
        return sign is not None
    kept = state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType
    state.bMarks[first] = sign.end()
    state.tShift[first] = state.skipSpaces(sign.end()) - sign.end()
    state.blkIndent += _NOTE_INDENT
    state.sCount[first] = state.blkIndent
    state.push("footnote_open", "div", 1)
    position = len(state.tokens)
    state.md.block.tokenize(state, first, end)
    _put_before(state, position, sign[0], first)
    state.push("footnote_close", "div", -1)
    state.blkIndent -= _NOTE_INDENT
    state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType = kept
    return True


def _put_before(state: StateBlock, position: int, sign: str, line: int) -> None:
    """Put the sign of a footnote into its first paragraph, or before its first block of another kind."""
    content = state.tokens[position:]
    if content and content[0].type == "paragraph_open":
        content[1].content = f"{sign} {content[1].content}"
    else:
        del state.tokens[position:]
        _push_paragraph(state, sign, line, line + 1)
        state.tokens += content


def _push_paragraph(state: StateBlock, content: str, first: int, last: int) -> None:
    state.push("paragraph_open", "p", 1)
    text = state.push("inline", "", 0)
    text.content, text.map, text.children = content.strip(), [first, last], []
    state.push("paragraph_close", "p", -1)
