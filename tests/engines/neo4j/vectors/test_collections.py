"""Collections that another engine drops."""

import pytest

from backends.ports.errors import NotFound
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord
from contracts.ports.vector_records import axis, cloud
from tests.engines.neo4j.conftest import Open
from tests.engines.neo4j.samples import COUNT, DIM, PLACE, SPEC


async def test_a_collection_dropped_by_another_engine_is_not_found(on_server: Open) -> None:
    """This also holds for an engine that has used its index before."""
    records = [
        VectorRecord(RecordId(f"r{number:04}"), row, "", Revision(1)) for number, row in enumerate(cloud(COUNT, 1, DIM))
    ]
    async with on_server(space="shared") as one, on_server(space="shared") as other:
        vectors = await one.vectors(PLACE)
        await vectors.ensure(SPEC)
        await vectors.upsert("things", records)
        assert len(await vectors.dense("things", axis(0, DIM), 10)) == 10
        await (await other.vectors(PLACE)).drop("things")
        with pytest.raises(NotFound):
            await vectors.dense("things", axis(0, DIM), 10)
        await vectors.ensure(SPEC)
        assert list(await vectors.dense("things", axis(0, DIM), 10)) == []
        await vectors.drop("things")
