"""Retrieval: candidates for a question from vectors and words, each with its exact cosine."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, cast

import anyio

from backends.ports.filters import Filter
from backends.ports.values import RecordId
from backends.ports.vectors import Hit, VectorRecord
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import CHUNKS
from toolsets.concept_rag.search.expansion import expand_query
from toolsets.concept_rag.search.query import CHARACTERS, Query
from toolsets.concept_rag.search.scores import CANDIDATES
from toolsets.concurrency import THREAD_FROM, run_cpu
from toolsets.lexical_scores import LexicalRanking, lexical_ranking
from toolsets.spec import ToolError

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

OneT = TypeVar("OneT")
OtherT = TypeVar("OtherT")

EXTRA_HITS: Final = 10
"""Extra hits requested, because some hits belong to versions that no document uses."""
KEYWORD_HITS: Final = 120
"""The hits of keyword retrieval, of which the best are chosen by a ranking that does not depend on the engine."""
SAMPLED_HITS: Final = 20
"""The hits of keyword retrieval whose texts are in the sample. Every engine finds the best ones, and few the last of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A record that retrieval found."""

    record: VectorRecord
    cosine: float
    """The cosine of question and record, -1 to 1, also for a record found by words."""
    near_rank: int | None = None
    """Its rank among the vector hits, from 0; None if it is not among them."""
    word_rank: int | None = None

    def number(self, field: str) -> int:
        """Return the value of an integer field."""
        return int(cast("int", self.record.fields.get(field, 0)))

    def text(self, field: str) -> str:
        """Return the value of a text field, "" if it is missing."""
        return str(self.record.fields.get(field, ""))

    def texts(self, field: str) -> Sequence[str]:
        """Return the value of a field with several texts, empty if it is missing."""
        return cast("Sequence[str]", self.record.fields.get(field, ()))

    @property
    def concepts(self) -> tuple[int, ...]:
        """The ids of the concepts that a chunk names, densest first."""
        return tuple(map(int, self.texts("concepts")))


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalResult:
    """What was found for a question in a collection: about forty records by vector and 120 by words, best first."""

    query: Query
    """The question, expanded."""
    words: str
    """The words that were searched for."""
    by_vector: Sequence[Hit]
    by_words: Sequence[Hit]

    @property
    def cosines(self) -> dict[RecordId, float]:
        """The cosines of the records found by vector."""
        return {hit.id: hit.score for hit in self.by_vector}


async def find(
    library: Library, text: str, vector: "Vector", collection: str, where: Filter | None = None
) -> RetrievalResult:
    """Search a collection by vector and by the words of the expanded question. Raises `ToolError` if the store fails."""
    store = await library.vectors()

    async def dense() -> Sequence[Hit]:
        with library.searching("Searching the vectors"):
            return await library.nearest(collection, vector, CANDIDATES + EXTRA_HITS, where=where)

    async def keyword() -> tuple[Query, str, Sequence[Hit]]:
        query = await expand_query(library, text, vector)
        common: Mapping[str, float] = await library.common_words() if collection == CHUNKS else {}
        words = await run_cpu(partial(query.keywords, common), size=len(text) // CHARACTERS)
        with library.searching("Searching the words"):
            return query, words, await store.vectors.keyword(collection, words, KEYWORD_HITS, where=where)

    by_vector, (query, words, by_words) = await both(dense, keyword)
    return RetrievalResult(query, words, by_vector, by_words)


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """What was retrieved for a question; it does not depend on the engine."""

    query: Query
    """The question, expanded."""
    candidates: Sequence[Candidate]
    """About forty by vector, nearest first, then about forty by words."""
    sample: LexicalRanking
    """The statistics for ranking the candidates: of those by vector, and of the best by words."""


async def retrieve(library: Library, text: str, vector: "Vector", where: Filter | None = None) -> Retrieved:
    """Return the expanded question and its candidates among the chunks. Raises `ToolError` if the vector store fails."""
    found = await find(library, text, vector, CHUNKS, where)
    cosines = found.cosines
    store = await library.vectors()
    with library.searching("Reading what was found"):
        records = await store.vectors.get(CHUNKS, list(dict.fromkeys((*cosines, *(hit.id for hit in found.by_words)))))
    sample = await library.sampled_chunks()
    if not sample.texts:
        sample = sample_of(found.by_vector, records)
    choose = partial(best_by_words, found.words, found.by_words, records, sample, CANDIDATES + EXTRA_HITS)
    near_ranks = {hit.id: rank for rank, hit in enumerate(found.by_vector)}
    word_ranks = {id_: rank for rank, id_ in enumerate(await run_cpu(choose, size=THREAD_FROM))}
    ids = list(dict.fromkeys((*cosines, *word_ranks)))
    candidates = [
        Candidate(each.record, each.cosine, near_ranks.get(each.record.id), word_ranks.get(each.record.id))
        for each in candidates_of(ids, records, cosines, vector)
    ]
    sampled = [each for each in candidates if each.near_rank is not None or (each.word_rank or 0) < SAMPLED_HITS]
    return Retrieved(found.query, candidates, lexical_ranking([each.record.text for each in sampled]))


def sample_of(hits: Iterable[Hit], records: Mapping[RecordId, VectorRecord]) -> LexicalRanking:
    """Return the statistics of the texts of some hits."""
    return lexical_ranking([records[hit.id].text for hit in hits if hit.id in records])


def best_by_words(
    words: str,
    hits: Iterable[Hit],
    records: Mapping[RecordId, VectorRecord],
    sample: LexicalRanking,
    limit: int = CANDIDATES,
) -> Sequence[RecordId]:
    """Return the best of the hits of keyword retrieval by the statistics of a sample, ties by id, at most `limit`.

    Engines count words and lengths differently, so that they agree on the best of their hits, and not on the last.
    """
    ids = [hit.id for hit in hits if hit.id in records]
    scores = lexical_ranking([records[id_].text for id_ in ids], sample).scores(words)
    ranked = sorted(zip(ids, scores, strict=True), key=lambda each: (-each[1], each[0]))
    return [id_ for id_, _ in ranked[:limit]]


def best_of_each(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the first 30 candidates by vector and the first 30 by words, in the order given."""
    near = {*sorted(each.near_rank for each in candidates if each.near_rank is not None)[:CANDIDATES]}
    words = {*sorted(each.word_rank for each in candidates if each.word_rank is not None)[:CANDIDATES]}
    return [each for each in candidates if each.near_rank in near or each.word_rank in words]


