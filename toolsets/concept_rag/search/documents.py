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
class DocumentRanking:
    """Documents by score, best first, and what the question was expanded by."""

    ranked: Sequence[Ranked[DocumentEntry]]
    expanded_terms: Sequence[str]


async def search_documents(library: Library, text: str, *, scaling: Scaling = SCALING) -> DocumentRanking:
    """Return the documents that fit a question. Raises `ToolError`.

    A document is as near in meaning as its title, summary and concepts, or as the nearest of its chunks.
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
    for each in passages:
        owner = found.get(each.number("catalog"))
        if owner is not None and each.text("token") == owner.token and owner.token in complete:
            cosines[owner.catalog_id] = max(each.cosine, cosines.get(owner.catalog_id, -1.0))
    documents = [found[catalog_id] for catalog_id in cosines if catalog_id in found]
    mentioned = await _mentioned(library, query, found)
    return await run_cpu(partial(_ranking, query, documents, cosines, mentioned, scaling), size=THREAD_FROM)


def _ranking(
    query: Query,
    documents: Sequence[DocumentEntry],
    cosines: Mapping[int, float],
    mentioned: Mapping[int, set[int]],
    scaling: Scaling,
) -> DocumentRanking:
    texts = lexical_ranking([document.searched for document in documents])
    columns = {
        "vector": [meaningful(cosines[document.catalog_id]) for document in documents],
        "bm25": texts.scores(query.text),
        "title": title_shares(query.text, [document.title for document in documents]),
        "concept": [query.named_share(mentioned.get(document.catalog_id, ())) for document in documents],
        "wordnet": query.synonym_shares(texts),
    }
    evident = evidence(columns["vector"], columns["bm25"], columns["title"])
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


async def _mentioned(library: Library, query: Query, documents: Collection[int]) -> Mapping[int, set[int]]:
    """Return which concepts of the question each document mentions."""
    concepts = [concept.id for concept in query.concepts[:MAX_CONCEPTS]]
    found: dict[int, set[int]] = {}
    for mention in await library.mentions((catalog, concept) for catalog in documents for concept in concepts):
        found.setdefault(mention.catalog_id, set()).add(mention.concept_id)
    return found


def title_shares(text: str, titles: Sequence[str]) -> list[float]:
    """Return for each title how far it and a question say the same, 0 to 1.

    1 is a title with every word of the question, or one of at least two words that all stand in the question.
    """
    asked = set(terms(text))
    scores = lexical_ranking(titles).scores(text)
    return [max(score, _named(asked, title)) for score, title in zip(scores, titles, strict=True)]


def _named(asked: set[str], title: str) -> float:
    words = set(terms(title))
    return len(words & asked) / max(_TITLE_WORDS, len(words))
