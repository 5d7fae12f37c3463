"""Assigns categories to a document by cosine, supporting concepts, and the lead over other categories."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from backends.ports.embedder import EmbedderIdentity
from toolsets.concept_rag.concepts import Concept, Embed
from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.phrases import Phrases
from toolsets.concept_rag.taxonomy.model import GENERAL, Category, Taxonomy

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MAX_CATEGORIES_PER_DOCUMENT: Final = 3
_FLOOR: Final = 0.25
"""The least score of the best category; unrelated ones reach 0.22 for whole books."""
_MARGIN: Final = 0.1
"""The most that other assigned categories may score below the best one."""
_CLEAR: Final = 0.35
_LEAD: Final = 0.05
"""The least score of a clear winner, and its least lead over the others."""
_WORDS_PER_TERM: Final = 2_000
_PER_KEYWORD: Final = 0.03
_KEYWORDS: Final = 4
"""A concept that is a keyword of a category raises its score by `_PER_KEYWORD`, at most this many times."""


class CategoryAssignment:
    """The taxonomy with its vectors; assigns categories to any number of documents."""

    def __init__(self, taxonomy: Taxonomy, vectors: "NDArray[numpy.float32]") -> None:
        """`vectors` has a row per category, in the taxonomy's order, as returned by `embed_categories`."""
        self._taxonomy = taxonomy
        self._vectors = vectors
        self._words = [
            frozenset(map(normal_form, (category.name, *category.aliases, *category.keywords)))
            for category in taxonomy.categories
        ]

    def assign(
        self, meaning: "NDArray[numpy.float32]", concepts: Sequence[Concept], terms: Collection[str] = ()
    ) -> tuple[Category, ...]:
        """Return one to three categories, best first; "General" alone when none fits.

        `meaning` is the vector of `document_meaning`, `concepts` are the primary concepts, and `terms` the normal forms of
        other frequent phrases (see `telling_terms`). A clear winner needs only its cosine. Any other first category must
        have a name or keyword among the concepts or terms; a further category needs one among the concepts or two among
        the terms. An ancestor of another assigned category is left out, because the narrower one implies it.
        """
        keys = {concept.key for concept in concepts}
        named = keys.union(terms)
        words = dict(zip(self._taxonomy.categories, self._words, strict=True))
        scores: dict[Category, float] = {}
        for category, row in zip(self._taxonomy.categories, self._vectors, strict=True):
            if category.name != GENERAL:
                bonus = _PER_KEYWORD * min(_KEYWORDS, len(keys & words[category]))
                scores[category] = float(row @ meaning) + bonus
        ranked = sorted(scores, key=lambda each: (-scores[each], each.name))
        floor = max(_FLOOR, scores[ranked[0]] - _MARGIN) if ranked else _FLOOR
        near = [category for category in ranked if scores[category] >= floor]
        if not self._is_clear(ranked, scores):
            near = near[next((place for place, each in enumerate(near) if named & words[each]), len(near)) :]
        kept = near[:1] + [each for each in near[1:] if keys & words[each] or len(named & words[each]) > 1]
        chosen = [category for category in kept if not set(self._taxonomy.below(category)) & set(kept)]
        general = self._taxonomy.find(GENERAL)
        return tuple(chosen[:MAX_CATEGORIES_PER_DOCUMENT]) or ((general,) if general else ())

    def _is_clear(self, ranked: Sequence[Category], scores: Mapping[Category, float]) -> bool:
        """Return whether the best category is far ahead of all categories except its ancestors and descendants."""
        if not ranked or scores[ranked[0]] < _CLEAR:
            return False
        best = ranked[0]
        kin = {*self._taxonomy.path(best), *(each.name for each in self._taxonomy.below(best))}
        rival = next((scores[each] for each in ranked[1:] if each.name not in kin), 0.0)
        return scores[best] >= rival + _LEAD


def telling_terms(phrases: Phrases) -> frozenset[str]:
    """Return the phrases frequent enough to indicate a text's subject: at least once in 2,000 words."""
    return frozenset(key for key, count in phrases.counts.items() if count * _WORDS_PER_TERM >= phrases.words)


async def embed_categories(taxonomy: Taxonomy, embed: Embed) -> "NDArray[numpy.float32]":
    """Return a vector of each category's name, description and keywords, in the taxonomy's order."""
    return await embed(list(map(category_text, taxonomy.categories)))


def category_text(category: Category) -> str:
    """Return the text that is embedded for a category."""
    return f"{category.name}. {category.description} {', '.join(category.keywords)}"


def shipped_vectors(identity: EmbedderIdentity) -> Path:
    """Return the path of the shipped categories' vectors for an embedder; the file exists for the shipped embedder only."""
    return Path(__file__).with_name(f"{hashlib.sha256(str(identity).encode()).hexdigest()[:16]}.vectors")


def document_meaning(title: str, summary: str, concepts: Sequence[Concept]) -> str:
    """Return the text whose vector is compared with the categories: title, summary and primary concepts."""
    return f"{title}. {summary} {', '.join(concept.name for concept in concepts)}"
