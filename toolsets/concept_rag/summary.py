"""Extracts a document's summary: its abstract, the opening of its introduction, or its most central sentences."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.chunks import Chunk
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.fallback_summary import ENDS, LEGAL, fallback_summary
from toolsets.concept_rag.generic_words import generic_words
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.languages import is_other_script, languages_of
from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.sections import SectionKind
from toolsets.concept_rag.sentences import sentences
from toolsets.concept_rag.words import FUNCTION_WORDS, word

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MAX_SUMMARY: Final = 700
"""The most characters of a summary, enough for two to four sentences."""
_MAX_SENTENCES: Final = 4
"""As many as `MAX_SUMMARY` has room for."""
_CENTRAL: Final = 3
"""The number of sentences of a summary that is composed of central sentences."""
_TITLES: Final = {
    "abstract": 0.35, "executive summary": 0.35, "synopsis": 0.3, "summary": 0.2, "introduction": 0.2, "overview": 0.2,
    "about this book": 0.2, "about this manual": 0.2, "about this document": 0.2, "about this guide": 0.2, "scope": 0.15,
    "purpose": 0.15, "purpose and scope": 0.15, "preface": 0.15, "general introduction": 0.2, "zusammenfassung": 0.35,
    "einleitung": 0.2, "introducción": 0.2, "résumé": 0.35, "introduzione": 0.2, "введение": 0.2,
}  # fmt: skip
"""Sections that usually state a document's subject, with the trust added to their passages."""
_SCOPE_OF: Final = re.compile(
    r"^(?:scope of|(?:an? )?(?:brief |short |gentle )?(?:introduction|overview)(?: to| of)|about|what is|what are|why) .{1,60}$"
)
_DEFINITION: Final = re.compile(
    r"^(?:(?:the|this|an?|our) )?[\w'’+#-]+(?: [\w'’+#-]+){0,4}(?: \([^)]{1,30}\))? (?:is|are) (?:an?|the)\b"
    r"|^(?:in )?(?:this|the present) [\"'“‘«]?(?:book|manual|document|guide|paper|article|report|handbook|tutorial|thesis|text"
    r"|work|reference|standard|specification|study|course|survey|volume|file|page)\b"
    r"(?!['’]| (?:is free|may be|can be|has been|and its))",
    re.IGNORECASE,
)
_DEFINITION_TRUST: Final = 0.15
"""The trust added to a passage that begins by defining the title's subject or stating the document's purpose."""
_OF_A_DETAIL: Final = 0.08
"""The trust removed from a passage that begins by defining something else."""
_CONTINUES: Final = re.compile(
    r"^(?:(?:this|that|these|those) (?:is|was|are|were|means)"
    r"(?!.{1,60}\b(?:book|manual|document|guide|reference|tutorial|paper)\b)|thus|hence|therefore|so|but|and"
    r"|the (?:rest|remainder) of|subject to (?:this|these)|in (?:this|that) (?:case|way|sense)|another|other|also|such)\b",
    re.IGNORECASE,
)
_ABOUT_DOCUMENT: Final = re.compile(r"^(?:in )?th(?:is|e present) ", re.IGNORECASE)
_EARLY: Final = 0.1
"""In this leading share of the blocks, any paragraph with a definition may open the summary."""
_FEWEST_EARLY: Final = 4
"""The least number of chunks of such a share."""
_LONG: Final = 12
"""A text of more chunks has better sentences elsewhere."""
_FIRST_HEADINGS: Final = 3
"""The first paragraphs below this many headings of the body may also open it, whatever the headings say."""
_ASIDE: Final = re.compile(
    r"^(?:if|when|while|as|to|for|please|note|in the following|we (?:know|assume|hope|also)|you|i|my|it|he|she|they|here)\b"
    r"|\b(?:please|let us know|we assume|thanks)\b",
    re.IGNORECASE,
)
_ABSTRACT: Final = re.compile(r"^abstract\b\W+", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"^(?:(?:chapter |part |section )?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[ivx]{1,4})"
    r"|(?:chapter|part) (?:one|two|three|four|zero))[.:)]?\s+"
)
_ABSTRACTS: Final = frozenset({"abstract", "zusammenfassung", "résumé"})
_OUTLINE: Final = re.compile(
    r"\b(?:organi[sz]ed|structured|arranged) as follows\b|\b(?:remainder|rest|outline|structure) of (?:this|the|our) "
    r"(?:paper|article|document|report|thesis|book|vignette)\b"
    r"|\b(?:summary|outline|overview|list|discussion|examples?|descriptions?) (?:below|above|that follows?)\b"
    r"|^you (?:may|can|should) call it\b",
    re.IGNORECASE,
)
"""A sentence about the parts of a document rather than its subject."""
_OPENING: Final = 0.3
"""Such a section must begin in this leading share of the blocks, tables of contents excluded."""
_ABSTRACT_TRUST: Final = 0.3
"""A section with at least this trust may be among the contents, such as an abstract between the title and the contents."""
_PARAGRAPHS: Final = 4
"""The number of first paragraphs of such a section that are considered."""
_CANDIDATES: Final = 24
"""The most passages, and then sentences, that are compared with the document's vector."""
_SAMPLED: Final = 50
"""About the number of chunks, evenly spaced, by which the script of a document is recognised."""
_LEAST: Final = 0.25
"""A passage with a lower cosine is about something else, such as thanks, a story or typographic conventions."""
_DIVERSITY: Final = 0.3
"""The weight against repetition: without it the chosen sentences say the same, with more they are less central."""
_ABOUT_TEXT: Final = re.compile(
    r"\b(?:chapters?|sections?|appendi\w+|figures?|tables?|pages?|see also|thank\w*|grateful|acknowledge\w*|copyright"
    r"|licen[cs]ed?|download\w*|typeset|reproduced|e-?mail|https?:|isbn|edition)\b|[|=<>{}\\_]|\S/\S+/|\.{3}|…",
    re.IGNORECASE,
)
_DEPENDENT: Final = frozenset(
    """
    this that these those it they he she its their there here however therefore thus hence but and so or also such then
    moreover furthermore additionally similarly likewise otherwise instead finally first second next now again yet if when
    for in note please see let
    """.split()
)
"""First words of sentences that depend on the preceding text or make a request."""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    trust: float


