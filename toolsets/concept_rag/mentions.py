"""Finds a document's concepts in its passages, and the related concepts of each."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.concepts import Concept
from toolsets.concept_rag.names import words_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MAX_RELATIVES: Final = 10
"""The most related concepts of a concept."""
_TOGETHER_SHARE: Final = 0.6
"""The weight of occurring in the same passages; the rest is the weight of the names' cosine."""
_LEAST: Final = 0.15
"""Concepts with a lower score are not related."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept in a passage."""

    concept: Concept
    density: float
    """The share of the passage's words that belong to the concept's name, 0 to 1."""


@dataclass(frozen=True, slots=True)
class RelatedConcept:
    """A concept that is related to another one."""

    concept: Concept
    score: float
    """0 to 1."""


class ConceptMatcher:
    """Finds the concepts of a document in its chunks and in the text near its visuals."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        """Of two concepts with the same key, the first is used."""
        self._by_opening: defaultdict[str, list[tuple[tuple[str, ...], Concept]]] = defaultdict(list)
        for concept in {concept.key: concept for concept in reversed(list(concepts))}.values():
            if words := tuple(concept.key.split()):
                self._by_opening[words[0]].append((words, concept))

    def find(self, text: str) -> tuple[Mention, ...]:
        """Return the concepts that a text names, densest first, ties by key.

        A name within a longer name also counts: "source package" also names "package".
        """
        return self.find_in(words_of(text))

    def find_in(self, words: Sequence[str]) -> tuple[Mention, ...]:
        """Return the same as `find`, for a text given as its words in normal form."""
        covered: defaultdict[str, set[int]] = defaultdict(set)
        found: dict[str, Concept] = {}
        known = self._by_opening
        for place in [place for place, word in enumerate(words) if word in known]:
            for name, concept in known[words[place]]:
                if tuple(words[place : place + len(name)]) == name:
                    covered[concept.key].update(range(place, place + len(name)))
                    found[concept.key] = concept
        mentions = (Mention(concept, len(covered[key]) / len(words)) for key, concept in found.items())
        return tuple(sorted(mentions, key=lambda mention: (-mention.density, mention.concept.key)))


def related_concepts(
    concepts: Sequence[Concept], passages: Iterable[Collection[str]], vectors: "NDArray[numpy.float32]"
) -> dict[str, tuple[RelatedConcept, ...]]:
    """Return for each concept, by key, up to ten related concepts, best first, ties by key.

    `passages` has the keys named in each passage, and `vectors` a row of unit norm per concept. The score is 0.6 times
    the square root of (passages with both / passages with either), plus 0.4 times the cosine of the names.
    """
    import numpy

    places = {concept.key: place for place, concept in enumerate(concepts)}
    rows = [[places[key] for key in keys if key in places] for keys in passages]
    named = numpy.zeros((len(rows), len(concepts)), dtype=numpy.float32)
    for number, row in enumerate(rows):
        named[number, row] = 1
    both = named.T @ named
    alone = both.diagonal()
    either = numpy.maximum(alone[:, None] + alone[None, :] - both, 1)
    scores = _TOGETHER_SHARE * numpy.sqrt(both / either) + (1 - _TOGETHER_SHARE) * numpy.clip(vectors @ vectors.T, 0, 1)
    scores[both == 0] = 0
    related: dict[str, tuple[RelatedConcept, ...]] = {}
    for place, (concept, row) in enumerate(zip(concepts, scores.tolist(), strict=True)):
        others = (
            RelatedConcept(other, min(1.0, score))
            for at, (other, score) in enumerate(zip(concepts, row, strict=True))
            if at != place and score >= _LEAST
        )
        related[concept.key] = tuple(sorted(others, key=lambda each: (-each.score, each.concept.key))[:MAX_RELATIVES])
    return related
