"""Fuzzy similarity of names that no rule of `likeness` matches: by letters, words, abbreviations and initials."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz

from toolsets.agent_graph.duplicates.normal import NormalName

HIGHEST = 0.77
"""The highest fuzzy similarity. It is below every rule, so a threshold of 0.8 returns only pairs that a rule matches."""
OTHER_NUMBERS = 0.6
"""The highest fuzzy similarity of names with different numbers."""
ABBREVIATED = 0.9
"""The similarity of a word and its first letters, and of a name and its initials."""
SHORTEST_ABBREVIATION = 3
"""Two letters begin too many words, and are the initials of too many names."""
MAX_WORDS = 8
"""The most words of names that are matched word by word; longer names are compared as sorted texts."""
MAX_NAMES = 64
"""The most names that may share a feature; a feature of more names, such as a common word, finds no candidates."""
MAX_CANDIDATES = 64
"""The most names that are compared with one name: those that share the most features with it."""
MAX_FEATURES = 64
"""Each feature costs time and memory; a longer name is found by its first ones."""
_TRIGRAM = 3
"""Most names share runs of two letters; of longer runs a slip leaves too few."""


def fuzzy_pairs(
    forms: Sequence[NormalName], least: float, step: Callable[[int], None]
) -> Mapping[float, list[tuple[NormalName, NormalName]]]:
    """Return the pairs of names that share a feature, keyed by their similarity, which is at least `least`.

    The number of comparisons is linear in the number of names. `step` is called with 1 for each name.
    """
    sharing: dict[str, list[int]] = {}
    features = [features_of(name) for name in forms]
    for place, found in enumerate(features):
        for feature in found:
            sharing.setdefault(feature, []).append(place)
    pairs: dict[float, list[tuple[NormalName, NormalName]]] = {}
    for place, found in enumerate(features):
        for other in _candidates(place, found, sharing):
            score = similarity(forms[place], forms[other])
            if score >= least and score > 0:
                pairs.setdefault(score, []).append((forms[place], forms[other]))
        step(1)
    return pairs


def _candidates(place: int, features: Sequence[str], sharing: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Yield the later names that share the most features with the one at `place`."""
    shared: Counter[int] = Counter()
    for feature in features:
        if len(places := sharing[feature]) <= MAX_NAMES:
            shared.update(other for other in places if other > place)
    yield from (other for other, _ in shared.most_common(MAX_CANDIDATES))


def features_of(name: NormalName) -> tuple[str, ...]:
    """Return up to 64 features: initials, words and runs of three letters; names that share none are not compared."""
    joined = name.joined
    runs = (joined[start : start + _TRIGRAM] for start in range(max(1, len(joined) - _TRIGRAM + 1)))
    initials = (_initials(name),) if len(name.words) >= SHORTEST_ABBREVIATION else ()
    return tuple(dict.fromkeys((*initials, *name.words, *runs)))[:MAX_FEATURES]


def similarity(one: NormalName, other: NormalName) -> float:
    """Return the similarity of two names, from 0 to 0.77, rounded to four digits; symmetric."""
    one, other = sorted((one, other), key=lambda name: name.words)
    score = HIGHEST * max(fuzz.ratio(one.joined, other.joined) / 100, _by_words(one, other), _by_initials(one, other))
    return round(score if one.numbers == other.numbers else min(score, OTHER_NUMBERS), 4)


def _by_words(one: NormalName, other: NormalName) -> float:
    """Return the share of letters in matched words; each word is matched with the most similar word that is left."""
    if max(len(one.words), len(other.words)) > MAX_WORDS:
        return fuzz.token_sort_ratio(one.text, other.text) / 100
    graded = sorted(
        ((_of_words(a, b), i, j) for i, a in enumerate(one.words) for j, b in enumerate(other.words)),
        key=lambda match: (-match[0], match[1], match[2]),
    )
    left, right = set(range(len(one.words))), set(range(len(other.words)))
    matched = weight = 0.0
    for grade, i, j in graded:
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            letters = max(len(one.words[i]), len(other.words[j]))
            matched += grade * letters
            weight += letters
    unmatched = sum(len(one.words[i]) for i in left) + sum(len(other.words[j]) for j in right)
    return matched / (weight + unmatched)


def _of_words(one: str, other: str) -> float:
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) >= SHORTEST_ABBREVIATION and long.startswith(short):
        return ABBREVIATED
    return fuzz.ratio(one, other) / 100


def _by_initials(one: NormalName, other: NormalName) -> float:
    for name, initials in ((one, other), (other, one)):
        if len(name.words) >= SHORTEST_ABBREVIATION and _initials(name) == initials.joined:
            return ABBREVIATED
    return 0.0


def _initials(name: NormalName) -> str:
    return "".join(word[0] for word in name.words)
