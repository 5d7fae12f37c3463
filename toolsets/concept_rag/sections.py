"""Classifies parts of a document as body, contents, references, front or back matter, by headings and by shape."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toolsets.concept_rag.ingestion.document import Block
from toolsets.concept_rag.licences import licence_spans
from toolsets.concept_rag.outlines import contents_lists
from toolsets.concept_rag.words import FUNCTION_WORDS

SectionKind: TypeAlias = Literal["body", "front_matter", "back_matter", "references", "contents"]

_SECTIONS: Final[Mapping[SectionKind, str]] = {
    "contents": """
        contents; table of contents; detailed contents; brief contents; contents at a glance; summary of contents;
        list of figures; list of tables; list of examples; list of equations; list of listings; list of illustrations;
        inhalt; inhaltsverzeichnis; inhaltsübersicht; table des matières; sommaire; índice general; índice; indice;
        índice de contenidos; contenido; contenidos; tabla de contenido; tabla de contenidos; sommario; sumário; conteúdo;
        inhoud; inhoudsopgave; spis treści; содержание; оглавление; 目次; もくじ; 目录; 目錄
    """,
    "references": """
        references; bibliography; works cited; literature cited; references cited; literature; citations; endnotes;
        selected bibliography; annotated bibliography; references and notes; notes and references; reference list;
        list of references; further reading; suggested reading; suggested readings; recommended reading;
        literaturverzeichnis; literatur; bibliographie; références; bibliografía; referencias; bibliografia;
        riferimenti; литература; список литературы; 参考文献; 參考文獻
    """,
    "front_matter": """
        preface; foreword; acknowledgements; acknowledgments; acknowledgement; acknowledgment; dedication; colophon;
        copyright; copyright notice; copyright page; legal notice; license; licence; licensing; disclaimer; imprint;
        about this book; about this document; about this manual; about the author; about the authors; credits;
        about the editor; about the editors; contributors; list of contributors; title page; half title; publisher's note;
        preface to the first edition; preface to the second edition; trademarks; praise; also by; vorwort; danksagung;
        impressum; avant-propos; préface; remerciements; prólogo; agradecimientos; prefazione; ringraziamenti;
        предисловие; благодарности; まえがき; 前言
    """,
    "back_matter": """
        index; index of names; general public license; gnu general public license; gnu free documentation license;
        change log; changelog; revision history; document history; errata; about the type; stichwortverzeichnis;
        sachregister; register; index des concepts; índice alfabético; índice analítico; indice analitico;
        предметный указатель; 索引
    """,
}
_TITLES: Final[Mapping[str, SectionKind]] = {
    " ".join(title.split()): kind for kind, titles in _SECTIONS.items() for title in titles.split(";")
}
"""The headings of each kind, in lower case and without their number."""
_NUMBERING: Final = re.compile(
    r"^(?:(?:chapter|appendix|annex|part|section)\b\s*)?(?:[a-z]|[ivxlc]{1,6}|\d{1,3}(?:\.\d{1,3}){0,5})?[.:)]?\s+",
    re.IGNORECASE,
)
_LEADER: Final = re.compile(r"(?<![.·…_])(?<![.·] )(?:(?:[.·] ?){4,}|…{2,}|_{5,}) ?(?:\d{1,4}|[ivxlc]{1,6})\b")
_NUMBERED_LINE: Final = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*)\.? \D.{1,90}? \d{1,4}$")
_MARK: Final = re.compile(r"^\s*(?:\[[\w+ .,-]{1,12}\]|\(?\d{1,3}[.)]|[•*-])\s")
_CITATION: Final = re.compile(
    r"""\(?(?:19|20)\d\d[a-z]?\)?[.,:;)] | (?:19|20)\d\d[.)]?$ | \b(?: pp?\.\s?\d | (?:vol|no|eds?|proc|trans|univ|conf)\. |
        et\ al\b | doi\b | arxiv\b | isbn\b | in:? \ proceedings\b | (?:press|journal|publish\w+|springer|wiley|
        elsevier|o['’]reilly|addison)\b | [a-z]\.[\s,] | rfc\s?\d ) | https?:// | \d+\(\d+\):\d+""",
    re.VERBOSE,
)
"""For lower-case text, in which it takes half the time."""
_ENTRY: Final = re.compile(r",\s?\d{1,4}(?:\s?[–-]\s?\d{1,4})?(?=$|[,;.\s])|\.{3,} ?\d{1,4}\b")
_LEGAL: Final = re.compile(
    r"©|\(c\)\s*(?:19|20)\d\d|\bcopyright\b|\ball rights reserved\b|\bISBN\b|\bpermission (?:is|to)\b|\bpublished by\b"
    r"|\bprinted (?:in|by|on)\b|\b(?:first|second|third|\d+(?:st|nd|rd|th)) edition\b|\bno part of this\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_LEADER_MARKS: Final = ("...", ". .", "··", "· ·", "…", "___")
_LONGEST_CITATION: Final = 120
"""The most words of a block that may be an entry of a bibliography."""
_LEAST_ENTRY: Final = 40
"""The least characters of a block that counts as an entry of a bibliography or as other text; shorter ones are parts."""
_SHAPE_CHARACTERS: Final = 4_000
"""The number of leading characters by which a block's shape is judged."""
_SHORT_RUN: Final = 5
"""The least number of consecutive blocks of one shape that form a section without a heading."""
_GAP: Final = 2
"""The most blocks of another shape inside such a run, such as a page number or the heading of an index letter."""
_BRIDGE: Final = 24
"""The most blocks without prose between two runs of one kind that are merged into them, as around a page break."""
_EARLY: Final = 0.25
_LATE: Final = 0.75
"""Positions as shares of the text: front matter and contents are before `_EARLY`, back matter is after `_LATE`."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """Blocks `first` to `last`, excluding `last`, below a heading that names their kind."""

    first: int
    last: int
    kind: SectionKind


def section_kinds(blocks: Sequence[Block]) -> list[SectionKind]:
    """Return the kind of each block, in order.

    A heading is accepted if its position and the text below it fit its kind: a chapter "References" in the middle of a
    book on C++ stays body. Without headings, runs of dot leaders, citations and index entries are found by shape. The text of
    a well-known licence is back matter wherever it is.
    """
    kinds: list[SectionKind] = ["body"] * len(blocks)
    shapes: list[SectionKind] = [_shape(block) for block in blocks]
    places = _places(blocks)
    for claim in _claims(blocks):
        found = _judge(claim, blocks, shapes, places)
        if found is not None:
            kinds[claim.first : found.last] = _repeated(found.kind, found.last - claim.first)
    _mark_outlines(kinds, blocks, places)
    _mark_runs(kinds, blocks, shapes, places)
    _bridge(kinds, blocks)
    _mark_title_pages(kinds, blocks, places)
    for start, end in licence_spans(blocks):
        kinds[start:end] = ["back_matter" if kind == "body" else kind for kind in kinds[start:end]]
    return kinds


def _repeated(kind: SectionKind, count: int) -> list[SectionKind]:
    return [kind] * count


def _places(blocks: Sequence[Block]) -> list[float]:
    """Return for each block the share of the text before it."""
    total = sum(len(block.text) for block in blocks) or 1
    before, places = 0, list[float]()
    for block in blocks:
        places.append(before / total)
        before += len(block.text)
    return places


def _claims(blocks: Sequence[Block]) -> list[_Claim]:
    """Return the sections whose heading names their kind, in order; each ends at the next heading of its level or above."""
    claims: list[_Claim] = []
    ends = dict[int, int]()
    for place in reversed(range(len(blocks))):
        block = blocks[place]
        if block.kind == "heading":
            if (kind := _title_kind(block.text)) is not None:
                claims.append(_Claim(place, ends.get(block.level, len(blocks)), kind))
            ends.update((level, place) for level in range(block.level, 7))
    return claims[::-1]


def _title_kind(text: str) -> SectionKind | None:
    """Return the kind that a heading names, with or without its number."""
    if len(text) > 100:
        return None
    folded = text.casefold().replace("’", "'").strip(" .:*#")
    title = folded if folded in _TITLES else _NUMBERING.sub("", folded + " ").strip(" .:")
    if title.endswith(" index"):
        return "back_matter"
    return _TITLES.get(title)


def _judge(
    claim: _Claim, blocks: Sequence[Block], shapes: Sequence[SectionKind], places: Sequence[float]
) -> _Claim | None:
    """Return the claim, shortened or reclassified if needed, or None if it is rejected."""
    place = places[claim.first]
    below = range(claim.first + 1, claim.last)
    shaped = sum(shapes[each] == claim.kind for each in below) / max(1, len(below))
    share = (places[claim.last] if claim.last < len(places) else 1) - place
    if claim.kind == "front_matter":
        # A section on licences that is numbered or deep in a chapter is part of the book's subject.
        if (
            blocks[claim.first].text[:1].isdigit()
            or blocks[claim.first].level > 2
            or share > _EARLY
            or _EARLY <= place < _LATE
        ):
            return None
        return _Claim(claim.first, claim.last, "front_matter" if place < _EARLY else "back_matter")
    if claim.kind == "references":
        # An entry is split by an address in the type of code, and spread lines look like a table.
        texts = [
            each
            for each in below
            if blocks[each].kind not in {"code", "table"} and len(blocks[each].text) >= _LEAST_ENTRY
        ]
        shaped = max(shaped, sum(shapes[each] == claim.kind for each in texts) / max(1, len(texts)))
        return claim if shaped >= 0.25 or (place >= 0.5 and share <= 0.15) else None
    expected = place < _EARLY if claim.kind == "contents" else place >= _LATE
    if not expected and shaped < 0.5:
        return None
    if claim.kind == "contents":  # An unrecognised heading would otherwise include the first chapter.
        prose = (each for each in below if shapes[each] != "contents" and _is_prose(blocks[each]))
        return _Claim(claim.first, next(prose, claim.last), "contents")
    return claim


def _shape(block: Block) -> SectionKind:
    """Return the kind that a block's shape suggests on its own."""
    if block.kind == "code":
        return "body"
    text = block.text[:_SHAPE_CHARACTERS]
    words = len(_WORD.findall(text))
    # Cheap tests first: most blocks are prose, and the patterns cost more than the rest of a block's analysis.
    leaders = len(_LEADER.findall(text)) if any(mark in text for mark in _LEADER_MARKS) else 0
    if leaders and words <= 40 * leaders:
        return "contents"
    if block.kind == "heading":
        return "body"
    if words < 20 and _NUMBERED_LINE.match(text):
        return "contents"
    entries = len(_ENTRY.findall(text))
    if words >= _LONGEST_CITATION and words > 6 * entries:
        return "body"
    signs = len(_CITATION.findall(text.lower()))
    if entries and words <= 6 * entries and not signs:
        return "back_matter"
    signs += 2 * bool(_MARK.match(text))
    return "references" if words < _LONGEST_CITATION and signs >= 3 and signs * 12 >= words else "body"


def _is_prose(block: Block) -> bool:
    if block.kind in {"heading", "code", "table"}:
        return False
    words = block.text[:_SHAPE_CHARACTERS].casefold().split()
    return len(words) >= 30 and sum(word in FUNCTION_WORDS for word in words) >= 0.3 * len(words)


def _may_stand(shape: SectionKind, place: float, block: Block) -> bool:
    """Return whether a section without a heading may begin at `place`; the body also has lists of numbers and of books."""
    if shape == "contents":
        return place < _EARLY / 2 or _LEADER.search(block.text[:_SHAPE_CHARACTERS]) is not None
    return place >= (_LATE if shape == "back_matter" else 0.5)


def _mark_outlines(kinds: list[SectionKind], blocks: Sequence[Block], places: Sequence[float]) -> None:
    """Mark tables of contents without page numbers in the first part of the text."""
    may_start = [kind == "body" and place < _EARLY for kind, place in zip(kinds, places, strict=True)]
    for start, end in contents_lists(blocks, may_start, lambda text: _title_kind(text) == "contents"):
        kinds[start:end] = _repeated("contents", end - start)


def _mark_runs(
    kinds: list[SectionKind], blocks: Sequence[Block], shapes: Sequence[SectionKind], places: Sequence[float]
) -> None:
    """Mark runs of body blocks of one shape at positions where such a section may begin."""
    start = 0
    while start < len(kinds):
        shape = shapes[start]
        if shape == "body" or kinds[start] != "body":
            start += 1
            continue
        end, count, gap = start + 1, 1, 0
        while end + gap < len(kinds) and gap <= _GAP and kinds[end + gap] == "body":
            if shapes[end + gap] == shape:
                end, count, gap = end + gap + 1, count + 1, 0
            else:
                gap += 1
        if count >= _SHORT_RUN and _may_stand(shape, places[start], blocks[start]):
            title = start > 0 and kinds[start - 1] == "body" and _title_kind(blocks[start - 1].text) == shape
            first = start - title
            kinds[first:end] = _repeated(shape, end - first)
        start = end


def _bridge(kinds: list[SectionKind], blocks: Sequence[Block]) -> None:
    """Close small gaps in contents, references and back matter."""
    last = -1
    for place, kind in enumerate(kinds):
        if kind == "body":
            continue
        gap = place - last - 1
        is_gap = last >= 0 and 0 < gap <= _BRIDGE and kinds[last] == kind and kind != "front_matter"
        if is_gap and not any(map(_is_prose, blocks[last + 1 : place])):
            kinds[last + 1 : place] = _repeated(kind, gap)
        last = place


def _mark_title_pages(kinds: list[SectionKind], blocks: Sequence[Block], places: Sequence[float]) -> None:
    """Mark the blocks before the last legal notice of the first pages, unless a chapter begins before it."""
    last = 0
    for place, block in enumerate(blocks):
        if places[place] > 0.05 or place >= 60 or block.page > 8:
            break
        if block.kind != "code" and kinds[place] == "body" and _LEGAL.search(block.text[:_SHAPE_CHARACTERS]):
            last = place + 1
    chapters = [
        place for place in range(last) if blocks[place].kind == "heading" and _has_prose_below(place, blocks, last)
    ]
    if not chapters:
        kinds[:last] = [kind if kind != "body" else "front_matter" for kind in kinds[:last]]


def _has_prose_below(place: int, blocks: Sequence[Block], last: int) -> bool:
    following = blocks[place + 1 : last]
    return bool(following) and _is_prose(following[0]) and not _LEGAL.search(following[0].text[:_SHAPE_CHARACTERS])
