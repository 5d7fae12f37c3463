"""Search for documents by title, summary and concepts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from toolsets.concept_rag.entries import DocumentEntry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import CATALOG_TEXTS, CHUNKS
from toolsets.concept_rag.search.chunks import BODY
from toolsets.concept_rag.search.query import CHARACTERS, Query, without_contractions
from toolsets.concept_rag.search.retrieval import (
    EXTRA_HITS,
    KEYWORD_HITS,
    SAMPLED_HITS,
    Candidate,
    best_by_words,
    both,
    candidates_of,
    find,
    sample_of,
)
from toolsets.concept_rag.search.scores import (
    CANDIDATES,
    CATALOG_WEIGHTS,
    CLEAR,
    SCALING,
    Ranked,
    Scaling,
    is_clear,
    meaningful,
    rank,
)
from toolsets.concept_rag.search.scripts import evidence_for
from toolsets.concept_rag.streams import number_in
from toolsets.concurrency import THREAD_FROM, run_cpu
from toolsets.lexical_scores import lexical_ranking, terms

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

MAX_CONCEPTS: Final = 10
"""The most concepts of a question that are searched for in documents."""
_TITLE_WORDS: Final = 2
"""A title must have at least this many words for a question that contains all of them to name the document."""


@dataclass(frozen=True, slots=True)
class _NearChunk:
    """A chunk near a question, or with every word of it, and its document."""

    owner: int
    text: str
    cosine: float
    is_near: bool


@dataclass(frozen=True, slots=True, eq=False)
class NearDocuments:
    """The candidates for a question by their own texts."""

    query: Query
    """The question, expanded."""
    cosines: Mapping[int, float]
    """By id of the document."""
    sampled: Collection[int]
    """The documents whose texts and titles are the sample for ranking by words."""


@dataclass(frozen=True, slots=True)
class DocumentRanking:
    """Documents by score, best first, and the terms that expanded the question."""

    ranked: Sequence[Ranked[DocumentEntry]]
    expanded_terms: Sequence[str]


async def search_documents(library: Library, text: str, *, scaling: Scaling = SCALING) -> DocumentRanking:
    """Return the documents that match a question. Raises `ToolError`.

    A document's cosine is that of its own text (title, summary and concepts), or the mean of the best two of that text
    and its chunks if that is higher. Its share of the question's words is computed in the same way.
    """
    vector = await library.embed(text)
    near, passages = await both(
        partial(nearest_documents, library, text, vector), partial(nearest_chunks, library, text, vector)
    )
    query, cosines = near.query, near.cosines
    owners = dict.fromkeys(each.number("catalog") for each in passages)
    found, complete = await library.live_documents(dict.fromkeys((*cosines, *owners)), owners)
    own: list[_NearChunk] = []
    for each in passages:
        owner = found.get(each.number("catalog"))
        if owner is not None and each.text("token") == owner.token and owner.token in complete:
            own.append(_NearChunk(owner.catalog_id, each.record.text, each.cosine, each.near_rank is not None))
    documents = [found[id_] for id_ in dict.fromkeys((*cosines, *(each.owner for each in own))) if id_ in found]
    compared = await run_cpu(partial(_compared, near, documents, own), size=THREAD_FROM)
    evident = [documents[place] for place in compared.evident]
    salience = await _salience(library, query, [document.catalog_id for document in evident])
    return await run_cpu(partial(_ranking, query, compared, evident, salience, scaling), size=len(text) // CHARACTERS)


@dataclass(frozen=True, slots=True)
class _ComparedDocuments:
    """Documents compared with a question by their texts."""

    columns: Mapping[str, Sequence[float]]
    """The components of the score, but for the concepts."""
    evident: Sequence[int]
    """The places of the documents that have enough evidence."""
    expanded_terms: Sequence[str]


def _compared(
    found: NearDocuments, documents: Sequence[DocumentEntry], passages: Sequence[_NearChunk]
) -> _ComparedDocuments:
    query, cosines = found.query, found.cosines
    sampled = [document for document in documents if document.catalog_id in found.sampled]
    sample = lexical_ranking([document.searched for document in sampled])
    searched = [document.searched for document in documents]
    texts = lexical_ranking(searched, sample)
    near = [meaningful(cosines.get(document.catalog_id, -1.0)) for document in documents]
    words = texts.scores(query.text)
    titles = title_shares(
        query.text, [document.title for document in documents], [document.title for document in sampled]
    )
    near_passages = [meaningful(passage.cosine) for passage in passages]
    # Those after the near ones were found by words, and may be others on another engine.
    sample = lexical_ranking([passage.text for passage in passages if passage.is_near])
    passage_texts = [passage.text for passage in passages]
    texts_of_passages = lexical_ranking(passage_texts, sample)
    words_of_passages = texts_of_passages.scores(query.text)
    owners = [passage.owner for passage in passages]
    ids = [document.catalog_id for document in documents]
    columns = {
        "vector": of_two_texts(ids, near, owners, near_passages),
        "bm25": of_two_texts(ids, words, owners, words_of_passages),
        "title": titles,
        "wordnet": query.synonym_shares(texts),
    }
    # A near text and a word in another text are not evidence together.
    own = evidence_for(query, searched, near, words, titles)
    shown = of_two_texts(ids, own, owners, evidence_for(query, passage_texts, near_passages, words_of_passages))
    # A passage with every word of the question is enough: the word of one paragraph is in no summary.
    telling = {owners[place] for place in query.wholly_in(texts_of_passages)}
    shown = [max(each, CLEAR) if id_ in telling else each for id_, each in zip(ids, shown, strict=True)]
    evident = [place for place, each in enumerate(shown) if each >= 1] if is_clear(shown) else []
    return _ComparedDocuments(columns, evident, query.expanded_terms(texts))


def _ranking(
    query: Query,
    compared: _ComparedDocuments,
    evident: Sequence[DocumentEntry],
    salience: Mapping[int, Mapping[int, float]],
    scaling: Scaling,
) -> DocumentRanking:
    """Rank the evident documents; only their concepts are compared with the question's."""
    concept = [0.0] * len(compared.columns["vector"])
    for place, document in zip(compared.evident, evident, strict=True):
        concept[place] = query.covered_share(salience.get(document.catalog_id, {}))
    columns = {**compared.columns, "concept": concept}
    ranked = rank(evident, columns, CATALOG_WEIGHTS, key=_order, scaling=scaling, places=compared.evident)
    return DocumentRanking(ranked, compared.expanded_terms)


