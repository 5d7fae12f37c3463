"""Search for chunks in all documents or in one."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends.ports.filters import Eq, Filter
from toolsets.concept_rag.entries import DocumentEntry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.search.query import CHARACTERS, Query
from toolsets.concept_rag.search.retrieval import Candidate, Retrieved, best_of_each, concept_cosines, retrieve
from toolsets.concept_rag.search.scores import (
    CANDIDATES,
    CHUNK_WEIGHTS,
    SCALING,
    SYNONYM_POWER,
    Ranked,
    Scaling,
    is_clear,
    meaningful,
    rank,
    scaled,
)
from toolsets.concept_rag.search.scripts import evidence_for
from toolsets.concurrency import THREAD_FROM, run_cpu
from toolsets.lexical_scores import CountedText, counted_text, lexical_ranking

BODY: Final[Filter] = Eq("kind", "body")
"""The filter of searches over all documents: excludes contents, references, front matter and back matter."""


NEARLY_EQUAL: Final = 0.85
"""The least share of words that two chunks have in common, of all words of both, for the second not to be returned. The
overlays of a slide share .87 or more."""
DENSEST: Final = 8
"""The number of a chunk's concepts that are compared with the question."""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk of a result, with its document."""

    document: DocumentEntry
    text: str
    page: int
    last_page: int
    ordinal: int
    concepts: tuple[int, ...]
    """Ids, densest first."""


@dataclass(frozen=True, slots=True)
class ChunkRanking:
    """Chunks by score, best first, and the terms that expanded the question."""

    ranked: Sequence[Ranked[FoundChunk]]
    expanded_terms: Sequence[str]


async def search_chunks(
    library: Library, text: str, within: DocumentEntry | None = None, *, scaling: Scaling = SCALING
) -> ChunkRanking:
    """Return the chunks that match a question, from the bodies of all documents or from one whole document.

    Of nearly equal chunks of a document, only the best is returned.
    Documents that are not completely indexed are left out. Raises `ToolError`.
    """
    where = BODY if within is None else Eq("token", within.token)
    vector = await library.embed(text)
    retrieved = await retrieve(library, text, vector, where)
    query, candidates = retrieved.query, retrieved.candidates
    owners, complete = await _owners(library, candidates, within)
    current = [each for each in candidates if _is_current(each, owners)]
    kept = best_of_each([each for each in current if each.text("token") in complete])
    compared = await run_cpu(partial(_compared, retrieved, kept, of_one=within is not None), size=THREAD_FROM)
    evident = [kept[place] for place in compared.evident]
    cosines = await concept_cosines(library, vector, _asked(candidates, evident))
    return await run_cpu(
        partial(_ranking, query, compared, evident, owners, cosines, scaling), size=len(text) // CHARACTERS
    )


async def _owners(
    library: Library, candidates: Sequence[Candidate], within: DocumentEntry | None
) -> tuple[Mapping[int, DocumentEntry], Collection[str]]:
    """Return the documents of the candidates, or the one searched, and the tokens of those that are completely indexed."""
    ids = {candidate.number("catalog") for candidate in candidates}
    if within is None:
        return await library.live_documents(ids, ids)
    return {within.catalog_id: within}, await library.complete((within,) if ids else ())


def _is_current(candidate: Candidate, owners: Mapping[int, DocumentEntry]) -> bool:
    """Return whether a chunk belongs to the current version of its document."""
    owner = owners.get(candidate.number("catalog"))
    return owner is not None and owner.token == candidate.text("token")


@dataclass(frozen=True, slots=True)
class _ComparedChunks:
    """Candidates compared with a question by their own texts."""

    columns: Mapping[str, Sequence[float]]
    """The components of the score, but for the concepts."""
    evident: Sequence[int]
    """The places of the candidates that have enough evidence."""
    expanded_terms: Sequence[str]


