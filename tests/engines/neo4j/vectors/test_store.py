"""Tombstones outlast an engine."""

from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord
from contracts.ports.vector_records import axis
from tests.engines.neo4j.conftest import Open
from tests.engines.neo4j.samples import DIM, PLACE, SPEC


async def test_a_deleted_record_stays_deleted_after_reopening(on_server: Open) -> None:
    record = VectorRecord(RecordId("it"), axis(0, DIM), "word", Revision(2))
    async with on_server() as engine:
        vectors = await engine.vectors(PLACE)
        await vectors.ensure(SPEC)
        await vectors.upsert("things", [record])
        await vectors.delete("things", {RecordId("it"): Revision(3)})
    async with on_server() as engine:
        vectors = await engine.vectors(PLACE)
        await vectors.upsert("things", [record])
        assert await vectors.count("things") == 0
        assert await vectors.revisions("things", [RecordId("it")]) == {"it": 3}
        await vectors.drop("things")
