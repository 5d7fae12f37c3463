"""Words that name nothing by themselves, from the list in `data`."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class GenericWords:
    """Words that are not concepts on their own."""

    nouns: frozenset[str]
    openers: frozenset[str]
    """Adjectives with which no term begins."""


@cache
def generic_words() -> GenericWords:
    """Return the words of the list, which is read once."""
    lines = (files("toolsets.concept_rag") / "data" / "generic_words.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return GenericWords(
        frozenset(parts[0] for parts in words if len(parts) == 1),
        frozenset(parts[0] for parts in words if len(parts) > 1),
    )
