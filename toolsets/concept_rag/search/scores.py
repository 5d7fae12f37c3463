"""The documented weights, the scaling of components, and the cut of a ranking. All functions are pure."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Generic, Literal, TypeAlias, TypeVar

ItemT = TypeVar("ItemT")

Weights: TypeAlias = Mapping[str, float]
Components: TypeAlias = Mapping[str, float]
"""The value of each weighted component, 0 to 1."""
Scaling: TypeAlias = Literal["full_match", "best_match", "min_max"]

CATALOG_WEIGHTS: Final[Weights] = {"vector": 0.30, "bm25": 0.25, "title": 0.20, "concept": 0.15, "wordnet": 0.10}
CHUNK_WEIGHTS: Final[Weights] = {"vector": 0.35, "bm25": 0.30, "concept": 0.20, "wordnet": 0.15}
CONCEPT_WEIGHTS: Final[Weights] = {"name": 0.40, "vector": 0.30, "bm25": 0.20, "wordnet": 0.10}
"""The weights of each tool sum to 1."""

SCALING: Final[Scaling] = "best_match"
"""How cosines and shares of words are scaled to 0..1, see `scaled`; measured (docs/decisions/ranking.md)."""
STRETCHED: Final[Mapping[str, float]] = {"vector": 1.0, "bm25": 0.8}
"""The scaled components, with the exponent that `best_match` applies. An answer typically has a cosine of .5 with its
question, and a third of its words; half as many words are more than half as good."""
SYNONYM_POWER: Final = 0.5
"""The exponent of a chunk's share of words that have synonyms; half of them are more than half as good, too."""
MIN_COSINE: Final = 0.2
"""Lower cosines are not meaningful: two unrelated texts reach this value."""
LEAST_BEST: Final = 0.45
"""The least cosine or share of words that scales to 1, so that the best of poor candidates does not score as a good one."""
EVIDENT: Final = 0.4
"""The least cosine that is sufficient evidence on its own: random letters reach .39."""
WORDED: Final = 0.5
"""The least share of a question's words that is sufficient evidence on its own: "the mating behaviour of penguins" shares
.43 with a text that contains "behaviour". Both were chosen by measurement."""
CLEAR: Final = 1.2
"""The evidence that at least one candidate must have for any to be returned, so that words in another sense find nothing;
chosen by measurement."""
CANDIDATES: Final = 30
"""The most candidates of vector and of keyword retrieval, and the most results."""
MAX_DOCUMENTS: Final = 10
"""The most documents that a search for documents returns."""
GAP: Final = 0.25
"""The least gap between neighbours at which a ranking is cut; chosen by measurement."""
_DIGITS: Final = 3
"""Scores are compared as they are shown, so that engines whose sums differ in the last bits give one order."""


@dataclass(frozen=True, slots=True)
class Ranked(Generic[ItemT]):
    """A candidate with its score, 0 to 1, and the score's components."""

    item: ItemT
    score: float
    components: Components


def decimal(value: float) -> str:
    """Return a number from 0 to 1 as text with three digits."""
    return f"{min(1.0, max(0.0, value)):.{_DIGITS}f}"


def meaningful(cosine: float) -> float:
    """Return a cosine as a component: unchanged from 0.2 to 1, and 0 below."""
    return min(1.0, cosine) if cosine >= MIN_COSINE else 0.0


def evidence(cosines: Sequence[float], *shares: Sequence[float], whole: Collection[int] = ()) -> list[float]:
    """Return each candidate's evidence, from its cosine and the question's own words together; 1 is sufficient.

    `cosines` and `shares` are unscaled components, each 0 to 1; the highest share of words counts. `whole` has the places
    of the candidates with every word of the question, which are clear however long they are. Synonyms and concepts
    are not evidence, because some are found for any question.
    """
    found = [cosine / EVIDENT + max(of_words) / WORDED for cosine, *of_words in zip(cosines, *shares, strict=True)]
    return [max(each, CLEAR) if place in whole else each for place, each in enumerate(found)]


def is_clear(found: Sequence[float]) -> bool:
    """Return whether the evidence shows that the question is about something in the library."""
    return max(found, default=0.0) >= CLEAR


def scaled(values: Sequence[float], scaling: Scaling = SCALING, power: float = 1.0) -> list[float]:
    """Return the candidates' values of one component, scaled to 0..1.

    `full_match` returns them unchanged. `best_match` divides them by the best value, or by `LEAST_BEST` if that is
    higher, and raises the quotient to `power`. `min_max` scales them so that the best candidate has 1 and the worst 0;
    equal values are unchanged.
    """
    low, high = min(values, default=0.0), max(values, default=0.0)
    if scaling == "best_match" and high > 0:
        return [(max(0.0, value) / max(high, LEAST_BEST)) ** power for value in values]
    if scaling == "min_max" and high > low:
        return [(value - low) / (high - low) for value in values]
    return [min(1.0, max(0.0, value)) for value in values]


def rank(
    items: Sequence[ItemT],
    columns: Mapping[str, Sequence[float]],
    weights: Weights,
    *,
    key: Callable[[ItemT], tuple[str, int]],
    scaling: Scaling = SCALING,
    places: Sequence[int] | None = None,
) -> list[Ranked[ItemT]]:
    """Return the items that score above 0, best first, ties by `key`.

    `columns` has a value per candidate for each weighted component. The score is their weighted sum, after scaling cosines
    and shares of words. `items` are all candidates, or with `places` those at these places.
    """
    even = {
        name: scaled(columns[name], scaling, STRETCHED[name])
        if name in STRETCHED
        else scaled(columns[name], "full_match")
        for name in weights
    }
    ranked: list[Ranked[ItemT]] = []
    for place, item in zip(range(len(items)) if places is None else places, items, strict=True):
        components = {name: values[place] for name, values in even.items()}
        score = sum(weights[name] * value for name, value in components.items())
        # A score that would be printed as 0 is not returned.
        if round(score, _DIGITS) > 0:
            ranked.append(Ranked(item, score, components))
    return sorted(ranked, key=lambda each: (-round(each.score, _DIGITS), *key(each.item)))


def leading(ranked: Sequence[Ranked[ItemT]], limit: int = CANDIDATES, gap: float = GAP) -> Sequence[Ranked[ItemT]]:
    """Return the leading cluster of a ranking: at most `limit`, cut at the largest gap between neighbours.

    Nothing is cut if that gap is smaller than `gap`; of equal gaps the first is used.
    """
    best = ranked[:limit]
    gaps = [above.score - below.score for above, below in pairwise(best)]
    widest = max(gaps, default=0.0)
    return best if widest < gap else best[: gaps.index(widest) + 1]
