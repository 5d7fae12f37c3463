"""How well questions are answered: by vectors alone, by words alone, and by the documented weights, scaled in two ways.

An answer is a passage that lies on a page which answers the question (hit@5), or the document (hit@3).
"""

import asyncio
import random
import shutil
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, get_args

from backends.ports.vectors import Hit
from backends.stores import OpenStores
from config.sources import load
from gateway.assignment import assignments
from tests.bench.library.books import Question, books, fetch
from toolsets.clock import system_now
from toolsets.concept_rag.entries import DocumentEntry, document_entry
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.projections import CATALOG_TEXTS, CHUNKS
from toolsets.concept_rag.projections import DOCUMENT as DOCUMENT_NODE
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.search.chunks import BODY, FoundChunk, search_chunks
from toolsets.concept_rag.search.documents import search_documents
from toolsets.concept_rag.search.scores import (
    CANDIDATES,
    CATALOG_WEIGHTS,
    CHUNK_WEIGHTS,
    MAX_DOCUMENTS,
    Ranked,
    Scaling,
    Weights,
    leading,
    rank,
)
from toolsets.concept_rag.streams import TOOLSET
from toolsets.spec import Services

GAPS = (1.0, 0.25, 0.2, 0.15, 0.125, 0.1, 0.08, 0.06, 0.04, 0.02, 0.01)
"""Thresholds of the cut; with 1 nothing is cut."""
PASSAGES = 5
DOCUMENTS = 3
ItemT = TypeVar("ItemT")


@asynccontextmanager
async def opened(data: Path) -> AsyncGenerator[Library]:
    """Open the library in a data directory, as a server of the default profile does."""
    settings = load({"profile": "embedded", "data_dir": str(data)}).settings
    [assigned] = assignments(settings, [TOOLSET])
    stores = OpenStores(settings.stores, data)
    model = assigned.toolset.settings()
    rag = ConceptRag(Services(stores.stores(**assigned.stores), system_now, random.Random(1), model, data / TOOLSET))
    try:
        yield Library(rag)
    finally:
        await rag.sourced.release()
        await stores.close()


async def ingested(keep: Path, kind: str) -> Path:
    """Return the data directory of the library, the books as PDF files or, with `epub`, as EPUBs where there are any."""
    data, folder = keep / f"data-{kind}", keep / kind
    files = fetch(keep)
    folder.mkdir(exist_ok=True)
    for book in books():
        chosen = files[f"{book.name}.epub"] if kind == "epub" and book.epub else files[book.name]
        shutil.copy(chosen, folder / f"{book.name}{chosen.suffix}")
    words = ("-P", "-m", "gateway.cli.main", "ingest", str(folder), "--data-dir", str(data))
    run = await asyncio.create_subprocess_exec(sys.executable, *words)
    assert await run.wait() == 0
    return data


@dataclass(frozen=True)
class Outcome(Generic[ItemT]):
    """What was found for a question, best first; `ranked` are the candidates with components that were not scaled."""

    question: Question
    dense: Sequence[bool]
    keyword: Sequence[bool]
    """Whether each place of the plain rankings answers it."""
    ranked: Sequence[Ranked[ItemT]]


@dataclass(frozen=True)
class Measure(Generic[ItemT]):
    """How outcomes are scored: the weights, how many places count, what an answer is, and how ties are ordered."""

    title: str
    places: int
    weights: Weights
    answers: Callable[[Question, ItemT], bool]
    key: Callable[[ItemT], tuple[str, int]]
    limit: int

    def hits(self, outcomes: Sequence[Outcome[ItemT]], scaling: Scaling, gap: float) -> tuple[float, float, float]:
        """Return the share of questions answered among the counted places, that at the first, and the mean length."""
        found = first = length = 0
        for outcome in outcomes:
            kept = leading(self.ranked(outcome, scaling), self.limit, gap=gap)
            right = [self.answers(outcome.question, each.item) for each in kept]
            found, first, length = found + any(right[: self.places]), first + any(right[:1]), length + len(kept)
        return found / len(outcomes), first / len(outcomes), length / len(outcomes)

    def ranked(self, outcome: Outcome[ItemT], scaling: Scaling) -> Sequence[Ranked[ItemT]]:
        """Return the candidates in the order of a scaling."""
        columns = {name: [each.components[name] for each in outcome.ranked] for name in self.weights}
        items = [each.item for each in outcome.ranked]
        return rank(items, columns, self.weights, key=self.key, scaling=scaling)

    def table(self, outcomes: Sequence[Outcome[ItemT]]) -> str:
        """Return the table in Markdown."""
        lines = [f"| {self.title} | hit@{self.places} | hit@1 | results |", "|---|---|---|---|"]
        for name, plain in (("vectors alone", "dense"), ("words alone", "keyword")):
            places: Sequence[Sequence[bool]] = [getattr(outcome, plain) for outcome in outcomes]
            at, one = (sum(any(each[:size]) for each in places) / len(places) for size in (self.places, 1))
            lines.append(f"| {name} | {at:.3f} | {one:.3f} | |")
        scalings: tuple[Scaling, ...] = get_args(Scaling)
        for scaling in scalings:
            for gap in GAPS:
                at, one, length = self.hits(outcomes, scaling, gap)
                cut = "not cut" if gap >= 1 else f"cut at gaps from {gap}"
                lines.append(f"| {scaling}, {cut} | {at:.3f} | {one:.3f} | {length:.1f} |")
        return "\n".join(lines)


