"""Names of concepts: the normal form shared by all spellings of a concept, and the words of a text in that form."""

import re
from itertools import chain
from typing import Final

from backends.ports.text import normalized
from toolsets.concept_rag.words import singulars
from toolsets.piece_cache import PieceCache

MAX_NAME: Final = 200
"""The most characters of a name that are used; the longest term of a text has four words."""
_CACHED: Final = 50_000
"""The most cached pieces of text, about 10 MB."""
_WORD: Final = re.compile(r"[^\W_]\w*(?:\+\+|[+#](?!\w))?")
_ENDING: Final = re.compile(r"['’]s\b|['’](?=\s|$)|(?<=[A-Z]{2})s\b")
"""Possessive endings, and the plural of an acronym."""
_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+(?=\w)", re.IGNORECASE)
_DOTTED: Final = re.compile(r"\b[^\W\d_]\.(?:[^\W\d_]\.)+")
"""An abbreviation of at least two letters, each with a dot."""
_ACRONYMS: Final = re.compile(r"[A-Z][A-Z]s\b")
"""Searching first takes a quarter of the time of a replacement, and most texts have no such ending."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in normal form: lower case, singular, NFKC, without possessive endings.

    Hyphens separate words; "C++" and "C#" are words.
    """
    # Concepts are searched for in thousands of chunks, so pieces between spaces are looked up without a Python loop.
    return list(chain.from_iterable(map(_normal_words.__getitem__, text.split())))


def written_words(text: str) -> list[str]:
    """Return the words of a text as `words_of` does, in the same number, but as they are written: "does", not "doe"."""
    return [word for piece in text.split() for word in _written(piece)]


def _written(piece: str) -> list[str]:
    folded = normalized(piece, "NFKC")
    if "'" in folded or "’" in folded or _ACRONYMS.search(folded):
        folded = _ENDING.sub("", folded)
    return _WORD.findall(folded.casefold())


def _words_in(piece: str) -> tuple[str, ...]:
    return tuple(singulars(_written(piece)))


_normal_words: Final = PieceCache(_words_in, most=_CACHED)
"""The words in normal form by piece of text without spaces; no word depends on another piece."""


def bare_name(name: str) -> str:
    """Return a name as concepts are named: without an article before it, and abbreviations without dots ("R.C.A.").

    A name that consists of an article is unchanged.
    """
    short = _DOTTED.sub(lambda match: match.group().replace(".", ""), name[:MAX_NAME].strip())
    return _ARTICLE.sub("", short, count=1)


def normal_form(name: str) -> str:
    """Return the key shared by all spellings of a concept: its words in normal form, joined by spaces.

    "Neural Networks", "neural-network" and "neural network's" have one key. A name without letters and digits has the
    key "".
    """
    return " ".join(words_of(name[:MAX_NAME]))
