"""Search for chunks in all documents or in one."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from backends.ports.filters import Eq, Filter
from toolsets.bm25 import lexical_ranking
from toolsets.concept_rag.entries import DocumentEntry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import CHUNKS
from toolsets.concept_rag.search.query import Query
from toolsets.concept_rag.search.retrieval import Candidate, best_of_each, both, concept_cosines, retrieve
from toolsets.concept_rag.search.scores import (
    CHUNK_WEIGHTS,
    SCALING,
    SYNONYM_POWER,
    Ranked,
    Scaling,
    evidence,
    is_clear,
    meaningful,
    rank,
    scaled,
)
from toolsets.concurrency import THREAD_FROM, run_cpu

BODY: Final[Filter] = Eq("kind", "body")
"""The filter of searches over all documents: excludes contents, references, front matter and back matter."""


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

    Documents that are not completely indexed are left out. Raises `ToolError`.
    """
    where = BODY if within is None else Eq("token", within.token)
    vector = await library.embed(text)
    query, candidates = await retrieve(library, text, vector, CHUNKS, where)
    asked = {concept for each in candidates for concept in each.concepts[:DENSEST]}
    (owners, complete), cosines = await both(
        partial(_owners, library, candidates, within), partial(concept_cosines, library, vector, asked)
    )
    current = [each for each in candidates if _is_current(each, owners)]
    kept = best_of_each([each for each in current if each.text("token") in complete])
    return await run_cpu(
        partial(_ranking, query, kept, owners, cosines, scaling, of_one=within is not None), size=THREAD_FROM
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


def _ranking(
    query: Query,
    candidates: Sequence[Candidate],
    owners: Mapping[int, DocumentEntry],
    cosines: Mapping[int, float],
    scaling: Scaling,
    *,
    of_one: bool,
) -> ChunkRanking:
    texts = lexical_ranking([candidate.record.text for candidate in candidates])
    columns = {
        "vector": [meaningful(candidate.cosine) for candidate in candidates],
        "bm25": texts.scores(query.text),
        # A chunk whose text is unrelated to the question gains nothing from a concept that may be related.
        "concept": [
            query.concept_share(candidate.concepts, cosines if meaningful(candidate.cosine) else {})
            for candidate in candidates
        ],
    }
    # Nor does it gain from a synonym, which may have another sense there.
    near = scaled(columns["vector"], "best_match")
    columns["wordnet"] = [
        share**SYNONYM_POWER * cosine for share, cosine in zip(query.synonym_shares(texts), near, strict=True)
    ]
    chunks = [_found(candidate, owners[candidate.number("catalog")]) for candidate in candidates]
    found = evidence(columns["vector"], columns["bm25"])
    # If a document has an answer, its other near chunks are returned as well.
    evident = [is_clear(found) and (of_one or each >= 1) for each in found]
    ranked = rank(chunks, columns, CHUNK_WEIGHTS, key=_order, scaling=scaling, evident=evident)
    return ChunkRanking(ranked, query.expanded_terms(texts))


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
