"""The running text of a document: its usual type, with which other text is compared."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from toolsets.concept_rag.ingestion.pdf.lines import PageText

_TYPEWRITTEN: Final = 0.9
"""The least share of monospaced letters; a book of listings has headings and some prose in another typeface."""


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """The type of a document's running text."""

    size: float
    leading: float
    """The distance of two baselines, in multiples of the size."""
    typewritten: bool
    """Whether the whole document is monospaced, so that monospaced text need not be code."""


def body_of(pages: Iterable[PageText]) -> BodyStyle:
    """Return the most usual size and leading, by the number of letters; 10 points without text."""
    sizes, mono, gaps = Counter[float](), Counter[bool](), list[float]()
    for page in pages:
        for line in page.lines:
            mono[line.mono] += len(line.text)
            sizes[round(line.size * 2) / 2] += len(line.text) if not line.mono else len(line.text) // 4
        gaps += [
            (after.baseline - before.baseline) / after.size
            for before, after in pairwise(page.lines)
            if after.size == before.size > 0 and 0.9 < (after.baseline - before.baseline) / after.size < 2.2
        ]
    size = max(sizes, key=lambda value: (sizes[value], value)) if sizes else 10.0
    typewritten = mono[True] > _TYPEWRITTEN * (mono[True] + mono[False])
    return BodyStyle(size or 10.0, median(gaps) if gaps else 1.2, typewritten)
