"""Reads reports in sections, as issue trackers have them; kept separate because `problems` reads sentences, not layouts."""

import re
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.transcript.fences import fence_parts, has_fence

_LEXICON = lexicon("sections")
_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{2,6}[ \t]+(?P<name>[^\n#]{2,120}?)[ \t#:]{0,6}|(?:\*\*|__)(?P<bold>[^*_\n]{2,120}?):?(?:\*\*|__):?)[ \t]*"
    rf"|[ \t]{{0,8}}[*-] (?P<item>(?i:{_LEXICON.any_of('asked')})\?)[ \t]*"
)
_KNOWN = re.compile(rf"(?i){_LEXICON.any_of('heading')}[?:]?")
_ASIDE = re.compile(rf"(?i){_LEXICON.any_of('aside')}[?:]?")
_LEFT_EMPTY = re.compile(r"[ \t]{0,3}(?:_No response_|N/?A|[-*] \[[ xX]\] .*)[ \t]*")
"""What a form has where nothing was written, and a box to tick."""
_LONGEST: Final = 160
"""Characters of a heading; a longer line is text."""
_FEW: Final = 2
"""The most words of a heading in no list that names a section, not what is wrong."""


def without_sections(text: str) -> str:
    """Return a report without the headings of its sections and the sections that do not tell what is wrong.

    Another heading stays as a sentence. What would leave nothing is returned as it is.
    """
    text = _without_fields(text)
    if "##" not in text and "**" not in text and "__" not in text and "* " not in text:
        return text
    kept: list[str] = []
    aside = False
    mark: str | None = None
    for line in text.split("\n"):
        match = _HEADING.fullmatch(line[:_LONGEST]) if mark is None else None
        mark = fence_parts(line, mark).open if mark is not None or has_fence(line) else None
        name = None if match is None else (match["name"] or match["bold"] or match["item"]).strip()
        if name is None or (match is not None and match["bold"] and _KNOWN.fullmatch(name) is None):
            kept += [] if aside or _LEFT_EMPTY.fullmatch(line[:_LONGEST]) is not None else [line]
            continue
        aside = _ASIDE.fullmatch(name) is not None
        names_a_section = len(name.split()) <= _FEW or _KNOWN.fullmatch(name) is not None
        kept += ["", "" if names_a_section else name, ""]
    return "\n".join(kept) if any(map(str.strip, kept)) else text


def _without_fields(text: str) -> str:
    """Return a report without the fields at its beginning that a bug tracker reads: "Package: ..." and others."""
    match = _FIELDS.match(text)
    named = match is not None and _PACKAGE.match(match.group()) is not None and text[match.end() :].strip()
    return text[match.end() :] if match is not None and named else text


_FIELDS = re.compile(rf"\s{{0,9}}(?:{_LEXICON.any_of('field')}:[ \t]{{0,4}}[^\n]{{0,200}}(?:\n|$)){{2,20}}")
_PACKAGE = re.compile(r"\s*(?:Package|Source)")
