"""Renders Markdown as HTML by CommonMark, with further rules so that no text of ordinary documents is dropped."""

import re
from collections.abc import Iterator, MutableMapping
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block, reference
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_MAX_NESTING: Final = 50
"""The deepest level that is read as nested. A list takes two levels, a quote one; hostile brackets take time by it."""

_NOTE: Final = re.compile(r"\[\^[^\]\n]{1,99}\]:")
"""The sign of a footnote's text. CommonMark takes a footnote of one word for the address of a link."""
_NOTE_INDENT: Final = 4
"""Columns by which the further paragraphs of a footnote are indented."""
_REMARK: Final = re.compile(r"[ ]{0,3}\[[^\]\n]{1,99}\]:[ \t]*[^\W_][\w-]*[ \t]*$")
"""A label with one word, such as "[TODO]: decide", which CommonMark takes for the address of a link."""
_ATTRIBUTES: Final = re.compile(
    r"(?<=[^ \t])[ \t]++\{:?[ \t]*+(?:[#.][\w:.-]+|-|[\w-]+=[^{}\s]+)(?:[ \t]+[^{}\s]+)*+[ \t]*\}$"
)
"""The anchor and the classes after a heading's text, as of Pandoc and of site generators."""
_FORMULA: Final = re.compile(
    r"\$\$[^$]{1,4000}\$\$|\$(?![\s$])(?:[^$\\\n`]|\\[^\n]){1,1000}(?<!\s)\$(?!\d)|\\\([^`]{1,1000}?\\\)|\\\[[^`]{1,1000}?\\\]"
)
"""TeX between dollars, or between escaped brackets; a price has a space before the next dollar or a digit after it."""
_COMMAND: Final = re.compile(r"\\[A-Za-z]{2}|[\^]")
_CLOSING: Final = re.compile(r"</([a-z][a-z0-9-]*)", re.IGNORECASE)
_TAG: Final = re.compile(r"<([a-z][a-z0-9-]*)(?=[\s/>])[^<>]*+", re.IGNORECASE)
_RAW: Final = frozenset("iframe noembed noframes plaintext script style textarea title xmp".split())
"""Elements whose content HTML does not parse, so that one without an end takes the rest of the document."""
_UNREAD: Final = frozenset(
    "audio button canvas datalist head map meter noscript object progress select svg template video".split()
)
"""Further elements whose content is not read."""
_SIGNS: Final = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
"""The ends of comments and other sections."""
_KNOWN: Final = _RAW | _UNREAD | frozenset(
    "a abbr acronym address area article aside b base bdi bdo big blink blockquote body br caption center cite code col "
    "colgroup data dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame "
    "frameset h1 h2 h3 h4 h5 h6 header hgroup hr html i img input ins kbd label legend li link main mark marquee math "
    "menu meta nav nobr ol optgroup option output p param picture pre q rb rp rt rtc ruby s samp search section small "
    "source span strike strong sub summary sup table tbody td tfoot th thead time tr track tt u ul var wbr".split()
)  # fmt: skip


def markdown_as_html(text: str) -> str:
    """Return Markdown with tables and deleted text as HTML."""
    markdown = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    markdown.block.ruler.before("table", "too_deep", _too_deep)
    markdown.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference", "blockquote"]})
    markdown.inline.ruler.before("escape", "formula", _formula)
    markdown.block.ruler.at("reference", _reference)
    markdown.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    markdown.core.ruler.before("inline", "heading_attributes", _heading_attributes)
    markdown.core.ruler.before("inline", "surplus_cells", _surplus_cells)
    markdown.core.ruler.after("inline", "tags_in_prose", _tags_in_prose)
    # The last end of each element; one that begins later has none.
    return markdown.render(text, {name.lower(): at for name, at in _ends(text)})


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


def _ends(text: str) -> Iterator[tuple[str, int]]:
    for match in _CLOSING.finditer(text):
        yield match[1], match.start()
    for sign in _SIGNS.values():
        yield sign, text.rfind(sign)


def _reference(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the library's signature)
    """Read the address of a link, but no single word, which would be dropped."""
    if _REMARK.match(state.src[state.bMarks[first] : state.eMarks[first]]):
        return False
    return reference(state, first, end, silent)


def _html_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the library's signature)
    """Read lines of HTML, unless they begin with what has no end and would take the rest of the document."""
    start = state.bMarks[first] + state.tShift[first]
    tag = _TAG.match(state.src, start)
    if tag:
        name = tag[1].lower()
        is_text = (name in _RAW or name in _UNREAD) and state.env.get(name, -1) < start
    else:
        sign = next((sign for sign in _SIGNS if state.src.startswith(sign, start)), "")
        is_text = bool(sign) and state.env[_SIGNS[sign]] < start
    return not is_text and html_block(state, first, end, silent)


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the library's signature)
    """Read a formula of TeX as it is, with its backslashes, underscores and asterisks."""
    formula = _FORMULA.match(state.src, state.pos, state.posMax) if state.src[state.pos] in "$\\" else None
    # Escaped brackets often stand for themselves, as in "\[1\]".
    if formula is None or (formula[0][0] == "\\" and _COMMAND.search(formula[0]) is None):
        return False
    if not silent:
        state.pending += formula[0]
    state.pos = formula.end()
    return True


def _heading_attributes(state: StateCore) -> None:
    for opening, text in pairwise(state.tokens):
        if opening.type == "heading_open" and text.content.endswith("}"):
            text.content = _ATTRIBUTES.sub("", text.content)


def _surplus_cells(state: StateCore) -> None:
    """Add what follows the last column of a table to its last cell, such as the rest of `a | b`; the library drops it."""
    lines = state.src.split("\n")
    last: Token | None = None
    columns = line = 0
    for token in state.tokens:
        if token.type == "tr_open":
            columns, line = 0, token.map[0] if token.map else 0
        elif token.type == "td_open":
            columns += 1
        elif token.type == "inline":
            last = token
        elif token.type == "tr_close" and columns and last is not None:
            # The row may stand in a quote.
            cells = escapedSplit(lines[line].strip(" \t>") if "|" in lines[line] else "")
            cells = cells[not cells[0] : len(cells) - (not cells[-1])]
            if len(cells) > columns:
                last.content = "|".join(cells[columns - 1 :]).strip()


def _tags_in_prose(state: StateCore) -> None:
    """Turn tags that stand for themselves into text, as in "the <title> of a page", "List<String>" or "<your name>"."""
    for token in state.tokens:
        if token.type == "html_block":
            token.content = _TAG.sub(
                lambda tag: tag[0] if _is_markup(tag, state.env) else f"&lt;{tag[0][1:]}", token.content
            )
        ended: set[str] = set()
        for child in reversed(token.children or ()):
            if child.type != "html_inline":
                continue
            closing, tag = _CLOSING.match(child.content), _TAG.match(child.content)
            named = closing or tag
            name = named[1].lower() if named else ""
            if closing:
                ended.add(name)
            if name in _RAW or (tag and not _is_markup(tag, state.env)) or (tag and name in _UNREAD - ended):
                child.type = "text"


def _is_markup(tag: re.Match[str], ends: MutableMapping[str, int]) -> bool:
    """Return whether a tag is one of HTML or has an end, so that it is no text."""
    name = tag[1].lower()
    if name in ends or tag[0].endswith("/"):
        return True
    return name in _KNOWN and name not in _RAW and name not in _UNREAD
