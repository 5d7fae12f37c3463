"""The concept_rag toolset on real engines, as one process has it."""

import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from backends.ports.adapter import Stores
from backends.ports.embedder import Embedder
from backends.ports.events import EventLog
from backends.ports.graph import Graph, Node
from backends.ports.language import LanguageModel
from backends.ports.values import Json, Micros, Namespace
from backends.ports.vectors import VectorRecord, Vectors
from backends.stores import OpenStores
from toolsets.clock import system_now
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.pipeline.report import FileReport, RunSummary
from toolsets.concept_rag.pipeline.run import BATCH, Ingestion, RunOptions
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.spec import Services

RELAY = "A relay is a switch that a small current operates. It keeps two circuits apart. "
"""The text of documents."""


@dataclass(frozen=True)
class SharedModel:
    """Stores of a test with the embedder of all tests, which remembers what it has embedded."""

    stores: Stores
    model: Embedder

    async def graph(self, namespace: Namespace) -> Graph:
        return await self.stores.graph(namespace)

    async def vectors(self, namespace: Namespace) -> Vectors:
        return await self.stores.vectors(namespace)

    async def events(self) -> EventLog:
        return await self.stores.events()

    async def embedder(self) -> Embedder:
        return self.model

    async def language(self) -> LanguageModel | None:
        return await self.stores.language()


@asynccontextmanager
async def toolset_in(
    directory: Path,
    settings: ConceptRagSettings | None = None,
    *,
    model: Embedder | None = None,
    chat: str | None = None,
    now: Callable[[], Micros] = system_now,
    **options: Json,
) -> AsyncGenerator[ConceptRag]:
    """Run the toolset with SQLite in a data directory, and with the language model at an address."""
    tables = {"db": {"kind": "sqlite", **options}, "model": {"kind": "minilm"}}
    if chat is not None:
        tables["chat"] = {"kind": "openai_compatible", "base_url": chat, "model": "m"}
    opened = OpenStores(tables, directory)
    language = None if chat is None else "chat"
    stores: Stores = opened.stores(graph="db", vectors="db", events="db", embedder="model", language=language)
    if model is not None:
        stores = SharedModel(stores, model)
    services = Services(stores, now, random.Random(), settings or ConceptRagSettings(), directory / "concept_rag")
    rag = ConceptRag(services)
    try:
        yield rag
    finally:
        await rag.sourced.release()
        await opened.close()


@dataclass
class Reports:
    """An observer that keeps what became of each file."""

    by_path: dict[str, FileReport] = field(default_factory=dict[str, FileReport])

    def started(self, files: int, size: int) -> None: ...

    def finished(self, report: FileReport, size: int) -> None:
        self.by_path[report.path] = report

    def working(self, path: str, done: int, chunks: int, size: int) -> None: ...

    def __getitem__(self, path: Path) -> FileReport:
        return self.by_path[str(path)]


async def ingest(
    rag: ConceptRag, pool: ParserPool, *paths: Path, prune: bool = False, dry_run: bool = False, batch: int = BATCH
) -> tuple[Reports, RunSummary]:
    """Ingest paths; return a report for each file and the sums."""
    reports = Reports()
    summary = await Ingestion(rag, pool=pool).run(paths, RunOptions(prune=prune, dry_run=dry_run, batch=batch), reports)
    return reports, summary


async def nodes(rag: ConceptRag, kind: str) -> Sequence[Node]:
    """Return the nodes of a kind, at most 1,000."""
    graph = (await rag.live_stores.graph()).graph
    return (await graph.find(kind, limit=1_000)).items


async def records(rag: ConceptRag, collection: str) -> Sequence[VectorRecord]:
    """Return the records of a collection, at most 1,000."""
    vectors = (await rag.live_stores.vectors()).vectors
    return (await vectors.scan(collection)).items


async def visible(rag: ConceptRag) -> dict[str, tuple[list[str], list[str]]]:
    """Return the paths and the chunks of each document by its title, as readers see them."""
    chunks = await records(rag, "chunks")
    return {
        str(node.fields["title"]): (
            list(cast("Sequence[str]", node.props["paths"])),
            [record.text for record in chunks if record.fields["token"] == node.fields["token"]],
        )
        for node in await nodes(rag, "document")
    }


def statuses(summary: RunSummary) -> dict[str, int]:
    """Return how many files have each status, of those that any file has."""
    return {status: count for status, count in summary.counts.items() if count}
