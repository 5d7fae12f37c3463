"""Numeric ids of documents, concepts, categories and visuals, derived from their keys and equal in every process.

The tools document ids as numbers, and JSON numbers are exact up to 2^53. An id is the first 53 bits of a SHA-256 over
the kind and the key, so no counter has to be kept, and a rebuild on another engine gives the same ids. Two of a million
keys share an id with a probability of 1 in 18,000, so code that stores an id under a key checks that the key is equal.
"""

import hashlib
from typing import Final

from toolsets.concept_rag.names import normal_form

MAX_NUMBER: Final = 2**53 - 1
"""The largest integer that every JSON parser reads exactly; some read numbers as doubles."""
_SEPARATOR: Final = "\x1f"
"""Not part of any key, because names and hashes have no control characters."""


def _number(*key: str) -> int:
    digest = hashlib.sha256(_SEPARATOR.join(key).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 11 or 1


def document_id_of(content_hash: str) -> int:
    """Return the id of the document whose file has this hash, from 1 to 2^53 - 1."""
    return _number("document", content_hash)


def concept_id_of(name: str) -> int:
    """Return the id of a concept, the same for every spelling of its name."""
    return _number("concept", normal_form(name))


def category_id_of(name: str) -> int:
    """Return the id of a category; letter case and spaces of its name are ignored, plural and hyphens are not."""
    return _number("category", " ".join(name.casefold().split()))


def visual_id_of(document_hash: str, image_hash: str, occurrence: int = 0) -> int:
    """Return the id of a visual; `occurrence` is the number of equal images before it in the same document."""
    return _number("visual", document_hash, image_hash, str(occurrence))
