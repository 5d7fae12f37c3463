"""A session of 80 questions to the library of the suite."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from backends.ports.values import Json, JsonObject
from contracts.corpus import HOSTILE_TEXTS
from contracts.sessions import Session, SessionStep, step
from contracts.tools.concept_rag.library import SEA, STARS, TITLES, write
from toolsets.concept_rag.commands.ingest import projecting
from toolsets.concept_rag.pipeline.report import FileReport
from toolsets.concept_rag.pipeline.run import Ingestion, RunOptions
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.spec import RunningToolset

CALLS = 80

QUESTIONS = (
    "how do I catch a swarm of honey bees",
    "why does dough rise",
    "a diode across the coil",
    "finding a position by the stars",
    "when is the water in the harbour low",
    "barrels of herring and sacks of malt",
    "which bread is baked on a stone",
    "solder that does not flow",
    "parliamentary elections of 1848",
)
CONCEPTS = ("bread", "Relay", "tide tables", "honey bee", "harbour master", "yeast", "star", "electrolytic capacitors")
CATEGORIES = ("Cooking", "gardening", "Astronavigation", SEA, STARS, "Compilers", "no such category")
TYPES = ("diagram", "flowchart", "chart", "table", "figure")


@dataclass
class _Reader:
    """Who asks, and the documents and visuals that were found so far."""

    rng: random.Random
    documents: list[int] = field(default_factory=list[int])
    visuals: list[int] = field(default_factory=list[int])

    def learn(self, reply: JsonObject) -> None:
        """Remember the ids in a reply."""
        for row in _rows(reply.get("result")):
            self._keep(self.documents, row.get("catalog_id"))
        for row in _rows(reply.get("visuals")):
            self._keep(self.visuals, row.get("id"))

    def _keep(self, numbers: list[int], number: Json) -> None:
        if isinstance(number, int) and number not in numbers:
            numbers.append(number)


def _rows(value: Json) -> Sequence[JsonObject]:
    rows = cast("Sequence[Json]", value) if isinstance(value, list) else ()
    return [row for row in rows if isinstance(row, dict)]


def script(rng: random.Random) -> Generator[SessionStep, JsonObject, None]:
    """Yield the calls; the tools take turns."""
    reader = _Reader(rng)
    makers = (_catalog, _broad, _within, _concept, _extract, _sources, _category, _listed, _visuals, _guidance)
    for number in range(CALLS):
        reader.learn((yield makers[number % len(makers)](reader)))


def _catalog(reader: _Reader) -> SessionStep:
    texts = (*QUESTIONS, *sorted(TITLES), HOSTILE_TEXTS[reader.rng.randrange(8)])
    return step("catalog_search", {"text": reader.rng.choice(texts)})


def _broad(reader: _Reader) -> SessionStep:
    return step("broad_chunks_search", {"text": reader.rng.choice((*QUESTIONS, *CONCEPTS))})


def _within(reader: _Reader) -> SessionStep:
    document = reader.rng.choice([*reader.documents, 1])
    return step("chunks_search", {"text": reader.rng.choice(QUESTIONS), "catalog_id": document})


def _concept(reader: _Reader) -> SessionStep:
    rng = reader.rng
    more: dict[str, Json] = {"title_filter": rng.choice(("the", "bread", "x y z"))} if rng.random() < 0.4 else {}
    return step("concept_search", {"concept": rng.choice((*CONCEPTS, "no such concept at all")), **more})


def _extract(reader: _Reader) -> SessionStep:
    query = reader.rng.choice((*QUESTIONS, *sorted(TITLES)))
    form = reader.rng.choice(("json", "markdown"))
    return step("extract_concepts", {"document_query": query, "format": form})


def _sources(reader: _Reader) -> SessionStep:
    concepts: list[Json] = [*reader.rng.sample(CONCEPTS, 2), "no such concept at all"]
    return step(reader.rng.choice(("source_concepts", "concept_sources")), {"concept": concepts})


def _category(reader: _Reader) -> SessionStep:
    children = reader.rng.random() < 0.5
    return step("category_search", {"category": reader.rng.choice(CATEGORIES), "includeChildren": children})


def _listed(reader: _Reader) -> SessionStep:
    rng = reader.rng
    if rng.random() < 0.5:
        sort = rng.choice(("name", "popularity", "documentCount"))
        return step("list_categories", {"sortBy": sort, "limit": rng.choice((3, 50))})
    sort = rng.choice(("name", "documentCount"))
    return step("list_concepts_in_category", {"category": rng.choice(CATEGORIES), "sortBy": sort, "limit": 8})


def _visuals(reader: _Reader) -> SessionStep:
    rng = reader.rng
    filters: Sequence[dict[str, Json]] = (
        {},
        {"visual_type": rng.choice(TYPES)},
        {"concept": rng.choice(CONCEPTS)},
        {"ids": [*reader.visuals[:2], 1], "limit": 2},
        {"catalog_id": rng.choice([*reader.documents, 1])},
    )
    return step("get_visuals", rng.choice(filters))


def _guidance(reader: _Reader) -> SessionStep:
    if reader.rng.random() < 0.3:
        return step("get_guidance", {"topic": "rules"})
    return step("broad_chunks_search", {"text": reader.rng.choice((" ", "x" * 20_000, QUESTIONS[0]))})


async def ingest(running: RunningToolset, data: Path) -> None:
    """Write the library into the data directory and ingest it."""
    folder = data / "documents"
    write(folder)
    await ingest_into(running, folder)


async def ingest_into(running: RunningToolset, folder: Path) -> None:
    """Ingest a folder."""
    [rag] = [each.obj for each in running.commands if each.command.name == "ingest"]
    assert isinstance(rag, ConceptRag)
    async with projecting(rag):
        await Ingestion(rag).run([folder], RunOptions(), _Silent())


class _Silent:
    """An observer that does nothing."""

    def started(self, files: int, size: int) -> None:
        """Do nothing."""

    def finished(self, report: FileReport, size: int) -> None:
        """Do nothing."""

    def working(self, path: str, done: int, chunks: int, size: int) -> None:
        """Do nothing."""


SESSION = Session("concept_rag", script, CALLS, prepare=ingest)
