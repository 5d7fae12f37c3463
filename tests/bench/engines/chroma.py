"""Chroma's own client over the records that the port holds, in a folder or on a server."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

import chromadb
import numpy
from chromadb.config import Settings

from backends.engines.chroma.adapter import ADAPTER
from backends.engines.chroma.embedded import WRITTEN_AT_ONCE as EMBEDDED
from backends.engines.chroma.server import WRITTEN_AT_ONCE as SERVER
from backends.ports.ids import namespace
from backends.ports.values import Fields, RecordId, Revision
from backends.ports.vectors import Hit, VectorRecord, Vectors
from contracts.servers import fresh_space, options_of
from tests.bench.engines.comparison import DEAREST_BULK, Row
from tests.bench.engines.data import AT_ONCE, BATCH, COUNT, SPEC, records, some, spread, vectors_of

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

INDEX: Final = {"hnsw": {"space": "cosine", "ef_search": 200}}
WHOLE: Final = ["metadatas", "documents", "embeddings"]
_Answer: TypeAlias = "Mapping[str, Sequence[object]]"


class Native(Protocol):
    """What is used of a collection of the driver; a server's answers have to be awaited."""

    def upsert(
        self,
        *,
        ids: list[str],
        embeddings: "list[Vector]",
        documents: list[str],
        metadatas: list[Mapping[str, object]],
    ) -> object:
        """Store records."""
        ...

    def get(self, *, ids: list[str], include: list[str]) -> object:
        """Return records."""
        ...

    def query(self, *, query_embeddings: "list[Vector]", n_results: int, include: list[str]) -> object:
        """Return what is nearest."""
        ...


class Driver(Protocol):
    """What is used of the driver's client."""

    def create_collection(self, name: str, *, configuration: object, embedding_function: None) -> object:
        """Make a collection."""
        ...


class Bare:
    """A collection; a server's answers are awaited."""

    def __init__(self, native: Native, *, blocks: bool, at_once: int) -> None:
        self.native = native
        self.blocks = blocks
        self._at_once = at_once

    @classmethod
    async def make(cls, uri: str | None, folder: Path) -> "Bare":
        """Make a collection on the server, or in a folder."""
        if uri is None:
            local = cast("Driver", chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False)))
            made = local.create_collection("bare", configuration=INDEX, embedding_function=None)
            return cls(cast("Native", made), blocks=True, at_once=EMBEDDED)
        address, _, port = uri.removeprefix("http://").partition(":")
        remote = cast("Driver", await chromadb.AsyncHttpClient(host=address, port=int(port)))
        making = remote.create_collection(f"bare-{fresh_space()}", configuration=INDEX, embedding_function=None)
        return cls(cast("Native", await cast("Awaitable[object]", making)), blocks=False, at_once=SERVER)

    async def call(self, call: Callable[[], object]) -> object:
        """Return the driver's answer."""
        return call() if self.blocks else await cast("Awaitable[object]", call())

    async def upsert(self, found: Sequence[VectorRecord]) -> None:
        """Store records with their fields."""
        for start in range(0, len(found), self._at_once):
            part = found[start : start + self._at_once]
            await self.call(lambda part=part: self._upsert(part))

    async def get(self, ids: Sequence[RecordId]) -> Mapping[RecordId, VectorRecord]:
        """Return records."""
        got = cast("_Answer", await self.call(lambda: self.native.get(ids=[*ids], include=WHOLE)))
        found = zip(
            cast("Sequence[RecordId]", got["ids"]),
            numpy.asarray(got["embeddings"], dtype=numpy.float32),
            cast("Sequence[str]", got["documents"]),
            cast("Sequence[Fields]", got["metadatas"]),
            strict=True,
        )
        return {
            key: VectorRecord(
                key,
                vector,
                text,
                Revision(cast("int", fields["rev"])),
                {name: value for name, value in fields.items() if f"has_{name}" in fields},
            )
            for key, vector, text, fields in found
        }

    async def nearest(self, vector: "Vector", k: int) -> Sequence[Hit]:
        """Return what is nearest."""
        query = [vector]
        asked = self.call(lambda: self.native.query(query_embeddings=query, n_results=k, include=["distances"]))
        got = cast("_Answer", await asked)
        ids, distances = cast("Sequence[RecordId]", got["ids"][0]), cast("Sequence[float]", got["distances"][0])
        hits = [Hit(key, 1.0 - distance) for key, distance in zip(ids, distances, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    def _upsert(self, found: Sequence[VectorRecord]) -> object:
        return self.native.upsert(
            ids=[record.id for record in found],
            embeddings=[record.vector for record in found],
            documents=[record.text for record in found],
            metadatas=[_metadata(record) for record in found],
        )


def _metadata(record: VectorRecord) -> Mapping[str, object]:
    # The engine cannot tell which records have a field, so each is marked.
    return {"rev": int(record.rev), **record.fields, **{f"has_{name}": True for name in record.fields}}


async def rows(kind: str, directory: Path) -> AsyncIterator[Row]:
    """Yield the rows of the vectors."""
    options = options_of(kind)
    uri = options.get("uri")
    bare = await Bare.make(None if uri is None else str(uri), directory / "bare")
    engine = await ADAPTER.open(options, directory / "port")
    try:
        async for row in _vectors(bare, await engine.vectors(namespace("bench"))):
            yield replace(row, blocks=bare.blocks)
    finally:
        await engine.close()


async def _vectors(bare: Bare, port: Vectors) -> AsyncIterator[Row]:
    vectors, queries = vectors_of(COUNT), vectors_of(100, 2)
    await port.ensure(SPEC)
    yield Row(
        f"bulk of {AT_ONCE} records",
        lambda call: bare.upsert(records(some(call, AT_ONCE), vectors)),
        lambda call: port.upsert(SPEC.name, records(some(call, AT_ONCE), vectors)),
        COUNT // AT_ONCE,
        DEAREST_BULK,
    )
    yield Row(
        "get 10 records",
        lambda call: bare.get(_ids(call)),
        lambda call: port.get(SPEC.name, _ids(call)),
        100,
    )
    yield Row(
        "dense top 10",
        lambda call: bare.nearest(queries[call], 10),
        lambda call: port.dense(SPEC.name, queries[call], 10),
        100,
    )
    yield Row(
        f"upsert of {BATCH} records",
        lambda call: bare.upsert(records(some(call, BATCH), vectors, call + 2)),
        lambda call: port.upsert(SPEC.name, records(some(call, BATCH), vectors, call + 2)),
        20,
    )


def _ids(call: int) -> list[RecordId]:
    return [RecordId(f"r{spread(call * 10 + number):06}") for number in range(10)]
