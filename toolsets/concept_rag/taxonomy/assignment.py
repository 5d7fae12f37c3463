"""Assigns categories to a document by cosine, supporting concepts, and the lead over other categories."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from backends.ports.embedder import EmbedderIdentity
from toolsets.concept_rag.concepts import Concept, Embed
from toolsets.concept_rag.languages import is_other_script
from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.phrases import Phrases
from toolsets.concept_rag.taxonomy.model import GENERAL, Category, Taxonomy

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MAX_CATEGORIES_PER_DOCUMENT: Final = 3
"""With more, a category lists documents that only touch its subject."""
_FLOOR: Final = 0.25
"""The least score of the best category; unrelated ones reach 0.22 for whole books."""
_MARGIN: Final = 0.1
"""The most that other assigned categories may score below the best one."""
_CLEAR: Final = 0.35
_LEAD: Final = 0.05
"""The least score of a clear winner, and its least lead over the others."""
_VERY_NEAR: Final = 0.45
"""The least score of a clear winner without any evidence."""
_ENOUGH: Final = 1.0
"""The evidence of one strong concept, or of two others, each of which counts half."""
_LEADING: Final = 0.55
"""A concept with at least this share of the best one's score is a leading one."""
_OF_ITS_OWN: Final = 0.75
"""The least share of the score of a longer concept from which the word at its end says something by itself."""
_WORDS_PER_TERM: Final = 2_000
"""A phrase that occurs less often may be mentioned by the way."""
_SEVERAL: Final = 5
"""The least concepts that say by themselves what a document is about."""
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
        other frequent phrases (see `telling_terms`). A category needs evidence: a leading concept or a concept of several
        words among its name and keywords, or two other concepts or terms; the first category needs half of it if it is far
        ahead, and none if it is also very near. An ancestor of another assigned category is left out, because the narrower
        one implies it.
        """
        keys = {concept.key for concept in concepts}
        words = dict(zip(self._taxonomy.categories, self._words, strict=True))
        weights = _weights(concepts, terms)
        scores: dict[Category, float] = {}
        for category, row in zip(self._taxonomy.categories, self._vectors, strict=True):
            if category.name != GENERAL:
                bonus = _PER_KEYWORD * min(_KEYWORDS, sum(weights[key] > 0 for key in keys & words[category]))
                scores[category] = float(row @ meaning) + bonus
        ranked = sorted(scores, key=lambda each: (-scores[each], each.name))
        floor = max(_FLOOR, scores[ranked[0]] - _MARGIN) if ranked else _FLOOR
        evidence = {each: sum(weights[word] for word in words[each] & weights.keys()) for each in ranked}
        kept = [each for each in ranked if scores[each] >= floor and evidence[each] >= _ENOUGH]
        if self._is_clear(ranked, scores) and ranked[0] not in kept:
            is_shown = evidence[ranked[0]] > 0 or scores[ranked[0]] >= _VERY_NEAR
            kept = [ranked[0], *kept] if is_shown else kept
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


def _weights(concepts: Sequence[Concept], terms: Collection[str]) -> Mapping[str, float]:
    """Return the weight of each concept and term as evidence for a category that has it as its name or a keyword.

    A word that only ends a better concept weighs nothing: of a "backup strategy", "strategy" says little.
    """
    leading = _LEADING * max((concept.score for concept in concepts), default=0.0)
    weights = dict.fromkeys(terms, _ENOUGH / 2)
    ends: dict[str, float] = {}
    for concept in sorted(concepts, key=lambda each: -each.score):
        _, space, last = concept.key.rpartition(" ")
        is_strong = bool(space) or concept.score >= leading
        weights[concept.key] = _ENOUGH if is_strong else _ENOUGH / 2
        if concept.score < _OF_ITS_OWN * ends.get(concept.key, 0.0):
            weights[concept.key] = 0.0
        if space:
            ends.setdefault(last, concept.score)
    return weights


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
    """Return the text whose vector is compared with the categories: title, summary and primary concepts.

    A summary in another script is left out if there are enough concepts, because the shipped embedder reads English.
    """
    names = ", ".join(concept.name for concept in concepts)
    if len(concepts) >= _SEVERAL and is_other_script(summary):
        return f"{title}. {names}"
    return f"{title}. {summary} {names}"
