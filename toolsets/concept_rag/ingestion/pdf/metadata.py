"""Title, author and year: from the metadata if usable, else from the first page."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from toolsets.concept_rag.ingestion.pdf.body import BodyStyle
from toolsets.concept_rag.ingestion.pdf.characters import plain
from toolsets.concept_rag.ingestion.pdf.lines import PageText, PdfLine

_MAX_TITLE: Final = 300
"""As in `ingestion.metadata`."""
_MAX_AUTHOR: Final = 300
"""As in `ingestion.metadata`."""
_PROGRAM: Final = re.compile(r"microsoft\s(?:office\s)?(?:word|powerpoint|excel|publisher)\s*-\s*", re.IGNORECASE)
_FILE: Final = re.compile(
    r"\.(?:docx?|dotx?|tex|dvi|ps|eps|pdf|indd|qxd|odt|odp|ods|rtf|pptx?|xlsx?|fm|pmd|p65|wpd|pages|html?|xml|md|txt|cdr|ai)$",
    re.IGNORECASE,
)
_JUNK_TITLE: Final = re.compile(
    r"(?:\W*|\W?(?:anonymous|unspecified)\W?|untitled.{0,20}|no\s?title|title|unknown|none|document\s?\d*|doc\d*|book\d*|slide\s?\d+|"
    r"powerpoint presentation|presentation\d*|print(?:ing)?|layout\s?\d*|page \d+|full page photo|scan\w*|img\w*|output|"
    r"temp\w*|test|[\d_.\-]+|<.*>|[0-9a-f-]{20,})",
    re.IGNORECASE,
)
_JUNK_AUTHOR: Final = re.compile(
    r"(?:\W*|user\d*|admin(?:istrator)?|unknown|none|owner|root|author|\W?(?:anonymous|unspecified)\W?|default|pc|home|test|"
    r"microsoft.*|\d+|\w+\(0x[0-9a-f]+\)|gnu|latex.*|.{0,20}\\.*|scanner|windows user|authorized user|preferred customer|"
    r"[a-z]{1,4}(?::[a-z]{1,4})+)",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"(?:D:)?\s*((?:19|20)\d\d)(?:\d\d|\D|$)")
_YEAR: Final = re.compile(r"(?<![\d.,/-])((?:19|20)\d\d)(?![\d.]\d|\d)")
_COPYRIGHT: Final = re.compile(
    r"(?:©|\(c\)|copyright)[^\n]{0,40}?((?:19|20)\d\d)(?:\s?[-–—,]\s?((?:19|20)\d\d))*", re.IGNORECASE
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_PRINTED_DATE: Final = re.compile(
    rf"\W*(?:(?:published|dated?|version of|revised|printed|released|issued|as of|updated)\W{{1,3}}(?:on |in )?)?"
    rf"(?:(?:(?:\d{{1,2}}(?:st|nd|rd|th)?\.? )?{_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?),? ((?:19|20)\d\d)"
    rf"|((?:19|20)\d\d)-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]((?:19|20)\d\d))\W*",
    re.IGNORECASE,
)
"""A line that is a date: "May 2024", "Published 3 May 2024", "2024-05-03"."""
_PUBLISHED: Final = re.compile(
    r"\b(?:published|dated|journal of|proceedings of|volume \d+)\b[^\n]{0,60}?(?<![\d.,/-])((?:19|20)\d\d)(?![\d.]\d|\d)",
    re.IGNORECASE,
)
"""A year after a word of publication."""
_PARTICLES: Final = frozenset("van von de der den di da del la le du ten ter y zu".split())
_BETWEEN_NAMES: Final = re.compile(r"\s?[,;&·|]\s?(?:and\s)?|\sand\s", re.IGNORECASE)
_NAME_WORD: Final = re.compile(r"[^\W\d_a-z][\w.'’\-]{0,24}")
_BY: Final = re.compile(r"(?:(?:written|edited|compiled)\s)?(?:by|authors?:?|editors?:?)\s+(?=\S)", re.IGNORECASE)
_MARKS: Final = re.compile(r"\s?(?:\[\d{1,2}\]|\^\d|[*†‡§¶∗+$#∥])+")
"""Marks of footnotes, which also separate names: "Ada Lovelace∗ Charles Babbage†"."""
_LEADING_SIGN: Final = re.compile(r"(?:[-–—•·*]\s+)+")
_FOOTNOTE: Final = re.compile(r"\s*[†‡§¶∗]+|(?<=\w\w)\*+|\s+\*+")
"""The mark of a footnote of a title; the star of "A*" is none."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_COMMAS: Final = re.compile(r"\s*,[\s,]*")
_WORDS_OF_NAMES: Final = 6
"""This many capitalised words in a row are three names, which only their distance separates in print."""
_OF_A_PART: Final = re.compile(r"(?:table of )?contents|(?:list of )?(?:figures|tables)", re.IGNORECASE)
_NO_TITLE: Final = re.compile(
    r"(?:abstract|preface|foreword|contents|list of|table of|dear)\b.*|(?:summary|introduction)(?! (?:to|of)\b)\b.*"
    r"|(?:chapter|section|appendix|page|figure|table) (?:\d|(?:[a-z]|[ivx]+|one|two|three)\b).*"
    r"|\d{1,3}(?:\.\d{1,3})*[.):\s].*|[ivx]+[.):].*|.*[.,;:]|.*(?:@|://|\.{3}).*",
    re.IGNORECASE,
)
"""A line that is a heading of a part, a sentence, an address or an entry of a table of contents."""
_TITLE_LINES: Final = 4
"""The most lines of a title in the type of the running text; more are a list or a paragraph."""
_TITLE_LETTERS: Final = 6
"""The fewest letters of such a title, which has at least two words."""
_OFF_CENTRE: Final = 0.05
"""The most by which the middle of a centred line is beside that of the text, as a share of the text's width."""
_SET_OFF: Final = 1.3
"""In multiples of the usual distance of two lines: the least space below a title that is centred only."""
_NO_NAME: Final = re.compile(
    r"\b(?:university|institute|department|version|release|edition|abstract|contents|chapter|manual|guide|volume|revision|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|draft|copyright|license|introduction|"
    r"reference|documentation|report|handbook|tutorial|rights|reserved|street|inc|press|corporation|laborator(?:y|ies)|college|"
    r"tax|returns?|forms?|instructions?|school|faculty|cent(?:er|re)|gmbh|ltd|starting|stopping|getting|using|installing|running|understanding|working|"
    r"for|with|the|of|to|in|on)\b",
    re.IGNORECASE,
)


