"""The documented weights, the scale of what they weigh, and where a ranking is cut. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Generic, Literal, TypeAlias, TypeVar

ItemT = TypeVar("ItemT")

Weights: TypeAlias = Mapping[str, float]
Components: TypeAlias = Mapping[str, float]
"""What a candidate has of each weighed component, 0 to 1."""
Scaling: TypeAlias = Literal["full_match", "best_match", "min_max"]

CATALOG_WEIGHTS: Final[Weights] = {"vector": 0.30, "bm25": 0.25, "title": 0.20, "concept": 0.15, "wordnet": 0.10}
CHUNK_WEIGHTS: Final[Weights] = {"vector": 0.35, "bm25": 0.30, "concept": 0.20, "wordnet": 0.15}
CONCEPT_WEIGHTS: Final[Weights] = {"name": 0.40, "vector": 0.30, "bm25": 0.20, "wordnet": 0.10}
"""Each table sums to 1."""

SCALING: Final[Scaling] = "best_match"
"""How cosines and shares of words become 0..1, see `scaled`; chosen by measurement (docs/tools/concept_rag.md, Quality)."""
STRETCHED: Final[Mapping[str, float]] = {"vector": 1.0, "bm25": 0.6}
"""The components that are scaled, with the power that `best_match` takes their shares to. An answer has a cosine of .5 to its
question rather than 1, and a third of its words; half as many words are more than half as good."""
MIN_COSINE: Final = 0.2
"""Cosines below it say nothing: two texts that have nothing in common reach it."""
LEAST_BEST: Final = 0.45
"""The cosine, or share of words, that is a whole component where none is higher: the best of poor candidates is no good one."""
EVIDENT: Final = 0.4
"""The cosine from which on nearness alone makes a result: letters that mean nothing come as near as .39."""
WORDED: Final = 0.5
"""The share of a question's words from which on they alone make a result: "the mating behaviour of penguins" shares .43
with a text that has "behaviour" in it. These two were chosen by measurement, too."""
CLEAR: Final = 1.2
"""The evidence that one candidate must have for any to be a result, so that words in another sense find nothing; chosen by
measurement, too."""
CANDIDATES: Final = 30
"""How many candidates vector and keyword retrieval each bring, and how many results there are at most."""
MAX_DOCUMENTS: Final = 10
"""How many documents a search for documents returns at most."""
GAP: Final = 0.25
"""The least gap between neighbours at which a ranking is cut; chosen by measurement, too."""
_DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class Ranked(Generic[ItemT]):
    """A candidate with its score, 0 to 1, and the components that make it up."""

    item: ItemT
    score: float
    components: Components


def decimal(value: float) -> str:
    """Return a number from 0 to 1 as text with three digits."""
    return f"{min(1.0, max(0.0, value)):.{_DIGITS}f}"


def meaningful(cosine: float) -> float:
    """Return a cosine as a component: from 0.2 to 1 as it is, and 0 for what is below."""
    return min(1.0, cosine) if cosine >= MIN_COSINE else 0.0


def evidence(cosines: Sequence[float], *shares: Sequence[float]) -> list[float]:
    """Return for each candidate how much speaks for it, of which 1 suffices: nearness and the question's own words together.

    `cosines` and `shares` are components that are not scaled, each 0 to 1; of the shares of words the highest counts.
    Synonyms and concepts are no evidence: some are found for anything.
    """
    return [cosine / EVIDENT + max(of_words) / WORDED for cosine, *of_words in zip(cosines, *shares, strict=True)]


def is_clear(found: Sequence[float]) -> bool:
    """Say whether the evidence that was found shows that the question is about something in the library."""
    return max(found, default=0.0) >= CLEAR


def scaled(values: Sequence[float], scaling: Scaling = SCALING, power: float = 1.0) -> list[float]:
    """Return the values that the candidates have of one component, brought to 0..1.

    `full_match` takes them as they are. `best_match` makes the best candidate 1, if it has `LEAST_BEST`, and takes the
    others' share of it to a power.
    `min_max` stretches them, so that the best candidate has 1 and the worst one 0; equal values are left.
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
    evident: Sequence[bool] | None = None,
) -> list[Ranked[ItemT]]:
    """Return the items that score above 0, best first, ties by `key`; with `evident` only those for which it is true.

    `columns` has for each weighed component a value per item. The score is their weighted sum, cosines and shares of
    words scaled.
    """
    even = {
        name: scaled(columns[name], scaling, STRETCHED[name])
        if name in STRETCHED
        else scaled(columns[name], "full_match")
        for name in weights
    }
    ranked: list[Ranked[ItemT]] = []
    for place, item in enumerate(items):
        components = {name: values[place] for name, values in even.items()}
        score = sum(weights[name] * value for name, value in components.items())
        # What would be printed as 0 is no result.
        if round(score, _DIGITS) > 0 and (evident is None or evident[place]):
            ranked.append(Ranked(item, score, components))
    return sorted(ranked, key=lambda each: (-round(each.score, _DIGITS), *key(each.item)))


def leading(ranked: Sequence[Ranked[ItemT]], limit: int = CANDIDATES, gap: float = GAP) -> Sequence[Ranked[ItemT]]:
    """Return the leading cluster of a ranking: at most `limit`, cut at the largest gap between neighbours.

    Nothing is cut when that gap is smaller than `gap`; of equal gaps the first counts.
    """
    best = ranked[:limit]
    gaps = [above.score - below.score for above, below in pairwise(best)]
    widest = max(gaps, default=0.0)
    return best if widest < gap else best[: gaps.index(widest) + 1]
