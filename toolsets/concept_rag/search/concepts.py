"""Search for the one concept that a name means."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends.ports.values import RecordId
from toolsets.concept_rag.errors import concept_not_found
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.names import bare_name, normal_form
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.projections import CONCEPT_NAMES
from toolsets.concept_rag.search.retrieval import KEYWORD_HITS, Candidate, best_by_words, candidates_of, sample_of
from toolsets.concept_rag.search.scores import CANDIDATES, CONCEPT_WEIGHTS, EVIDENT, Ranked, meaningful, rank
from toolsets.concept_rag.streams import concept_node
from toolsets.concept_rag.wordnet import Sense, wordnet
from toolsets.concurrency import THREAD_FROM, run_cpu
from toolsets.lexical_scores import LexicalRanking, lexical_ranking

_LEAST: Final = 0.3
"""The least score of a match; names about nothing in the library reach 0.25, see docs/decisions/ranking.md."""
_LEAST_CONTAINED: Final = 0.2
"""The least score of a concept whose name is one of several words that were asked for."""
_SURE: Final = 0.5
"""A match with this score is preferred to a concept that is only a part of what was asked for."""
_MAX_WORDS: Final = 4
"""The most words of a concept's name that is looked for inside a longer question."""
_NEAREST: Final = 5
"""The number of nearest concepts in the error if no concept matches."""
_WIDER: Final = 0.5
"""The score of a broader or narrower term, where a synonym scores 1."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundConcept:
    """A concept that at least one document mentions."""

    id: int
    name: str
    gloss: str
    """The WordNet definition, or ""."""
    candidate: Candidate


async def find_concept(library: Library, text: str) -> Ranked[FoundConcept]:
    """Return the concept that matches a name best; a synonym leads to a concept with the same meaning.

    The score and its components compare the concept with the name that was asked for. Raises `ToolError`
    CONCEPT_NOT_FOUND, with the nearest concepts, if no mentioned concept is close enough.
    """
    own = (await _named(library, (text,))).get(text)
    name = text if own == concept_id_of(text) else bare_name(text)
    synonyms = () if own is not None else tuple(map(concept_id_of, wordnet().synonyms(name, "n")))
    contained = await _contained(library, name)
    others = synonyms if own is None else (own,)
    candidates, sample = await _candidates(library, name, dict.fromkeys((*contained, *others)))
    ids = [candidate.number("concept") for candidate in candidates]
    mentioned = await library.documents_naming(ids)
    names = await library.names([*mentioned])
    found = [_found(candidate, names[id_]) for id_, candidate in zip(ids, candidates, strict=True) if id_ in names]
    ranked = await run_cpu(partial(_ranking, name, found, sample), size=THREAD_FROM)
    best = _meant(ranked, name, own, synonyms) or _best(ranked, contained)
    if best is None:
        raise concept_not_found(text, [each.item.name for each in ranked[:_NEAREST]])
    return best


def _meant(
    ranked: Sequence[Ranked[FoundConcept]], name: str, own: int | None, synonyms: Sequence[int]
) -> Ranked[FoundConcept] | None:
    """Return the concept with the name, else the first synonym with its meaning; None if there is neither.

    A synonym has the meaning of the name if the library uses it in the most common sense of the name, or if the two are
    near: "word" is also a synonym of "news", and "exponent" of "power".
    """
    found = {each.item.id: each for each in ranked}
    if own is not None:
        return found.get(own)
    sense = _most_common_sense(name)
    same = (found[id_] for id_ in synonyms if id_ in found and _is_near_or_has(found[id_].item, sense))
    return next(same, None)


def _is_near_or_has(found: FoundConcept, sense: Sense | None) -> bool:
    return found.candidate.cosine >= EVIDENT or (sense is not None and found.gloss == sense.definition)


def _best(ranked: Sequence[Ranked[FoundConcept]], contained: Mapping[int, int]) -> Ranked[FoundConcept] | None:
    """Return the match; None if no concept is close enough.

    A question such as "remove a package" is closer to other names of two words than to the concept it contains.
    """
    inside = [each for each in ranked if each.item.id in contained]
    if inside and ranked[0].score < _SURE:
        best = max(inside, key=lambda each: (contained[each.item.id], each.score))
        if contained[best.item.id] > 1 or best.score >= _LEAST_CONTAINED:
            return best
    return ranked[0] if ranked and ranked[0].score >= _LEAST else None


async def _contained(library: Library, text: str) -> Mapping[int, int]:
    """Return the mentioned concepts whose names are a part of a text, by id, with the number of the text's words.

    Two words also stand for a name that joins them ("boot loader", "bootloader").
    """
    words = normal_form(text).split()
    found: dict[int, int] = {}
    for length in range(1, min(_MAX_WORDS, len(words)) + 1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            found[concept_id_of(" ".join(part))] = length
            if length == 2:
                found[concept_id_of("".join(part))] = length
    mentioned = await library.documents_naming(found.keys())
    return {id_: length for id_, length in found.items() if id_ in mentioned}


async def concepts_meant(library: Library, names: Sequence[str]) -> Mapping[str, int]:
    """Return the id of the concept with exactly each name, else of a synonym.

    A synonym is used in the most common sense of the name, which must also be the sense in which the library uses the
    synonym. Only concepts that a document mentions match; names without a match are left out. Raises `ToolError` if the
    graph fails.
    """
    meant = dict(await _named(library, names))
    senses = {
        name: sense
        for name in names
        if name not in meant and (sense := _most_common_sense(bare_name(name))) is not None
    }
    others = {name: [*map(concept_id_of, sense.synonyms)] for name, sense in senses.items()}
    mentioned = await library.documents_naming({number for some in others.values() for number in some})
    definitions = await library.definitions(mentioned)
    for name, some in others.items():
        sense = senses[name].definition
        if (number := next((each for each in some if definitions.get(each) == sense), None)) is not None:
            meant[name] = number
    return meant


async def _named(library: Library, names: Sequence[str]) -> Mapping[str, int]:
    """Return the id of the mentioned concept with exactly each name; names without one are left out."""
    own = {name: (concept_id_of(name), concept_id_of(bare_name(name))) for name in names if normal_form(name)}
    mentioned = await library.documents_naming({number for some in own.values() for number in some})
    return {name: number for name, some in own.items() for number in reversed(some) if number in mentioned}


def _most_common_sense(name: str) -> Sense | None:
    return next(iter(wordnet().senses(name, "n")), None)


async def known_concepts(library: Library, names: Mapping[int, str]) -> Mapping[int, FoundConcept]:
    """Return the concepts, given by id and name, that the vector store has. Raises `ToolError` if the store fails."""
    ids = {RecordId(concept_node(id_)): id_ for id_ in names}
    store = (await library.vectors()).vectors
    with library.searching("Reading the concepts"):
        records = await store.get(CONCEPT_NAMES, [*ids])
    return {ids[id_]: _found(Candidate(record, 0.0), names[ids[id_]]) for id_, record in records.items()}


def _ranking(text: str, found: Sequence[FoundConcept], sample: LexicalRanking) -> Sequence[Ranked[FoundConcept]]:
    return rank(found, _columns(text, found, sample), CONCEPT_WEIGHTS, key=_order, scaling="full_match")


def _order(found: FoundConcept) -> tuple[str, int]:
    return found.name.casefold(), found.id


async def _candidates(library: Library, text: str, others: Iterable[int]) -> tuple[Sequence[Candidate], LexicalRanking]:
    """Return the concept of this name, the given ones, and those found near it by vectors and words.

    The statistics for ranking them are those of the concepts near it.
    """
    vector = await library.embed(text)
    store = (await library.vectors()).vectors
    exact = RecordId(concept_node(concept_id_of(text)))
    with library.searching("Searching the concepts"):
        near = await library.nearest(CONCEPT_NAMES, vector, CANDIDATES)
        words = f"{text} {normal_form(text)}"
        by_words = await store.keyword(CONCEPT_NAMES, words, KEYWORD_HITS)
        known = [exact, *(RecordId(concept_node(id_)) for id_ in others), *(hit.id for hit in near)]
        records = await store.get(CONCEPT_NAMES, list(dict.fromkeys((*known, *(hit.id for hit in by_words)))))
    sample = sample_of(near, records)
    worded = await run_cpu(partial(best_by_words, words, by_words, records, sample), size=THREAD_FROM)
    ids = list(dict.fromkeys((*known, *worded)))
    return candidates_of(ids, records, {hit.id: hit.score for hit in near}, vector), sample


def _found(candidate: Candidate, name: str) -> FoundConcept:
    gloss = candidate.record.text.removeprefix(name).removeprefix(": ")
    return FoundConcept(candidate.number("concept"), name, gloss, candidate)


def _columns(text: str, found: Sequence[FoundConcept], sample: LexicalRanking) -> Mapping[str, Sequence[float]]:
    asked = normal_form(text)
    synonyms, wider = _kin(text)
    return {
        "name": [name_share(asked, normal_form(each.name)) for each in found],
        "vector": [meaningful(each.candidate.cosine) for each in found],
        "bm25": lexical_ranking([each.candidate.record.text for each in found], sample).scores(text),
        "wordnet": [_kinship(normal_form(each.name), asked, synonyms, wider) for each in found],
    }


def name_share(asked: str, name: str) -> float:
    """Return the share of words that two names in normal form have in common, 0 to 1; spaces make no difference."""
    if asked.replace(" ", "") == name.replace(" ", ""):
        return 1.0
    one, other = set(asked.split()), set(name.split())
    return len(one & other) / len(one | other) if one and other else 0.0


def _kin(text: str) -> tuple[Collection[str], Collection[str]]:
    """Return WordNet's synonyms of a noun, and its broader and narrower terms, in normal form."""
    entry = wordnet().lookup(text, "n")
    if entry is None:
        return (), ()
    synonyms = (*entry.synonyms, *wordnet().synonyms(text, "n"))
    return {*map(normal_form, synonyms)}, {*map(normal_form, (*entry.broader, *entry.narrower))}


def _kinship(name: str, asked: str, synonyms: Collection[str], wider: Collection[str]) -> float:
    if name == asked or name in synonyms:
        return 1.0
    return _WIDER if name in wider else 0.0
