"""Recall@10 of vector engines against exact search, over WordNet's glosses, with and without a filter that keeps 1 %.

    python -m tests.bench.recall [--count 20000] [--keep FILE.npy] KIND...

Servers are found as by the contract suite; `python -m tests.services chroma neo4j -- ...` starts them.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, cast

import numpy

from backends.ports.filters import Eq
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors
from backends.registry import load_adapter
from contracts.servers import fresh_space, options_of
from tests.bench.wordnet import synsets

if TYPE_CHECKING:
    from backends.ports.vectors import Vector

K, QUESTIONS, BATCH, SHARES = 10, 200, 1_000, 100
NAME = "glosses"


async def embedded(texts: Sequence[str], kept: Path | None) -> "list[Vector]":
    """Return the vectors of texts, from the file if it has them."""
    if kept is None or not kept.exists():
        engine = await load_adapter("minilm").open({"remembered": 0}, Path())
        embedder = await engine.embedder()
        rows = numpy.concatenate([await embedder.embed(texts[n : n + 256]) for n in range(0, len(texts), 256)])
        await engine.close()
        if kept is not None:
            numpy.save(kept, rows)
        return [*rows]
    return [*cast("numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float32]]", numpy.load(kept))]


def nearest(rows: "Sequence[Vector]", question: "Vector", share: int | None) -> set[str]:
    """Return the ids of the nearest records, exactly."""
    among = numpy.arange(len(rows)) if share is None else numpy.arange(share, len(rows), SHARES)
    scores = numpy.stack(rows)[among] @ question
    return {str(among[place]) for place in numpy.argsort(-scores)[:K]}


async def fill(vectors: Vectors, texts: Sequence[str], rows: "Sequence[Vector]") -> float:
    """Store all records; return how many a second."""
    await vectors.ensure(CollectionSpec(NAME, len(rows[0]), "wordnet@1/384", (FieldSpec("share", "int", sort=True),)))
    records = [
        VectorRecord(RecordId(str(n)), row, text, Revision(1), {"share": n % SHARES})
        for n, (text, row) in enumerate(zip(texts, rows, strict=True))
    ]
    began = time.perf_counter()
    for start in range(0, len(records), BATCH):
        await vectors.upsert(NAME, records[start : start + BATCH])
    taken = time.perf_counter() - began
    await vectors.maintain(NAME)
    return len(records) / taken


async def measure(kind: str, texts: Sequence[str], rows: "Sequence[Vector]", questions: "Sequence[Vector]") -> None:
    """Print a line for an engine."""
    with tempfile.TemporaryDirectory() as folder:
        engine = await load_adapter(kind).open(options_of(kind), Path(folder))
        vectors = await engine.vectors(namespace(fresh_space()))
        rate = await fill(vectors, texts, rows)
        said = [f"{kind:10} {rate:7.0f} records/s"]
        for share in (None, 7):
            found, times = 0, list[float]()
            for question in questions:
                began = time.perf_counter()
                hits = await vectors.dense(NAME, question, K, where=None if share is None else Eq("share", share))
                times.append((time.perf_counter() - began) * 1_000)
                found += len({str(hit.id) for hit in hits} & nearest(rows, question, share))
            what = "all" if share is None else "1 %"
            said.append(f"{what}: recall {found / K / len(questions):.3f}, p50 {median(times):6.2f} ms")
        print("   ".join(said), flush=True)
        await vectors.drop(NAME)
        await engine.close()


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    texts = [synset.gloss for synset in synsets(chosen.count + QUESTIONS)]
    rows = asyncio.run(embedded(texts, chosen.keep))
    for kind in chosen.kinds:
        asyncio.run(measure(kind, texts[: chosen.count], rows[: chosen.count], rows[chosen.count :]))


if __name__ == "__main__":
    main()