async def summarise(
    document: ParsedDocument,
    kinds: Sequence[SectionKind],
    chunks: Sequence[Chunk],
    vectors: "NDArray[numpy.float32]",
    embed: Embed,
) -> str:
    """Return up to four sentences of the document, mostly two or more, in 700 characters; the first words of one without them.

    `kinds` has the section kind of each block, and `vectors` a row of unit norm per chunk. Calls `embed` at most twice,
    with up to 24 short texts each. The sentences are the document's own, in its order.
    """
    body = [place for place, chunk in enumerate(chunks) if chunk.kind == "body"] or list(range(len(chunks)))
    if not body:
        return ""
    meaning = vectors[body].mean(axis=0)
    meaning = meaning / max(float(meaning @ meaning) ** 0.5, 1e-9)
    subject = frozenset(words_of(document.title)) - FUNCTION_WORDS - generic_words().nouns
    is_own = _own_script("".join(chunks[place].text for place in body[:: len(body) // _SAMPLED + 1]))
    passages = [each for each in _openings(document.blocks, kinds, subject) if is_own(each.text)]
    if passages:
        closeness = (await embed([passage.text for passage in passages])) @ meaning
        best = max(range(len(passages)), key=lambda each: (float(closeness[each]) + passages[each].trust, -each))
        passage = passages[best]
        if float(closeness[best]) >= _LEAST:
            # A passage that is an aside or a detail is only better than nothing.
            is_poor = passage.trust < 0 and len(body) > _LONG
            early = body[: max(_FEWEST_EARLY, int(len(body) * _EARLY))] if is_poor else []
            central = await _central(
                [chunks[place] for place in early], vectors[early], meaning, subject, embed, is_own
            )
            return central or passage.text
    central = await _central([chunks[place] for place in body], vectors[body], meaning, subject, embed, is_own)
    return central or fallback_summary(document.blocks, kinds, MAX_SUMMARY)


def _openings(blocks: Sequence[Block], kinds: Sequence[SectionKind], subject: frozenset[str]) -> list[_Paragraph]:
    """Return candidate summaries, most trusted first, at most `_CANDIDATES`.

    These are abstracts, the first paragraphs of sections that state the document's subject, the first paragraphs of
    its body, and early paragraphs with a definition.
    """
    # A long table of contents does not count towards the position of the text after it.
    size = len(blocks) - sum(kind == "contents" for kind in kinds)
    limit = max(40, int(size * _OPENING))
    early = max(40, int(size * _EARLY))
    found: dict[str, float] = {}
    headings = passed = 0
    for place, block in enumerate(blocks):
        if passed >= limit:
            break
        passed += kinds[place] != "contents"
        if kinds[place] not in {"body", "front_matter"} and (_trust(block) or 0.0) < _ABSTRACT_TRUST:
            continue
        source = _source(blocks, kinds[place], place, headings, early=passed <= early)
        headings += block.kind == "heading" and kinds[place] == "body" and bool(source.texts)
        for number in range(min(len(source.texts), _PARAGRAPHS)):
            passage = _opening_sentences(source.texts[number : number + 2])
            found[passage] = max(found.get(passage, -1.0), source.trust - 0.04 * number)
    passages = [
        _Paragraph(text, trust + _manner(text, subject))
        for text, trust in found.items()
        if text and not LEGAL.search(text)
    ]
    return sorted(passages, key=lambda passage: -passage.trust)[:_CANDIDATES]


@dataclass(frozen=True, slots=True)
class _Paragraphs:
    """Paragraphs that may open a summary."""

    texts: Sequence[str] = ()
    trust: float = 0.0


def _source(blocks: Sequence[Block], kind: SectionKind, place: int, headings: int, *, early: bool) -> _Paragraphs:
    """Return the paragraphs that the block at `place` introduces, or the block itself."""
    block = blocks[place]
    if (trust := _trust(block)) is not None:
        return _Paragraphs([*_below(blocks, place)], trust)
    if block.kind == "heading":
        return (
            _Paragraphs([*_below(blocks, place)][:1], 0.05)
            if kind == "body" and headings < _FIRST_HEADINGS
            else _Paragraphs()
        )
    if block.kind != "paragraph" or not early:
        return _Paragraphs()
    if _ABSTRACT.match(block.text[:12]):
        return _Paragraphs([_ABSTRACT.sub("", block.text[:5_000])], 0.35)
    if kind == "body" and _DEFINITION.match(block.text[:200]):
        return _Paragraphs([*_below(blocks, place - 1)][:1])
    return _Paragraphs()


def _manner(passage: str, subject: frozenset[str]) -> float:
    """Return the trust that the opening words of a passage add or remove."""
    opening = passage[:200]
    if _OUTLINE.search(opening):
        return -2 * _DEFINITION_TRUST
    match = _DEFINITION.match(opening)
    if (
        match is not None
        and not _CONTINUES.match(opening)
        and (_ABOUT_DOCUMENT.match(opening) or subject & set(words_of(match.group())))
    ):
        return _DEFINITION_TRUST
    # "This is how it was" and "Subject to these assumptions" continue something that the summary does not have.
    if _ASIDE.search(opening) or _CONTINUES.match(opening):
        return -_DEFINITION_TRUST
    return 0.0 if match is None else -_OF_A_DETAIL


def _below(blocks: Sequence[Block], place: int) -> Iterator[str]:
    """Yield the prose after the block at `place`, up to the next heading after that prose."""
    has_text = False
    for block in blocks[place + 1 : place + 13]:
        if block.kind == "heading" and has_text:
            return
        if block.kind in {"paragraph", "quote"} and _reads_as_prose(block.text):
            has_text = True
            yield block.text[:5_000]


def _trust(block: Block) -> float | None:
    # A paper may print "Abstract" in the type of its text.
    is_abstract = block.kind == "paragraph" and block.text.casefold().strip(" .:") in _ABSTRACTS
    if not is_abstract and (block.kind != "heading" or len(block.text) > 80):
        return None
    title = block.text.casefold().strip(" .:?")
    title = _NUMBER.sub("", title)
    found = _TITLES.get(title)
    return 0.1 if found is None and _SCOPE_OF.match(title) else found


def _opening_sentences(texts: Sequence[str]) -> str:
    """Return at most four first sentences; the second paragraph is used only if the first is short."""
    chosen: list[str] = []
    length = 0
    for number, text in enumerate(texts):
        if number and (len(chosen) >= 2 or length > 250):
            break
        for start, end in sentences(text, 0, len(text)):
            sentence = text[start:end]
            if len(chosen) == _MAX_SENTENCES or length + len(sentence) > MAX_SUMMARY or sentence[-1] not in ENDS:
                break
            chosen.append(sentence)
            length += len(sentence) + 1
    return " ".join(chosen) if length >= 60 else ""


def _reads_as_prose(text: str) -> bool:
    words = text[:2_000].casefold().split()
    return len(words) >= 12 and text[:1].isupper() and _has_function_words(text[:2_000], words, 0.25)


def _has_function_words(text: str, words: Sequence[str], least: float) -> bool:
    """Return whether a text has this share of English function words, or is in another language."""
    share = sum(each.strip(".,;:()") in FUNCTION_WORDS for each in words) / max(1, len(words))
    return share >= least or not text.isascii() or languages_of([text]).prevail


async def _central(
    chunks: Sequence[Chunk],
    vectors: "NDArray[numpy.float32]",
    meaning: "NDArray[numpy.float32]",
    subject: frozenset[str],
    embed: Embed,
    is_own: Callable[[str], bool],
) -> str:
    """Return sentences that are near the document's vector and unlike one another, in the document's order."""
    closeness = vectors @ meaning
    order = sorted(range(len(chunks)), key=lambda place: (-float(closeness[place]), place))
    found: dict[str, int] = {}
    for place in order:
        for sentence in filter(is_own, _prose_sentences(chunks[place].text)):
            found.setdefault(sentence, chunks[place].start)
        if len(found) >= _CANDIDATES:
            break
    texts = list(found)[:_CANDIDATES]
    if not texts:
        return ""
    rows = await embed(texts)
    near = [float(row @ meaning) + _manner(text, subject) for row, text in zip(rows, texts, strict=True)]
    alike = rows @ rows.T
    chosen: list[int] = []
    while len(chosen) < min(_CENTRAL, len(texts)):
        rest = [place for place in range(len(texts)) if place not in chosen]
        best = max(
            rest,
            key=lambda place: (
                (1 - _DIVERSITY) * near[place]
                - _DIVERSITY * max((float(alike[place, other]) for other in chosen), default=0.0),
                -place,
            ),
        )
        chosen.append(best)
    summary = ""
    for place in sorted(chosen, key=lambda each: (found[texts[each]], each)):
        if len(summary) + len(texts[place]) < MAX_SUMMARY:
            summary = f"{summary} {texts[place]}".lstrip()
    return summary


def _own_script(text: str) -> Callable[[str], bool]:
    """Return whether sentences may be the text's own: in Chinese or Russian text, an English one is a sample or a quotation."""
    return is_other_script if is_other_script(text) else lambda _: True


def _prose_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a chunk that are meaningful on their own: no steps, code, headings or citations."""
    for paragraph in text.split("\n\n"):
        if "\n" in paragraph:
            continue
        for start, end in sentences(paragraph, 0, len(paragraph)):
            sentence = paragraph[start:end]
            if _says_something(sentence):
                yield sentence


def _says_something(sentence: str) -> bool:
    words = sentence.split()
    if not (
        8 <= len(words) <= 45 and sentence[0].isupper() and sentence[-1] == "." and len(sentence) <= MAX_SUMMARY // 2
    ):
        return False
    opening = words[0].casefold().strip(",;:\"'“”‘’")
    if opening in _DEPENDENT or (word(opening).tag == "other" and opening not in FUNCTION_WORDS):
        return False
    if _ABOUT_TEXT.search(sentence) or _OUTLINE.search(sentence) or sum(map(str.isdigit, sentence)) > 6:
        return False
    return _has_function_words(sentence, sentence.casefold().split(), 0.3)
