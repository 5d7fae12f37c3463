"""Searches over data and words chosen to break them."""

import numpy

from backends.ports.filters import Eq, Filter
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord
from contracts.corpus import HOSTILE_TEXTS
from contracts.ports.vector_records import axis, cosine
from tests.engines.neo4j.conftest import Open
from tests.engines.neo4j.samples import COUNT, DIM, PLACE, SPEC

LUCENE = (
    "scope:* OR words:*",
    "+words:a -words:b",
    'a" OR scope:"b',
    "wor*",
    "wor? /wor./",
    "word~2 word^9",
    "[a TO z]",
    "AND OR NOT && || !",
    "\\",
)


async def test_recall_holds_on_random_vectors_with_and_without_a_narrow_filter(on_server: Open) -> None:
    rng = numpy.random.default_rng(3)
    rows = numpy.asarray(rng.normal(size=(COUNT, DIM)), dtype=numpy.float32)
    records = [
        VectorRecord(RecordId(f"r{number:04}"), row, "", Revision(1), {"rank": number % 100})
        for number, row in enumerate(rows)
    ]
    wheres: tuple[tuple[Filter | None, list[VectorRecord]], ...] = (
        (None, records),
        (Eq("rank", 7), [item for item in records if item.fields["rank"] == 7]),
    )
    async with on_server() as engine:
        vectors = await engine.vectors(PLACE)
        await vectors.ensure(SPEC)
        await vectors.upsert("things", records)
        await vectors.maintain("things")
        for where, matching in wheres:
            found = 0
            for query in numpy.asarray(rng.normal(size=(20, DIM)), dtype=numpy.float32):
                best = sorted(matching, key=lambda item, query=query: -cosine(query, item.vector))[:10]
                hits = await vectors.dense("things", query, 10, where=where)
                assert len(hits) == 10
                found += len({hit.id for hit in hits} & {item.id for item in best})
            assert found >= 0.95 * 200
        await vectors.drop("things")


async def test_words_are_never_query_syntax(on_server: Open) -> None:
    async with on_server() as engine:
        vectors = await engine.vectors(PLACE)
        await vectors.ensure(SPEC)
        texts = [*LUCENE, *HOSTILE_TEXTS]
        records = [
            VectorRecord(RecordId(f"t{number}"), axis(0, DIM), f"marker{number} {text} last", Revision(1))
            for number, text in enumerate(texts)
        ]
        other = VectorRecord(RecordId("other"), axis(0, DIM), "unrelatedterm", Revision(1))
        await vectors.upsert("things", [*records, other])
        for number, text in enumerate(texts):
            hits = [str(hit.id) for hit in await vectors.keyword("things", f"{text} marker{number}", 100)]
            assert f"t{number}" in hits
            assert "other" not in hits
        await vectors.drop("things")
