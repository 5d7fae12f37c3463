"""Summarises a text that has no sentence which is meaningful on its own, such as a form or a list."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.licences import is_notice
from toolsets.concept_rag.sections import SectionKind
from toolsets.concept_rag.sentences import sentences

ENDS: Final = ".!…。！\"'”’»)"
"""The characters with which a sentence ends."""
LEGAL: Final = re.compile(
    r"\bredistribut|\bpermission (?:is|to)\b|\bwarrant(?:y|ies)\b|\ball rights reserved\b|\bpublic licen[cs]e\b"
    r"|\blicen[cs]ed under\b|свободно распростран|\blibrement (?:re)?distribu|\bfrei (?:weiter)?ver(?:teil|breit)",
    re.IGNORECASE,
)
"""Text about the permitted use of a document rather than its subject."""
_MAX_SENTENCES: Final = 3
_MAX_ITEMS: Final = 4
_ITEM_WORDS: Final = 4
"""The least words of a list item that is a sentence."""
_MOST_HEADINGS: Final = 8
"""More of them are an outline rather than a summary."""
_FEWEST_HEADINGS: Final = 2
"""A single one, such as the title, says less than the first words of the text."""
_ABOUT_AUTHORS: Final = frozenset(
    "external links; links; see also; author; authors; references; license; licence; credits; acknowledgements".split(
        "; "
    )
)
"""Headings of sections that are not about the subject of a page."""
_MAX_BEGINNING: Final = 200
"""About two sentences: nothing says that the beginning is what the document is about."""
_FEWEST_LETTERS: Final = 10
"""The least letters of a sentence of the last resort; a sentence of Japanese may have no more."""
_RUNNING: Final = 3
"""A line that occurs so often, apart from numbers, is printed on each page."""
_DIGITS: Final = re.compile(r"\d+")
_READ: Final = 5_000
"""Characters of a block that are read."""


def fallback_summary(blocks: Sequence[Block], kinds: Sequence[SectionKind], limit: int) -> str:
    """Return the first sentences, else the first items of lists, the headings, or the first words; "" for a text of tables.

    The summary has at most `limit` characters.
    """
    lines = Counter(_DIGITS.sub("", block.text) for block in blocks)
    others = [
        (block, kind)
        for block, kind in zip(blocks, kinds, strict=True)
        if lines[_DIGITS.sub("", block.text)] < _RUNNING or block.kind == "heading"
    ]
    body = [block for block, kind in others if kind == "body"]
    return (
        _first_sentences(body, limit)
        or _first_items(body, limit)
        or _beginning([block for block, _ in others])
        or _headings(body, limit)
        or _beginning(blocks)
    )


def _first_sentences(body: Sequence[Block], limit: int) -> str:
    chosen: list[str] = []
    for block in body:
        if block.kind not in {"paragraph", "quote"} or LEGAL.search(block.text[:_READ]) or is_notice(block.text):
            continue
        for start, end in sentences(block.text[:_READ], 0, min(len(block.text), _READ)):
            sentence = block.text[start:end]
            letters = sum(map(str.isalpha, sentence))
            if sentence[-1] not in ENDS or letters < _FEWEST_LETTERS or letters * 2 < len(sentence):
                continue
            if len(chosen) == _MAX_SENTENCES or len(" ".join((*chosen, sentence))) > limit:
                return " ".join(chosen)
            chosen.append(sentence)
    return " ".join(chosen)


def _first_items(body: Sequence[Block], limit: int) -> str:
    """Return the first items of lists that are sentences, else the headings if there are enough, for a text of lists."""
    items = [block.text for block in body if block.kind == "list_item" and len(block.text) <= limit // 2]
    full_items = [text for text in items if text[-1] in ENDS and len(text.split()) >= _ITEM_WORDS][:_MAX_ITEMS]
    if full_items:
        return " ".join(full_items)[:limit]
    return _headings(body, limit) if items else ""


def _headings(body: Sequence[Block], limit: int) -> str:
    headings = dict.fromkeys(block.text.rstrip(" .:") for block in body if block.kind == "heading")
    named = [text for text in headings if text and text.casefold() not in _ABOUT_AUTHORS][:_MOST_HEADINGS]
    return f"{'; '.join(named)}."[:limit] if len(named) >= _FEWEST_HEADINGS else ""


def _beginning(blocks: Sequence[Block]) -> str:
    """Return the first words outside tables."""
    text = " ".join(
        " ".join(block.text.split()) for block in blocks if block.kind in {"paragraph", "quote", "list_item"}
    )
    if len(text) <= _MAX_BEGINNING:
        return text
    return text[:_MAX_BEGINNING].rpartition(" ")[0] or text[:_MAX_BEGINNING]
