"""The text around a visual that tells what it shows: the heading of its section, and the sentence that refers to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Literal, TypeAlias

from toolsets.concept_rag.ingestion.captions import is_caption
from toolsets.concept_rag.ingestion.document import Block, VisualType
from toolsets.concept_rag.ingestion.visual_types import headed_type, is_bare, label_of, stated_type, visual_nouns
from toolsets.concept_rag.sentences import sentences

MAX_CONTEXT: Final = 400
"""The most characters of a heading with a sentence."""
_MAX_HEADING: Final = 150
"""A heading says what a visual is about; a longer one would take the room of the sentence."""
_REACH: Final = 3
_LOOK: Final = 8
"""The most paragraphs before a visual, and after it, in which a sentence may refer to it, and the most blocks with them."""
_MAX_SECTION: Final = 2_000
"""The most blocks between a visual and the heading of its section."""
_LAST: Final = 2_000
"""The most characters of a paragraph that are examined, at the end that is next to the visual."""
_PROSE: Final = frozenset({"paragraph", "list_item", "quote"})
_CELLS: Final = re.compile(r"(?:^| )\|(?= |$)")
_LABELS: Final = re.compile(r"\b[A-Za-z]{3,12}\.?\s?\d[\w.\-–]{0,10}")
_PROMPT: Final = re.compile(r"(?:>{1,3}|[$#%+])\s")
_ARGUMENT: Final = re.compile(r"\w=[\w\"'(]")
_Side: TypeAlias = Literal["next", "last"]
_LEAST_WORDS: Final = 4
"""A shorter sentence next to a visual says nothing about it, unless it refers to it."""


@dataclass(frozen=True, slots=True)
class VisualContext:
    """What the text says about a visual."""

    text: str
    """The heading of its section with the sentence that refers to it, else with the nearest one; a table's first row
    stands for a missing reference. "" if there is no such text."""
    visual_type: VisualType | None
    """The type named by the sentence that refers to it, else by the heading."""


NO_CONTEXT: Final = VisualContext("", None)


@dataclass(frozen=True, slots=True)
class _Reference:
    sentence: str
    visual_type: VisualType | None


class Surroundings:
    """The blocks of a document, in which the context of each visual is found."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        labels = (label_of(block.text) for block in blocks if is_caption(block))
        self._taken = frozenset(label for label in labels if label is not None)
        """The labels of captions; a sentence about "Figure 3" refers to the figure with this caption."""

    def of(self, start: int, end: int | None = None, *, is_table: bool = False) -> VisualContext:
        """Return the context of the visual before the block at `start`; the blocks up to `end` are its own text."""
        stop = start if end is None else end
        heading = self._heading(start)
        reference = self._reference(start, stop, is_table=is_table)
        if reference is not None:
            sentence = reference.sentence
        else:
            sentence = self._first_row(start) if is_table else self._nearest(start, stop)
        named = reference.visual_type if reference is not None else None
        title = heading.rstrip(" .:")[:_MAX_HEADING]
        text = f"{title}: {sentence}" if title and sentence else title or sentence
        return VisualContext(_cut(text), named or headed_type(heading))

    def _heading(self, position: int) -> str:
        before = range(position - 1, max(-1, position - _MAX_SECTION), -1)
        return next((self._blocks[place].text for place in before if self._blocks[place].kind == "heading"), "")

    def _before(self, position: int) -> Iterator[Block]:
        """Yield the blocks before a position in its section, the nearest first."""
        for place in range(position - 1, -1, -1):
            if self._blocks[place].kind == "heading":
                return
            yield self._blocks[place]

    def _after(self, position: int) -> Iterator[Block]:
        for place in range(position, len(self._blocks)):
            if self._blocks[place].kind == "heading":
                return
            yield self._blocks[place]

    @staticmethod
    def _prose(blocks: Iterator[Block]) -> Iterator[Block]:
        return islice(filter(_is_prose, islice(blocks, _LOOK)), _REACH)

    def _reference(self, start: int, end: int, *, is_table: bool) -> _Reference | None:
        """Return the sentence that refers to the visual: one before it, nearest first, else one after it."""
        tables = any(block.kind == "table" for block in (*islice(self._before(start), 2), *islice(self._after(end), 2)))
        for number, block in enumerate(self._prose(self._before(start))):
            for sentence in reversed(_sentences(block.text[-_LAST:])):
                if (found := self._referring(sentence, "next", is_table=is_table, tables=tables)) is not None:
                    return found
            # Only the paragraph next to it introduces it with a colon.
            if number == 0 and block.text.endswith((":", "：")):
                return _Reference(_sentences(block.text[-_LAST:])[-1], None)
        for block in self._prose(self._after(end)):
            for sentence in _sentences(block.text[:_LAST]):
                if (found := self._referring(sentence, "last", is_table=is_table, tables=tables)) is not None:
                    return found
        return None

    def _referring(self, sentence: str, side: _Side, *, is_table: bool, tables: bool) -> _Reference | None:
        """Return the reference of a sentence to a visual on one side; other tables are near if `tables` is true."""
        for label in _labels(sentence):
            if label not in self._taken and (label[0] == "table") == is_table:
                return _Reference(sentence, None if label[0] == "figure" else label[0])
        nouns, phrases = _patterns(side)
        for match in nouns.finditer(sentence):
            noun = stated_type(match["pointed"] or match["placed"])
            if noun is not None and (is_table if noun == "table" else not is_table):
                return _Reference(sentence, None if noun == "figure" else noun)
            if noun == "table" and not is_table and not tables:
                return _Reference(sentence, "table")
        return _Reference(sentence, None) if phrases.search(sentence) else None

    def _nearest(self, start: int, end: int) -> str:
        """Return the sentence right before a visual, else the one right after it, or ""."""
        before = next(self._before(start), None)
        if before is not None and _is_prose(before) and _is_telling(last := _sentences(before.text[-_LAST:])[-1]):
            return last
        after = next(
            (block for block in islice(self._after(end), _LOOK) if block.kind not in ("caption", "labels")), None
        )
        if after is not None and _is_prose(after) and _is_telling(first := _sentences(after.text[:_LAST])[0]):
            return first
        return ""

    def _first_row(self, start: int) -> str:
        """Return the cells of the table that begins at `start`, separated by commas."""
        row = next((block for block in islice(self._after(start), 2) if block.kind == "table"), None)
        cells = [] if row is None else [cell.strip() for cell in _CELLS.split(row.text)]
        return ", ".join(cell for cell in cells if cell)


