"""Front matter of Markdown: TOML, Pandoc's title block, and what people write of YAML, without tags and typed values.

Much of that is refused by libraries for YAML, such as `title: Ice: a history` and `title: 'tis the season`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, cast

MAX_FRONT_MATTER: Final = 65_536
"""The most characters of front matter; a longer section after an opening rule is text."""
_MAX_DEPTH: Final = 8
"""The deepest nesting of YAML that is read."""
_MAX_VALUES: Final = 50
"""The most values of a list, such as authors."""
_YAML: Final = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML: Final = re.compile(r"\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE_BLOCK: Final = re.compile(r"% *(\S.*(?:\n[ \t]+\S.*)*)\n(?:%(.*(?:\n[ \t]+\S.*)*)\n)?(?:%(.*)\n)?")
"""Pandoc's lines of the title, the authors and the date."""
_LINES: Final = re.compile(r"(?=title:)(?:[A-Za-z_][\w-]{0,40}:.*\n(?:[ \t]+\S.*\n)*)+\n", re.IGNORECASE)
"""Entries from a title to a blank line without rules around them, as of MultiMarkdown and Pelican."""
_ENTRY: Final = re.compile(r"\s*([\"']?)(?P<name>[A-Za-z_][\w-]{0,40})\1\s*:(?:\s+(?P<value>.*)|)$")
_ITEM: Final = re.compile(r"\s*-(?:\s|$)")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_BLOCK: Final = re.compile(r"[|>][-+\d]{0,2}(?:\s+#.*)?")
"""The start of a text that stands, as it is or folded, in the indented lines below."""
_QUOTED: Final = re.compile(r""""((?:[^"\\]|\\.)*+)"|'((?:[^']|'')*+)'""", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))", re.DOTALL)
_BLANK: Final = re.compile(r"\s*+")
_PLAIN: Final = re.compile(r"(?:[^,\[\]{}:]|:(?!\s|$))*+")
"""A value without quotes inside a list in brackets."""
_WHOLE: Final = ("name", "text", "literal")
_PARTS: Final = (("given", "first", "firstname", "given-names"), ("family", "last", "lastname", "family-names"))
"""The keys of a person or a title that is a mapping: its whole name, or the parts of a name."""

_Value: TypeAlias = "str | list[_Value] | dict[str, _Value]"


def front_matter(text: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the values by their lower-case names, and the text after the front matter."""
    head = text[:MAX_FRONT_MATTER]
    match = _TOML.match(head)
    if match:
        return _stated(_toml(match[1] or "")), text[match.end() :]
    match = _YAML.match(head)
    lines = _content((match[1] or "").splitlines()) if match else []
    # Two rules at the start may also enclose a paragraph.
    if match and lines and _ENTRY.match(lines[0]):
        return _stated(_block(lines, 0)), text[match.end() :]
    match = _TITLE_BLOCK.match(head)
    if match:
        title, authors, date = (group or "" for group in match.groups())
        return {"title": (title,), "author": tuple(re.split(r"[;\n]", authors)), "date": (date,)}, text[match.end() :]
    match = _LINES.match(head)
    if match:
        return _stated(_block(match[0].splitlines(), 0)), text[match.end() :]
    return {}, text


def _stated(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    return {name.lower(): _strings(each) for name, each in cast("dict[str, object]", value).items()}


def _strings(value: object) -> tuple[str, ...]:
    """Return the texts of a value: itself, those of a list, or the name of a person who is described by a mapping."""
    if isinstance(value, list):
        return tuple(text for each in cast("list[object]", value)[:_MAX_VALUES] for text in _strings(each)[:1])
    if not isinstance(value, dict):
        return (str(value),) if value != "" else ()
    mapping = cast("Mapping[str, object]", value)
    for name in _WHOLE:
        if name in mapping:
            return _strings(mapping[name])
    parts = [str(mapping[name]) for names in _PARTS for name in names if name in mapping]
    return (" ".join(parts),) if parts else ()


def _toml(source: str) -> dict[str, object]:
    try:
        return tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _content(lines: Sequence[str]) -> list[str]:
    """Return the lines without blank lines and comments before the first other line."""
    first = next((n for n, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"), len(lines))
    return list(lines[first:])


def _block(lines: Sequence[str], depth: int) -> _Value:
    """Return the list, the mapping or the text in lines that belong together."""
    lines = _content(lines)
    if not lines or depth > _MAX_DEPTH:
        return ""
    if _ITEM.match(lines[0]):
        return [_block([each[0].replace("-", " ", 1), *each[1:]], depth + 1) for each in _groups(lines, _ITEM)]
    if _ENTRY.match(lines[0]) is None:
        return _value(lines[0], lines[1:], depth)
    mapping: dict[str, _Value] = {}
    for first, *below in _groups(lines, _ENTRY):
        entry = _ENTRY.match(first)
        if entry:
            mapping[entry["name"].lower()] = _value(entry["value"] or "", below, depth + 1)
    return mapping


def _groups(lines: Sequence[str], start: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield each entry or item that begins as far left as the first line, with the lines below it."""
    indent = _indent(lines[0])
    group: list[str] = []
    for line in lines:
        if group and _indent(line) <= indent and start.match(line):
            yield group
            group = []
        group.append(line)
    yield group


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _value(first: str, below: Sequence[str], depth: int) -> _Value:
    """Return the value that begins after a name or a dash and goes on in the lines below."""
    first = first.strip()
    if _BLOCK.fullmatch(first):
        return " ".join(line.strip() for line in below).strip()
    if not first or first.startswith("#"):
        return _block(below, depth)
    text = " ".join([first, *(line.strip() for line in below)])
    if first[0] in "\"'[{":
        value, end = _flow(text, 0, depth)
        if not _COMMENT.sub("", text[end:]).strip():
            return value
    return " ".join(_COMMENT.sub("", line).strip() for line in [first, *below]).strip()


def _flow(text: str, start: int, depth: int) -> tuple[_Value, int]:
    """Return the value in quotes, brackets or neither at a position, and the position after it."""
    quoted = _QUOTED.match(text, start)
    if quoted:
        return (_unescaped(quoted[1]) if quoted[1] is not None else quoted[2].replace("''", "'")), quoted.end()
    if text[start : start + 1] not in {"[", "{"} or depth > _MAX_DEPTH:
        plain = _PLAIN.match(text, start)
        end = max(plain.end() if plain else 0, start + 1)
        return text[start:end].strip(), end
    values: list[_Value] = []
    mapping: dict[str, _Value] = {}
    at = _after_blanks(text, start + 1)
    while at < len(text) and text[at] not in "]}":
        value, at = _flow(text, at, depth + 1)
        at = _after_blanks(text, at)
        if text[at : at + 1] == ":" and isinstance(value, str):
            mapping[value.lower()], at = _flow(text, _after_blanks(text, at + 1), depth + 1)
        else:
            values.append(value)
        at = _after_blanks(text, at)
        if text[at : at + 1] == ",":
            at = _after_blanks(text, at + 1)
    return (mapping or values), min(at + 1, len(text))


def _after_blanks(text: str, start: int) -> int:
    match = _BLANK.match(text, start)
    return match.end() if match else start


def _unescaped(text: str) -> str:
    plain = _ESCAPED.sub(_character, text)
    # Two escaped halves of a character join; a lone half is no character.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return " " if match[4] in "ntr\n" else match[4]
    return chr(int(digits, 16)) if int(digits, 16) <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"