async def both(one: Callable[[], Awaitable[OneT]], other: Callable[[], Awaitable[OtherT]]) -> tuple[OneT, OtherT]:
    """Run two calls concurrently and return both results. Raises the first `ToolError`, and cancels the other call."""
    ones: list[OneT] = []
    others: list[OtherT] = []
    failures: list[ToolError] = []

    async def run(call: Callable[[], Awaitable[None]]) -> None:
        try:
            await call()
        except ToolError as error:
            failures.append(error)
            group.cancel_scope.cancel()

    async def first() -> None:
        ones.append(await one())

    async def second() -> None:
        others.append(await other())

    async with anyio.create_task_group() as group:
        group.start_soon(run, first)
        group.start_soon(run, second)
    if failures:
        raise failures[0]
    return ones[0], others[0]


async def concept_cosines(library: Library, vector: "Vector", concepts: Iterable[int]) -> Mapping[int, float]:
    """Return the cosine between a question and the name and gloss of each concept; unknown concepts are left out.

    Raises `ToolError` if the vector store fails.
    """
    vectors = await library.concept_vectors(frozenset(concepts))
    return {concept: float(each @ vector) for concept, each in vectors.items()}


def candidates_of(
    ids: Sequence[RecordId],
    records: Mapping[RecordId, VectorRecord],
    cosines: Mapping[RecordId, float],
    vector: "Vector",
) -> list[Candidate]:
    """Return the records that still exist, in the order of `ids`; missing cosines are computed."""
    return [
        Candidate(record, cosines[id_] if id_ in cosines else float(record.vector @ vector))
        for id_ in ids
        if (record := records.get(id_)) is not None
    ]