class Metadata(NamedTuple):
    """The metadata of a document; "" if unknown."""

    title: str
    author: str
    year: str


def metadata(values: Mapping[str, str], stem: str, pages: Sequence[PageText], body: BodyStyle) -> Metadata:
    """Return title, author and year of a document.

    `values` is the PDF's own metadata, `stem` the file name without the ending, and `pages` the document's lines.
    """
    lines = [line for page in pages[:2] for line in page.lines if not line.special and line.text]
    first = [line for line in lines if line.page == (lines[0].page if lines else 0)]
    start, printed = _printed_title(first, body)
    stated = _clean_title(values.get("Title", ""))
    title = (stated if not _is_junk_title(stated, stem) else "") or printed or _file_title(stated)
    author = _clean_author(values.get("Author", ""))
    if _JUNK_AUTHOR.fullmatch(author):
        author = _printed_author(first, start, printed)
    return Metadata(title, author, _dated_year(lines) or _stated_year(values) or _printed_year(lines))


def _clean(text: str, limit: int) -> str:
    return " ".join(plain(text[: 4 * limit].replace("\n", " ")).split())[:limit].strip()


def _clean_title(text: str) -> str:
    """Return a title without a dash or bullet before it and the mark of a footnote after it."""
    title = _clean(text, _MAX_TITLE)
    start = _LEADING_SIGN.match(title)
    title = title[start.end() :] if start is not None else title
    marks = [match for match in _FOOTNOTE.finditer(title) if match.end() == len(title)]
    return title[: marks[0].start()] if marks else title


def _clean_author(text: str) -> str:
    """Return names without the parts between commas that are mostly signs."""
    author = _clean(text, _MAX_AUTHOR)
    parts = _COMMAS.split(author)
    named = [part for part in parts if 2 * len(_LETTER.findall(part)) >= len(part.replace(" ", ""))]
    return author if len(named) == len(parts) else ", ".join(named)


def _is_junk_title(title: str, stem: str) -> bool:
    """Return whether a title is unusable: the name of a program, a file or a TeX job."""
    if _JUNK_TITLE.fullmatch(title) or _PROGRAM.match(title) or _FILE.search(title):
        return True
    return " " not in title and (title == stem or "_" in title or "/" in title)


def _file_title(title: str) -> str:
    """Return the title inside a file name: "Annual report" of "Microsoft Word - Annual report.doc"."""
    bare = _FILE.sub("", _PROGRAM.sub("", title)).strip()
    return bare if " " in bare and not _JUNK_TITLE.fullmatch(bare) else ""


def _printed_title(first: Sequence[PdfLine], body: BodyStyle) -> tuple[int, str]:
    """Return the index of the line after the title, and the title in the largest type, else in the type of the text.

    It is (0, "") if the page has neither.
    """
    candidates = [line for line in first if sum(char.isalpha() for char in line.text) >= 3]
    size = max((line.size for line in candidates), default=0.0)
    if size < 1.15 * body.size:
        return _small_title(first, body)
    start = next(index for index, line in enumerate(first) if line.size == size and line in candidates)
    end = start + 1
    while end < len(first) and end - start < 5 and abs(first[end].size - size) < 0.5:
        if not 0 < first[end].baseline - first[end - 1].baseline < 2.6 * size:
            break
        end += 1
    text = _title_of(first[start:end])
    return (0, "") if _OF_A_PART.fullmatch(text) else (end, text)


