"""Chroma's own client over the data that the port holds: the yardstick for what the port costs.

python -m tests.bench.engines.chroma [URI]
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import chromadb
import numpy
from chromadb.config import Settings

from backends.chroma.adapter import ADAPTER
from backends.chroma.embedded import WRITTEN_AT_ONCE as EMBEDDED
from backends.chroma.server import WRITTEN_AT_ONCE as SERVER
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, Json, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors
from tests.support.servers import free_port

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

DIM = 384
COUNT = 10_000
BATCH = 100
CALLS = 60
SPEC = CollectionSpec("bench", DIM, "bench@1/384", (FieldSpec("area", "str"), FieldSpec("rank", "int")))
INDEX = {"hnsw": {"space": "cosine", "ef_search": 200}}

Work = Callable[[int], Awaitable[object]]


def vectors_of(count: int, seed: int) -> "list[Vector]":
    """Return unit vectors around some hundred directions, as texts have them."""
    chance = numpy.random.default_rng(seed)
    centres = chance.normal(size=(100, DIM))
    rows = centres[chance.integers(0, 100, count)] + 0.7 * chance.normal(size=(count, DIM))
    return [numpy.asarray(row / numpy.linalg.norm(row), dtype=numpy.float32) for row in rows]


def text_of(number: int) -> str:
    """Return a text of some words."""
    return f"record {number} about subject {number % 97} and matters like {number % 31}"


def record_of(number: int, vector: "Vector", rev: int = 1) -> VectorRecord:
    """Return a record for the port."""
    fields = {"area": f"area {number % 50}", "rank": number}
    return VectorRecord(RecordId(f"r{number:06}"), vector, text_of(number), Revision(rev), fields)


class Bare:
    """The driver's best use for the same work; a function that answers at once is called in this thread."""

    def __init__(self, collection: object) -> None:
        self._collection = collection

    async def call(self, method: str, **arguments: object) -> object:
        """Call the driver."""
        answer: object = getattr(self._collection, method)(**arguments)
        return await answer if isinstance(answer, Awaitable) else answer

    async def upsert(self, numbers: range, vectors: "list[Vector]") -> object:
        """Store records with the fields that the port's have."""
        return await self.call(
            "upsert",
            ids=[f"r{number:06}" for number in numbers],
            embeddings=vectors,
            documents=[text_of(number) for number in numbers],
            metadatas=[{"area": f"area {number % 50}", "rank": number} for number in numbers],
        )


async def bare_of(uri: str | None, folder: str) -> Bare:
    """Return the driver's collection, on the server or in a folder."""
    if uri is None:
        client = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
        return Bare(client.create_collection("bare", configuration=INDEX, embedding_function=None))
    address, _, port = uri.removeprefix("http://").partition(":")
    server = await chromadb.AsyncHttpClient(host=address, port=int(port))
    name = f"bare{free_port()}"
    return Bare(await server.create_collection(name, configuration=INDEX, embedding_function=None))


async def compare(name: str, ours: Work, bare: Work, calls: int = CALLS) -> None:
    """Print the medians of both, measured in turn."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(calls):
        for times, work in zip(taken, (ours, bare), strict=True):
            began = time.perf_counter()
            await work(number)
            times.append((time.perf_counter() - began) * 1_000)
    one, two = median(taken[0]), median(taken[1])
    print(f"{name:24} port {one:8.2f} ms   bare {two:8.2f} ms   {one / two:5.2f}x")


async def measure(port: Vectors, bare: Bare, at_once: int) -> None:
    """Fill both with the same records, `at_once` in a call of the engine, then compare the calls."""
    vectors = vectors_of(COUNT, 1)
    queries = vectors_of(CALLS, 2)
    await port.ensure(SPEC)

    async def fill_port(number: int) -> None:
        some = range(number * 500, number * 500 + 500)
        await port.upsert(SPEC.name, [record_of(n, vectors[n]) for n in some])

    async def fill_bare(number: int) -> None:
        for start in range(number * 500, number * 500 + 500, at_once):
            some = range(start, start + at_once)
            await bare.upsert(some, [vectors[n] for n in some])

    await compare("bulk upsert of 500", fill_port, fill_bare, COUNT // 500)

    async def upsert_port(number: int) -> None:
        some = range(number * BATCH, number * BATCH + BATCH)
        await port.upsert(SPEC.name, [record_of(n, vectors[n], rev=2) for n in some])

    async def upsert_bare(number: int) -> None:
        some = range(number * BATCH, number * BATCH + BATCH)
        await bare.upsert(some, [vectors[n] for n in some])

    await compare(f"upsert of {BATCH}", upsert_port, upsert_bare, 20)
    ids = [f"r{number:06}" for number in range(0, COUNT, COUNT // 10)]
    whole = ["metadatas", "documents", "embeddings"]
    await compare(
        "get of 10",
        lambda _: port.get(SPEC.name, [RecordId(key) for key in ids]),
        lambda _: bare.call("get", ids=ids, include=whole),
    )
    await compare(
        "dense top 10",
        lambda number: port.dense(SPEC.name, queries[number], 10),
        lambda number: bare.call("query", query_embeddings=[queries[number]], n_results=10, include=["distances"]),
    )


async def main(uri: str | None) -> None:
    """Measure a server or a folder."""
    options: dict[str, Json] = {} if uri is None else {"uri": uri, "space": f"b{free_port()}"}
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        engine = await ADAPTER.open(options, Path(ours))
        try:
            await measure(
                await engine.vectors(namespace("bench")),
                await bare_of(uri, theirs),
                EMBEDDED if uri is None else SERVER,
            )
        finally:
            await engine.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