def name_of(document: DocumentEntry) -> str:
    """Return the book that a document is."""
    return Path(document.path).stem


PASSAGE: Measure[FoundChunk] = Measure(
    "broad_chunks_search",
    PASSAGES,
    CHUNK_WEIGHTS,
    lambda question, chunk: question.is_answered(name_of(chunk.document), range(chunk.page, chunk.last_page + 1)),
    lambda chunk: (chunk.document.title.casefold(), chunk.ordinal),
    CANDIDATES,
)
DOCUMENT: Measure[DocumentEntry] = Measure(
    "catalog_search",
    DOCUMENTS,
    CATALOG_WEIGHTS,
    lambda question, document: question.is_about(name_of(document)),
    lambda document: (document.title.casefold(), document.catalog_id),
    MAX_DOCUMENTS,
)


async def passages(library: Library, asked: Sequence[Question]) -> Sequence[Outcome[FoundChunk]]:
    """Ask for passages."""
    documents = await _documents(library)
    outcomes: list[Outcome[FoundChunk]] = []
    for question in asked:
        ranking = await search_chunks(library, question.ask, scaling="full_match")

        def right(hit: Hit, places: Mapping[str, tuple[str, int, int]], question: Question = question) -> bool:
            document, page, last = places[hit.id]
            return question.is_answered(document, range(page, last + 1))

        dense, keyword = await _plain(library, question.ask, CHUNKS)
        store = (await library.vectors()).vectors
        records = await store.get(CHUNKS, [hit.id for hit in (*dense, *keyword)])
        places = {
            str(id_): (
                documents[int(str(each.fields["catalog"]))],
                int(str(each.fields["page"])),
                int(str(each.fields["last_page"])),
            )
            for id_, each in records.items()
        }
        near, worded = ([right(hit, places) for hit in hits] for hits in (dense, keyword))
        outcomes.append(Outcome(question, near, worded, ranking.ranked))
    return outcomes


async def catalog(library: Library, asked: Sequence[Question]) -> Sequence[Outcome[DocumentEntry]]:
    """Ask for documents."""
    documents = await _documents(library)
    outcomes: list[Outcome[DocumentEntry]] = []
    for question in asked:
        ranking = await search_documents(library, question.ask, scaling="full_match")
        found = await _plain(library, question.ask, CATALOG_TEXTS)
        near, worded = ([question.is_about(documents[int(hit.id[1:])]) for hit in hits] for hits in found)
        outcomes.append(Outcome(question, near, worded, ranking.ranked))
    return outcomes


async def _documents(library: Library) -> Mapping[int, str]:
    entries = [document_entry(node) async for node in library.found(DOCUMENT_NODE, None)]
    return {entry.catalog_id: name_of(entry) for entry in entries}


async def _plain(library: Library, text: str, collection: str) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Return the best by vector and the best by words."""
    store = (await library.vectors()).vectors
    where = BODY if collection == CHUNKS else None
    dense = await store.dense(collection, await library.embed(text), PASSAGES, where=where)
    return dense, await store.keyword(collection, text, PASSAGES, where=where)


async def answered(library: Library, asked: Sequence[str]) -> Sequence[str]:
    """Return how many questions about nothing have an answer nevertheless, and those that have."""
    chunks = {text: (await search_chunks(library, text)).ranked[:1] for text in asked}
    documents = {text: (await search_documents(library, text)).ranked[:1] for text in asked}
    found = [
        *(f"{text}: {top.item.text[:80]!r}" for text, best in chunks.items() for top in best),
        *(f"{text}: {name_of(top.item)}" for text, best in documents.items() for top in best),
    ]
    counts = [sum(map(bool, some.values())) for some in (chunks, documents)]
    return [f"of {len(asked)} about nothing, passages answer {counts[0]} and documents {counts[1]}", *found]


async def twins(pdf: Library, epub: Library, asked: Sequence[Question]) -> Sequence[str]:
    """Return the questions to which the library of PDF files and that of EPUBs give another first document."""
    doubled = {book.name for book in books() if book.epub}
    differing: list[str] = []
    for question in asked:
        if question.document in doubled:
            tops = [(await search_documents(each, question.ask)).ranked[:1] for each in (pdf, epub)]
            names = [name_of(top[0].item) if top else "nothing" for top in tops]
            chunks = [(await search_chunks(each, question.ask)).ranked[:1] for each in (pdf, epub)]
            owners = [name_of(top[0].item.document) if top else "nothing" for top in chunks]
            if names[0] != names[1] or owners[0] != owners[1]:
                differing.append(f"{question.ask}: documents {names}, passages {owners}")
    return differing
