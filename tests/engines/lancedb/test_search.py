"""Recall of the approximate index against exact ranking."""

from collections.abc import Sequence
from pathlib import Path

import numpy

from backends.kit.filter_evaluation import matches
from backends.ports.filters import Eq, Filter, Ge, Lt
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord, Vectors
from contracts.ports.vector_records import NAME, record
from tests.engines.lancedb.tables import bare_table, opened

DIM, COUNT, CLUSTERS, K = 96, 5_000, 70, 10
SPEC = CollectionSpec(NAME, DIM, "model@1/96", (FieldSpec("rank", "int", sort=True),))


def vectors_in_clusters(count: int, seed: int) -> "numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float32]]":
    """Return vectors in clusters, as texts on several topics have."""
    centres = numpy.random.default_rng(0).normal(size=(CLUSTERS, DIM))
    rng = numpy.random.default_rng(seed)
    rows = centres[rng.integers(CLUSTERS, size=count)] + rng.normal(size=(count, DIM)) * 0.7
    return (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)


async def recall(vectors: Vectors, stored: Sequence[VectorRecord], where: Filter | None) -> float:
    """Return the fraction of the true ten nearest that is found, over 40 searches."""
    matching = [item for item in stored if where is None or matches(where, item.fields)]
    matrix = numpy.stack([item.vector for item in matching])
    found = 0
    for query in vectors_in_clusters(40, seed=2):
        best: list[int] = numpy.argsort(-(matrix @ query), kind="stable")[:K].tolist()
        hits = await vectors.dense(NAME, query, K, where=where)
        assert len(hits) == K
        found += len({hit.id for hit in hits} & {matching[number].id for number in best})
    return found / (40 * K)


async def test_the_index_finds_the_ten_nearest(tmp_path: Path) -> None:
    rows = vectors_in_clusters(COUNT, seed=1)
    stored = [record(f"r{number}", row, rank=number % 100) for number, row in enumerate(rows)]
    async with opened(tmp_path, index_from=1_000) as vectors:
        await vectors.ensure(SPEC)
        await vectors.upsert(NAME, stored[:4_000])
        await vectors.maintain(NAME)
        # Records stored after the index was built are found as well.
        await vectors.upsert(NAME, stored[4_000:])
        indexes = {index.index_type for index in await (await bare_table(tmp_path)).list_indices()}
        assert "IvfSq" in indexes
        for where in (None, Eq("rank", 7), Lt("rank", 50), Ge("rank", 1)):
            assert await recall(vectors, stored, where) >= 0.95, where


async def test_an_indexed_collection_without_live_records_finds_nothing(tmp_path: Path) -> None:
    rows = vectors_in_clusters(600, seed=1)
    stored = [record(f"r{number}", row, rank=number % 2) for number, row in enumerate(rows)]
    async with opened(tmp_path, index_from=256) as vectors:
        await vectors.ensure(SPEC)
        await vectors.upsert(NAME, stored)
        await vectors.maintain(NAME)
        await vectors.delete(NAME, {item.id: Revision(2) for item in stored if item.fields["rank"] == 0})
        hits = await vectors.dense(NAME, rows[0], 1_000)
        assert {hit.id for hit in hits} == {RecordId(f"r{number}") for number in range(1, 600, 2)}
        await vectors.delete(NAME, {item.id: Revision(2) for item in stored if item.fields["rank"] == 1})
        await vectors.maintain(NAME)
        assert list(await vectors.dense(NAME, rows[0], 10)) == []
