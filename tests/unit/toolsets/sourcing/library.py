"""A small toolset for the tests of sourcing: books with a node, a summary, and an edge to another book."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.events import StreamName
from backends.ports.graph import Edge, KindSpec, Node
from backends.ports.values import EdgeId, FieldSpec, Json, NodeId, RecordId, Revision
from backends.stores import OpenStores
from toolsets.clock import system_now
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories, History, UnreadableEvent
from toolsets.sourcing.health import ProjectionCounts, event_counts, projection_counts
from toolsets.sourcing.projection import Collection, Passage, Projection, Projector, StreamKind
from toolsets.sourcing.sourced import SourcedStores
from toolsets.spec import CallContext, Services

BOOKS = "library/book/"
SEQUELS = "library/sequel/"
TITLED = "library.titled"
TITLES = "titles"


class NoSettings(BaseModel):
    """Nothing to set."""


def _book(stream: StreamName, history: History) -> Projection:
    book, rev = stream.removeprefix(BOOKS), Revision(len(history))
    if (unknown := next((event.type for event in history if event.type != TITLED), None)) is not None:
        raise UnreadableEvent(f"{unknown} is unknown")
    title = str(history[-1].data["title"])
    return Projection(
        stream,
        rev,
        nodes=(Node(NodeId(book), "book", {"title": title}, rev),),
        passages=(Passage(TITLES, RecordId(book), title),),
    )


def _sequel(stream: StreamName, history: History) -> Projection:
    """Project a stream that is named for the two books, as in `library/sequel/first>second`."""
    name, rev = stream.removeprefix(SEQUELS), Revision(len(history))
    first, _, second = name.partition(">")
    edge = Edge(EdgeId(name), NodeId(first), NodeId(second), "sequel", rev, 1.0)
    return Projection(stream, rev, edges=(edge,))


PROJECTOR = Projector(
    prefix="library/",
    namespace="library",
    kinds=(KindSpec("book", (FieldSpec("title", "str"),)),),
    collections=(Collection(TITLES),),
    streams=(StreamKind(BOOKS, _book, graph="node", collection=TITLES), StreamKind(SEQUELS, _sequel, graph="edge")),
)


class Library:
    """The toolset over its stores."""

    def __init__(self, stores: Stores, projector: Projector = PROJECTOR) -> None:
        # Without a seed: instances with equal ones give equal ids to their batches, and the log takes only the first.
        self.sourced = SourcedStores(Services(stores, system_now, random.Random(), NoSettings()), projector)

    async def title(self, book: str, title: str) -> bool:
        """Give a book a title; return whether every store has it."""
        return await self._record(StreamName(BOOKS + book), Fact(TITLED, {"title": title}))

    async def sequel(self, first: str, second: str) -> bool:
        """Note that a book continues another one; return whether every store has it."""
        return await self._record(StreamName(f"{SEQUELS}{first}>{second}"), Fact("library.sequel_noted", {}))

    async def _record(self, stream: StreamName, fact: Fact) -> bool:
        def decide(histories: Histories) -> Decision[None]:
            assert len(histories[stream]) >= 0
            return Decision(None, (Change(stream, (fact,)),))

        return (await self.sourced.writes.write(decide, CallContext("test"), streams=(stream,))).indexed

    async def titles(self) -> tuple[list[str], list[str]]:
        """Return the titles that graph and vectors show, each sorted."""
        graph = (await self.sourced.live_stores.graph()).graph
        vectors = (await self.sourced.live_stores.vectors()).vectors
        nodes = (await graph.find("book", limit=1_000)).items
        return (
            sorted(str(node.fields["title"]) for node in nodes),
            sorted(record.text for record in (await vectors.scan(TITLES)).items),
        )

    async def projection_counts(self) -> ProjectionCounts:
        """Return how many projections are pending, done and parked."""
        live = self.sourced.live_stores
        return await projection_counts(live, await event_counts(await live.log(), PROJECTOR))

    async def shows(self, *titles: str) -> bool:
        """Return whether both stores show exactly these titles, after catching up."""
        await self.sourced.relay.catch_up()
        return await self.titles() == (sorted(titles), sorted(titles))


@asynccontextmanager
async def library(
    log: Path, graph: Path, vectors: Path, *, projector: Projector = PROJECTOR, **options: Json
) -> AsyncGenerator[Library]:
    """Run the toolset with its log and stores in three directories; `options` are those of the two stores."""
    tables: dict[str, dict[str, Json]] = {
        "l": {"kind": "sqlite", "directory": str(log)},
        "g": {"kind": "sqlite", "directory": str(graph), **options},
        "v": {"kind": "sqlite", "directory": str(vectors), **options},
        "m": {"kind": "minilm"},
    }
    stores = OpenStores(tables, log)
    running = Library(stores.stores(graph="g", vectors="v", events="l", embedder="m"), projector)
    try:
        yield running
    finally:
        await running.sourced.release()
        await stores.close()


@asynccontextmanager
async def library_in(
    folder: Path, *, relay: bool = False, projector: Projector = PROJECTOR, **options: Json
) -> AsyncGenerator[Library]:
    """Run the toolset with its log and stores in one directory, with its relay in the background if asked for."""
    async with library(folder, folder, folder, projector=projector, **options) as running:
        task = asyncio.create_task(running.sourced.relay.run()) if relay else None
        try:
            yield running
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