def _compared(retrieved: Retrieved, candidates: Sequence[Candidate], *, of_one: bool) -> _ComparedChunks:
    query = retrieved.query
    written = [candidate.record.text for candidate in candidates]
    texts = lexical_ranking(written, retrieved.sample)
    vector = [meaningful(candidate.cosine) for candidate in candidates]
    words = texts.scores(query.text)
    # A chunk whose text is unrelated to the question gains nothing from a synonym, which may have another sense there.
    near = scaled(vector, "best_match")
    synonyms = [share**SYNONYM_POWER * cosine for share, cosine in zip(query.synonym_shares(texts), near, strict=True)]
    found = evidence_for(query, written, vector, words, whole=query.wholly_in(texts))
    # If a document has an answer, its other near chunks are returned as well.
    evident = [place for place, each in enumerate(found) if of_one or each >= 1] if is_clear(found) else []
    return _ComparedChunks({"vector": vector, "bm25": words, "wordnet": synonyms}, evident, query.expanded_terms(texts))


def _asked(candidates: Sequence[Candidate], evident: Sequence[Candidate]) -> set[int]:
    """Return the concepts to compare with the question: the densest ones of all candidates, where an evident one has them."""
    densest = {concept for each in candidates for concept in each.texts("concepts")[:DENSEST]}
    return {int(concept) for each in evident for concept in each.texts("concepts") if concept in densest}


def _ranking(
    query: Query,
    compared: _ComparedChunks,
    evident: Sequence[Candidate],
    owners: Mapping[int, DocumentEntry],
    cosines: Mapping[int, float],
    scaling: Scaling,
) -> ChunkRanking:
    """Rank the evident candidates; only their concepts are compared with the question's."""
    chunks = [_found(candidate, owners[candidate.number("catalog")]) for candidate in evident]
    concept = [0.0] * len(compared.columns["vector"])
    for place, candidate, chunk in zip(compared.evident, evident, chunks, strict=True):
        # Nor does such a chunk gain from a concept that may be related.
        concept[place] = query.concept_share(chunk.concepts, cosines if meaningful(candidate.cosine) else {})
    columns = {**compared.columns, "concept": concept}
    ranked = rank(chunks, columns, CHUNK_WEIGHTS, key=_order, scaling=scaling, places=compared.evident)
    return ChunkRanking(_distinct(ranked), compared.expanded_terms)


def _distinct(ranked: Sequence[Ranked[FoundChunk]]) -> Sequence[Ranked[FoundChunk]]:
    """Return a ranking without the chunks that nearly equal a better one of their document, such as overlays of a slide.

    The places that no tool shows, after the first 30, are not checked.
    """
    kept: list[Ranked[FoundChunk]] = []
    counted: defaultdict[int, list[CountedText]] = defaultdict(list)
    for place, each in enumerate(ranked):
        if len(kept) == CANDIDATES:
            return [*kept, *ranked[place:]]
        text, better = counted_text(each.item.text), counted[each.item.document.catalog_id]
        if not any(_share_in_common(text, other) >= NEARLY_EQUAL for other in better):
            kept.append(each)
            better.append(text)
    return kept


def _share_in_common(one: CountedText, other: CountedText) -> float:
    """Return the share of words in both texts, of all words of both; 0 for texts of very different vocabulary."""
    both = one.counts.keys() & other.counts.keys()
    if len(both) < NEARLY_EQUAL / 2 * max(len(one.counts), len(other.counts)):
        return 0.0
    shared = sum(min(one.counts[word], other.counts[word]) for word in both)
    return shared / max(1, one.length + other.length - shared)


def _order(chunk: FoundChunk) -> tuple[str, int]:
    return chunk.document.title.casefold(), chunk.ordinal


def _found(candidate: Candidate, document: DocumentEntry) -> FoundChunk:
    return FoundChunk(
        document,
        candidate.record.text,
        candidate.number("page"),
        candidate.number("last_page"),
        candidate.number("ordinal"),
        candidate.concepts,
    )
