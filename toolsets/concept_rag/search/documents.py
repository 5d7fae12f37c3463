"""Search for documents by title, summary and concepts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from toolsets.bm25 import lexical_ranking, terms
from toolsets.concept_rag.entries import DocumentEntry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import CATALOG_TEXTS, CHUNKS
from toolsets.concept_rag.search.chunks import BODY
from toolsets.concept_rag.search.query import Query
from toolsets.concept_rag.search.retrieval import SPARE, Candidate, best_of_each, both, candidates_of, retrieve
from toolsets.concept_rag.search.scores import (
    CANDIDATES,
    CATALOG_WEIGHTS,
    SCALING,
    Ranked,
    Scaling,
    evidence,
    meaningful,
    rank,
)
from toolsets.concurrency import THREAD_FROM, run_cpu

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_CONCEPTS: Final = 10
"""Concepts of a question that are looked for in the documents."""
_TITLE_WORDS: Final = 2
"""Words of a title from which on a question that has all of them names the document."""


@dataclass(frozen=True, slots=True)
class _Passage:
    """A chunk near a question, of one of the documents."""

    owner: int
    text: str
    cosine: float


@dataclass(frozen=True, slots=True)
class DocumentRanking:
    """Documents by score, best first, and what the question was expanded by."""

    ranked: Sequence[Ranked[DocumentEntry]]
    expanded_terms: Sequence[str]


async def search_documents(library: Library, text: str, *, scaling: Scaling = SCALING) -> DocumentRanking:
    """Return the documents that fit a question. Raises `ToolError`.

    A document is as near in meaning as its title, summary and concepts, or as the nearest of its chunks, and has the words
    that these have, or the one of its near chunks that has most of them.
    """
    vector = await library.embed(text)
    (query, candidates), passages = await both(
        partial(retrieve, library, text, vector, CATALOG_TEXTS), partial(nearest_chunks, library, vector)
    )
    kept = best_of_each(candidates)
    cosines = {candidate.number("catalog"): candidate.cosine for candidate in kept}
    ids = dict.fromkeys((*cosines, *(each.number("catalog") for each in passages)))
    found = await library.documents(ids)
    owners = {each.number("catalog") for each in passages}
    complete = await library.complete([found[owner] for owner in owners if owner in found])
    own: list[_Passage] = []
    for each in passages:
        owner = found.get(each.number("catalog"))
        if owner is not None and each.text("token") == owner.token and owner.token in complete:
            own.append(_Passage(owner.catalog_id, each.record.text, each.cosine))
    documents = [found[id_] for id_ in dict.fromkeys((*cosines, *(each.owner for each in own))) if id_ in found]
    salience = await _salience(library, query, found)
    return await run_cpu(partial(_ranking, query, documents, cosines, own, salience, scaling), size=THREAD_FROM)


def _ranking(
    query: Query,
    documents: Sequence[DocumentEntry],
    cosines: Mapping[int, float],
    passages: Sequence[_Passage],
    salience: Mapping[int, Mapping[int, float]],
    scaling: Scaling,
) -> DocumentRanking:
    texts = lexical_ranking([document.searched for document in documents])
    near = [meaningful(cosines.get(document.catalog_id, -1.0)) for document in documents]
    words = texts.scores(query.text)
    titles = title_shares(query.text, [document.title for document in documents])
    near_passages = [meaningful(passage.cosine) for passage in passages]
    words_of_passages = lexical_ranking([passage.text for passage in passages]).scores(query.text)
    owners = [passage.owner for passage in passages]
    columns = {
        "vector": _best(documents, near, owners, near_passages),
        "bm25": _best(documents, words, owners, words_of_passages),
        "title": titles,
        "concept": [query.covered_share(salience.get(document.catalog_id, {})) for document in documents],
        "wordnet": query.synonym_shares(texts),
    }
    proven = evident_owners(owners, near_passages, words_of_passages)
    own = zip(documents, evidence(near, words, titles), strict=True)
    evident = [is_evident or document.catalog_id in proven for document, is_evident in own]
    ranked = rank(documents, columns, CATALOG_WEIGHTS, key=_order, scaling=scaling, evident=evident)
    return DocumentRanking(ranked, query.expanded_terms(texts))


def _order(document: DocumentEntry) -> tuple[str, int]:
    return document.title.casefold(), document.catalog_id


async def nearest_chunks(library: Library, vector: "Vector") -> Sequence[Candidate]:
    """Return the chunks of all documents' bodies that are nearest to a question. Raises `ToolError`."""
    store = (await library.vectors()).vectors
    with library.searching("Searching the chunks"):
        hits = await store.dense(CHUNKS, vector, CANDIDATES + SPARE, where=BODY)
        cosines = {hit.id: hit.score for hit in hits}
        return candidates_of([*cosines], await store.get(CHUNKS, [*cosines]), cosines, vector)


def _best(
    documents: Sequence[DocumentEntry], own: Sequence[float], owners: Sequence[int], of_passages: Sequence[float]
) -> list[float]:
    """Return for each document what its own text, or the best of its passages, has of a component."""
    best: dict[int, float] = {}
    for owner, value in zip(owners, of_passages, strict=True):
        best[owner] = max(value, best.get(owner, 0.0))
    return [max(value, best.get(document.catalog_id, 0.0)) for value, document in zip(own, documents, strict=True)]


def evident_owners(owners: Sequence[int], cosines: Sequence[float], shares: Sequence[float]) -> frozenset[int]:
    """Return the documents of which one passage is evidence by itself: that one is near and another has a word is none."""
    return frozenset(owner for owner, is_evident in zip(owners, evidence(cosines, shares), strict=True) if is_evident)


async def _salience(library: Library, query: Query, documents: Collection[int]) -> Mapping[int, Mapping[int, float]]:
    """Return how salient each concept of the question is in each document that mentions it."""
    concepts = [concept.id for concept in query.concepts[:MAX_CONCEPTS]]
    found: dict[int, dict[int, float]] = {}
    for mention in await library.mentions((catalog, concept) for catalog in documents for concept in concepts):
        found.setdefault(mention.catalog_id, {})[mention.concept_id] = mention.score
    return found


def title_shares(text: str, titles: Sequence[str]) -> list[float]:
    """Return for each title how far it and a question say the same, 0 to 1.

    1 is a title with every word of the question, or one of at least two words that all stand in the question.
    """
    asked = set(terms(text))
    ranking = lexical_ranking(titles)
    named = (len(words.keys() & asked) / max(_TITLE_WORDS, len(words)) for words in ranking.counts)
    return [max(score, share) for score, share in zip(ranking.scores(text), named, strict=True)]
