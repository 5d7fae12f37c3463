"""Finds a document's concepts in its passages, and which concepts go together."""

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
"""Related concepts of a concept."""
_TOGETHER_SHARE: Final = 0.6
"""How much occurring in the same passages counts; the rest is how near the names are in meaning."""
_LEAST: Final = 0.15
"""Below this score two concepts have little to do with one another."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept in a passage."""

    concept: Concept
    density: float
    """The share of the passage's words that belong to the concept's name, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Relative:
    """A concept that goes with another one."""

    concept: Concept
    score: float
    """0 to 1."""


class ConceptMatcher:
    """The concepts of a document, ready to be found in its chunks and in what stands near its visuals."""

    def __init__(self, concepts: Iterable[Concept]) -> None:
        """Take the concepts; of two with one key the first counts."""
        self._by_opening: defaultdict[str, list[tuple[tuple[str, ...], Concept]]] = defaultdict(list)
        for concept in {concept.key: concept for concept in reversed(list(concepts))}.values():
            if words := tuple(concept.key.split()):
                self._by_opening[words[0]].append((words, concept))

    def find(self, text: str) -> tuple[Mention, ...]:
        """Return the concepts that a text names, densest first, ties by key.

        A name within a longer one counts, too: "source package" also names "package".
        """
        return self.find_in(words_of(text))

    def find_in(self, words: Sequence[str]) -> tuple[Mention, ...]:
        """Return the same for a text whose words in normal form are known."""
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
) -> dict[str, tuple[Relative, ...]]:
    """Return for each concept, by its key, up to ten others that go with it, best first, ties by key.

    `passages` gives the keys named in each passage, `vectors` a row of unit norm per concept. The score is 0.6 times
    the share of passages with both among those with either, scaled by its root, and 0.4 times the cosine of the names.
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
    related: dict[str, tuple[Relative, ...]] = {}
    for place, (concept, row) in enumerate(zip(concepts, scores.tolist(), strict=True)):
        others = (
            Relative(other, min(1.0, score))
            for at, (other, score) in enumerate(zip(concepts, row, strict=True))
            if at != place and score >= _LEAST
        )
        related[concept.key] = tuple(sorted(others, key=lambda each: (-each.score, each.concept.key))[:MAX_RELATIVES])
    return related