def described(caption: str, context: str) -> str:
    """Return the context that completes a caption which says nothing; "" for any other caption."""
    return context if is_bare(caption) else ""


def _is_prose(block: Block) -> bool:
    return block.kind in _PROSE and not is_caption(block)


def _sentences(text: str) -> list[str]:
    return [" ".join(text[start:stop].split()) for start, stop in sentences(text, 0, len(text))] or [text]


def _is_telling(sentence: str) -> bool:
    """Return whether a sentence is whole, has enough words to say something, and is no line of code."""
    words = sentence.split()
    if sentence[:1].islower() or _PROMPT.match(sentence) or 4 * len(_ARGUMENT.findall(sentence)) >= len(words):
        return False
    return sum(sum(map(str.isalpha, word)) > 1 for word in words) >= _LEAST_WORDS


def _labels(sentence: str) -> Iterator[tuple[VisualType, str]]:
    for match in _LABELS.finditer(sentence):
        if (label := label_of(match.group().rstrip(".–-"))) is not None:
            yield label


@cache
def _patterns(side: _Side) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of references to a visual on one side: those with a noun, which is a group, and the others."""
    content = visual_nouns()
    words = content.references[side]
    kinds = sorted(content.kinds, key=lambda kind: (-len(kind), kind))
    nouns = "|".join(kind.replace(" ", "[ -]") + "(?:s|es)?" for kind in kinds)
    before, after = "|".join(words["before_noun"]), "|".join(words["after_noun"])
    named = rf"\b(?:{before})\s(?:[\w-]+\s){{0,2}}?(?P<pointed>{nouns})\b|\b(?P<placed>{nouns})\s(?:{after})\b"
    unnamed = rf"\b(?:{'|'.join(words['phrases'])})\b"
    return re.compile(named, re.IGNORECASE), re.compile(unnamed, re.IGNORECASE)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CONTEXT else f"{text[:MAX_CONTEXT].rpartition(' ')[0]} …"