def _order(document: DocumentEntry) -> tuple[str, int]:
    return document.title.casefold(), document.catalog_id


async def nearest_documents(library: Library, text: str, vector: "Vector") -> NearDocuments:
    """Return the expanded question and its candidates: thirty documents by vector and thirty by words. Raises `ToolError`."""
    found = await find(library, text, vector, CATALOG_TEXTS)
    cosines = found.cosines
    near = found.by_vector[:CANDIDATES]
    read = dict.fromkeys(hit.id for hit in (*near, *found.by_words))
    store = await library.vectors()
    with library.searching("Reading what was found"):
        records = await store.vectors.get(CATALOG_TEXTS, [*read])
    sample = sample_of(near, records)
    choose = partial(best_by_words, found.words, found.by_words, records, sample)
    worded = await run_cpu(choose, size=THREAD_FROM)
    kept = candidates_of(list(dict.fromkeys((*(hit.id for hit in near), *worded))), records, cosines, vector)
    sampled = frozenset(number_in(id_) for id_ in (*(hit.id for hit in near), *worded[:SAMPLED_HITS]))
    return NearDocuments(found.query, {number_in(each.record.id): each.cosine for each in kept}, sampled)


async def nearest_chunks(library: Library, text: str, vector: "Vector") -> Sequence[Candidate]:
    """Return the chunks nearest to a question, from the bodies of all documents. Raises `ToolError`.

    If none of them has every word of a short question, chunks that have them follow.
    """
    store = (await library.vectors()).vectors
    query = Query(without_contractions(text), vector)
    with library.searching("Searching the chunks"):
        hits = await library.nearest(CHUNKS, vector, CANDIDATES + EXTRA_HITS, where=BODY)
        cosines = {hit.id: hit.score for hit in hits}
        records = await store.get(CHUNKS, [*cosines])
    found = candidates_of([*cosines], records, cosines, vector)
    near = [replace(each, near_rank=rank) for rank, each in enumerate(found)]
    is_short = await run_cpu(lambda: query.is_short, size=len(text) // CHARACTERS)
    if not is_short or await run_cpu(partial(_whole, query, near), size=THREAD_FROM):
        return near
    common = await library.common_words()
    words = await run_cpu(partial(query.keywords, common), size=len(text) // CHARACTERS)
    with library.searching("Searching the words of chunks"):
        ids = [hit.id for hit in await store.keyword(CHUNKS, words, KEYWORD_HITS, where=BODY)]
        others = [id_ for id_ in ids if id_ not in cosines]
        worded = candidates_of(others, await store.get(CHUNKS, others), {}, vector)
    return [*near, *await run_cpu(partial(_whole, query, worded), size=THREAD_FROM)]


def _whole(query: Query, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the chunks that have every word of a question."""
    places = query.wholly_in(lexical_ranking([each.record.text for each in found]))
    return [found[place] for place in sorted(places)]


def of_two_texts(
    ids: Sequence[int], own: Sequence[float], owners: Sequence[int], of_passages: Sequence[float]
) -> list[float]:
    """Return for each document the value of its own text, or the mean of its best two texts if that is higher.

    `own` has a value for each of `ids`, and `of_passages` for each passage, whose document is in `owners`. A single
    passage often matches only because of where it begins and ends.
    """
    texts: dict[int, list[float]] = {id_: [value] for id_, value in zip(ids, own, strict=True)}
    for owner, value in zip(owners, of_passages, strict=True):
        texts[owner].append(value)
    return [max(texts[id_][0], sum(nlargest(2, texts[id_])) / 2) for id_ in ids]


async def _salience(library: Library, query: Query, documents: Collection[int]) -> Mapping[int, Mapping[int, float]]:
    """Return the salience of each concept of the question in each document that mentions it."""
    concepts = [concept.id for concept in query.concepts[:MAX_CONCEPTS]]
    found: dict[int, dict[int, float]] = {}
    for mention in await library.mentions((catalog, concept) for catalog in documents for concept in concepts):
        found.setdefault(mention.catalog_id, {})[mention.concept_id] = mention.score
    return found


def title_shares(text: str, titles: Sequence[str], sample: Sequence[str] = ()) -> list[float]:
    """Return the overlap of each title with a question, 0 to 1; by default the titles themselves are the sample.

    It is 1 for a title with every word of the question, and for one of at least two words that are all in the question.
    """
    asked = set(terms(text))
    ranking = lexical_ranking(titles, lexical_ranking(sample))
    named = (len(title.counts.keys() & asked) / max(_TITLE_WORDS, len(title.counts)) for title in ranking.texts)
    return [max(score, share) for score, share in zip(ranking.scores(text), named, strict=True)]
