"""Finds the texts of well-known licences, and notices of copyright, in the blocks of a document."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.languages import word_count

_LONG: Final = re.compile(
    r"everyone is permitted to copy and distribute verbatim copies of this license"
    r"|the gnu (?:\w+ )?general public license is (?:a free, copyleft license|intended to guarantee)"
    r"|the licenses for most software (?:and other practical works )?are designed to take away"
    r"|the purpose of this license is to make a manual, textbook,? or other"
    r"|is provided under the terms of this creative commons public license"
    r"|by exercising the licensed rights \(defined below\)"
    r"|creative commons corporation .{0,25}is not a law firm"
    r"|terms and conditions for use, reproduction,? and distribution",
    re.IGNORECASE,
)
"""Sentences with which the GPL, the GFDL, the licences of Creative Commons and the Apache License begin."""
_SHORT: Final = re.compile(
    r"permission is hereby granted, free of charge, to any person obtaining a copy"
    r"|redistribution and use in source and binary forms",
    re.IGNORECASE,
)
"""The same of the licences of MIT and BSD, which have a few paragraphs."""
_TERMS: Final = re.compile(
    r"\b(?:licen[cs]\w+|covered works?|convey\w*|copyright\w*|warrant\w+|cover texts?|invariant sections?"
    r"|modified versions?|redistribut\w*|free software foundation|object code|corresponding source|this program|patents?)\b",
    re.IGNORECASE,
)
_SHORT_TERMS: Final = re.compile(
    r"\b(?:above copyright notice|redistributions|provided .{0,60}as[- ]is|endorse or promote|shall be included in all copies)\b",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"licen[cs]e|^version \d|copyright|©|^preamble|^terms and conditions|^legal code", re.IGNORECASE
)
"""The headings and lines between the name of a licence and its first sentence."""
_MOST_BEFORE: Final = 6
_MOST_SHORT: Final = 6
_OPENING: Final = 600
"""Characters of a block in which the first sentence of a licence is sought."""
_WORDS: Final = 8
"""A shorter block, such as a heading or a postal address, neither continues nor ends a licence."""
_GAP: Final = 4
"""The most blocks in a row that a licence has without its own terms."""
_LEAST_SHARE: Final = 0.5
"""The least share of a licence's letters in blocks with its terms; a text that names a licence now and then has a fifth."""
_LONGEST: Final = 45_000
"""The most characters of a licence: the GPL, the longest, has 35,000."""
_LEAST_ELSE: Final = 1_500
"""The least characters of other text; a document with less is the licence itself."""
_NOTICE_WORDS: Final = 30
_NOTICE: Final = re.compile(
    r"^\W*(?:copyright|©)(?: \(c\)| ©| c| by)?,? ?(?:19|20)\d\d|^\W*copyright by (?-i:[^\Wa-z])"
    r"|^\W*(?:(?-i:(?:Copyright|COPYRIGHT) [^a-z])|©).{0,100}\b(?:licen[cs]e|rights reserved|creative commons)\b"
    r"|\blicen[cs]ed under (?:an? |the )?(?:gnu|creative commons|cc[ -]by)\b",
    re.IGNORECASE,
)


def licence_spans(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return the first block of each licence with its heading, and the one after its last, in order.

    Returns nothing if the document is little else than licences.
    """
    found: list[tuple[int, int]] = []
    for start, end in _spans(blocks):
        continues = bool(found) and start <= found[-1][1]
        found.append((found.pop()[0] if continues else start, end))
    licensed = sum(len(block.text) for start, end in found for block in blocks[start:end])
    others = sum(len(block.text) for block in blocks) - licensed
    return found if others >= _LEAST_ELSE else []


def _spans(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    end = 0
    for place, block in enumerate(blocks):
        if place < end or block.kind == "code":
            continue
        opening = _opening(block)
        if _LONG.search(opening):
            end = _end(blocks, place + 1)
        elif _SHORT.search(opening):
            end = _end_of_short(blocks, place + 1)
        else:
            continue
        yield _start(blocks, place), end


def _opening(block: Block) -> str:
    return " ".join(block.text[:_OPENING].split())


def _start(blocks: Sequence[Block], place: int) -> int:
    """Return the place of the licence's heading or first line."""
    start = place
    for before in range(place - 1, max(-1, place - 1 - _MOST_BEFORE), -1):
        block = blocks[before]
        if len(block.text.split()) < _NOTICE_WORDS and _BEFORE.search(block.text):
            start = before
    return start


def _end(blocks: Sequence[Block], place: int) -> int:
    """Return the place after the last block with terms of a licence, before which most of the text has some."""
    end, gap, read, licensed = place, 0, 0, 0
    for number in range(place, len(blocks)):
        text = blocks[number].text
        if _LONG.search(_opening(blocks[number])):  # of the same licence or the next one
            read = licensed = 0
        read += len(text)
        if read > _LONGEST:
            break
        if _TERMS.search(text):
            gap, licensed = 0, licensed + len(text)
            if licensed >= _LEAST_SHARE * read:
                end = number + 1
        elif word_count(text) >= _WORDS:
            gap += 1
            if gap > _GAP:
                break
    return end


def _end_of_short(blocks: Sequence[Block], place: int) -> int:
    end = place
    for number in range(place, min(len(blocks), place + _MOST_SHORT)):
        if _SHORT_TERMS.search(" ".join(blocks[number].text.split())):
            end = number + 1
    return end


def is_notice(text: str) -> bool:
    """Return whether a short text is a notice of copyright or of a licence, such as the credit of a picture."""
    return _NOTICE.search(text[:_OPENING]) is not None and len(text.split()) <= _NOTICE_WORDS