def _title_of(lines: Sequence[PdfLine]) -> str:
    text = " ".join(line.text + ("" if not line.broken else "-") for line in lines)
    return _clean_title(text.replace("- ", "-") if text.endswith("-") else text)


def _small_title(first: Sequence[PdfLine], body: BodyStyle) -> tuple[int, str]:
    """Return the same for a title that is bold, in capitals, or centred above a space, and begins the page."""
    if len(first) < 2:
        return 0, ""
    left, right = min(line.box.x0 for line in first), max(line.box.x1 for line in first)
    marks = [_emphasis(line, left, right) for line in first[: _TITLE_LINES + 1]]
    end = 1
    while end < len(marks) and marks[end] == marks[0] and abs(first[end].size - first[0].size) < 0.5:
        if not 0 < first[end].baseline - first[end - 1].baseline < 2 * body.leading * first[0].size:
            break
        end += 1
    text = _title_of(first[:end])
    letters = sum(map(str.isalpha, text))
    if not any(marks[0]) or end > _TITLE_LINES or letters < _TITLE_LETTERS or " " not in text:
        return 0, ""
    if not (marks[0].is_bold or marks[0].is_capital) and end < len(first):
        space = first[end].baseline - first[end - 1].baseline
        if space < _SET_OFF * body.leading * body.size:
            return 0, ""
    return (0, "") if _NO_TITLE.fullmatch(text) or _PRINTED_DATE.fullmatch(text) else (end, text)


class _Emphasis(NamedTuple):
    is_bold: bool
    is_capital: bool
    is_centred: bool


def _emphasis(line: PdfLine, left: float, right: float) -> _Emphasis:
    """Return how a line is set off from the text between two edges; a line as wide as the text is not centred."""
    margin = _OFF_CENTRE * (right - left)
    is_centred = abs(line.box.middle[0] - (left + right) / 2) <= margin < min(line.box.x0 - left, right - line.box.x1)
    return _Emphasis(
        line.bold, sum(map(str.islower, line.text)) <= 1 and line.text.upper() != line.text.lower(), is_centred
    )


def _printed_author(first: Sequence[PdfLine], start: int, title: str) -> str:
    """Return the names in the lines below the title, or after "by"."""
    if not title:
        return ""
    found = ""
    for line in first[start : start + 8]:
        text = " ".join(_MARKS.sub(", ", line.text[:_MAX_AUTHOR]).split()).strip(" ,")
        text = _COMMAS.sub(", ", text)
        by = _BY.match(text)
        if by is not None:
            text = text[by.end() :]
        bare = text.removeprefix("The ")
        if not _NO_NAME.search(bare) and all(map(_is_name, _BETWEEN_NAMES.split(bare))):
            found = f"{found}, {_separated(text)}" if found else _separated(text)
            if not line.text.rstrip().endswith(","):
                break
        elif found:
            break
    return found[:_MAX_AUTHOR]


def _separated(text: str) -> str:
    """Return the names of a line with commas between three names that have none."""
    words = text.split()
    if len(words) != _WORDS_OF_NAMES or "," in text or not all(map(_NAME_WORD.fullmatch, words)):
        return text
    return ", ".join(" ".join(words[place : place + 2]) for place in range(0, len(words), 2))


def _is_name(text: str) -> bool:
    """Return whether a text is two to six capitalised words, like names of people and groups."""
    words = [word for word in text.removesuffix(" et al.").split() if word not in _PARTICLES]
    return 2 <= len(words) <= 6 and all(map(_NAME_WORD.fullmatch, words))


def _stated_year(values: Mapping[str, str]) -> str:
    for key in ("CreationDate", "ModDate"):
        match = _DATE.match(values.get(key, "")[:40])
        if match is not None:
            return match[1]
    return ""


def _dated_year(lines: Sequence[PdfLine]) -> str:
    """Return the year of a date that is a line of its own on the first page, or that a publication's name precedes."""
    first = [line.text[:200] for line in lines[:200] if line.page == lines[0].page]
    dates = (match for text in first if (match := _PRINTED_DATE.fullmatch(text)) is not None)
    found = next((next(filter(None, match.groups())) for match in dates), "")
    notice = None if found else _PUBLISHED.search("\n".join(first))
    return found if notice is None else notice[1]


def _printed_year(lines: Sequence[PdfLine]) -> str:
    """Return the year of the copyright on the first pages, else the latest year on them."""
    text = "\n".join(line.text[:400] for line in lines[:200])
    notice = _COPYRIGHT.search(text)
    if notice is not None:
        return notice[2] or notice[1]
    return max(_YEAR.findall(text), default="")
