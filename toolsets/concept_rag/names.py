"""Names of concepts: the normal form that makes two spellings one concept, and the words of a text in that form."""

import re
from typing import Final

from backends.ports.text import normalized
from toolsets.concept_rag.words import singulars

MAX_NAME: Final = 200
"""Characters of a name that count; the longest term of a text has four words."""
_WORD: Final = re.compile(r"[^\W_]\w*(?:\+\+|[+#](?!\w))?")
_ENDING: Final = re.compile(r"['’]s\b|['’](?=\s|$)|(?<=[A-Z]{2})s\b")
"""Possessive endings, and the plural of an acronym."""
_ACRONYMS: Final = re.compile(r"[A-Z][A-Z]s\b")
"""Found in a fourth of the time that replacing nothing takes; most texts have no such ending."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in normal form: in lower case, singular, without accents of form and possessive endings.

    Hyphens part words; "C++" and "C#" are words.
    """
    folded = normalized(text, "NFKC")
    if "'" in folded or "’" in folded or _ACRONYMS.search(folded):
        folded = _ENDING.sub("", folded)
    return singulars(_WORD.findall(folded.casefold()))


def normal_form(name: str) -> str:
    """Return what is equal for all spellings of one concept: its words in normal form with a space between them.

    "Neural Networks", "neural-network" and "neural network's" are one. It is "" when the name has no letter or digit.
    """
    return " ".join(words_of(name[:MAX_NAME]))
