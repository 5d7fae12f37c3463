"""Writes of one collection, in any order and cancelled."""

import asyncio

import anyio

from backends.ports.ids import namespace
from backends.ports.values import RecordId, Revision
from contracts.ports.vector_records import NAME, THINGS, record
from tests.engines.chroma.conftest import Open

SPACE = namespace("here")


async def test_a_late_write_never_replaces_a_newer_state(on_server: Open) -> None:
    """All revisions of all records are written at once in any order, with a delete in between."""
    async with on_server() as engine:
        vectors = await engine.vectors(SPACE)
        await vectors.ensure(THINGS)
        async with anyio.create_task_group() as group:
            for rev in (3, 9, 1, 7, 5, 2, 10, 4, 8):
                group.start_soon(vectors.upsert, NAME, [record(f"r{n}", rank=rev, rev=rev) for n in range(5)])
            group.start_soon(vectors.delete, NAME, {RecordId(f"r{n}"): Revision(6) for n in range(5)})
        found = await vectors.scan(NAME)
        assert [(item.id, item.rev, item.fields["rank"]) for item in found.items] == [
            (f"r{n}", 10, 10) for n in range(5)
        ]


async def test_a_cancelled_writer_leaves_no_partial_write(on_server: Open) -> None:
    """The next write waits for the abandoned one, and the later revision wins."""
    async with on_server() as engine:
        vectors = await engine.vectors(SPACE)
        await vectors.ensure(THINGS)
        for attempt in range(20):
            leaving = asyncio.ensure_future(vectors.upsert(NAME, [record("r", rank=0, rev=2 * attempt + 1)]))
            for _ in range(attempt):
                await asyncio.sleep(0)
            leaving.cancel()
            await vectors.upsert(NAME, [record("r", rank=attempt, rev=2 * attempt + 2)])
            [found] = (await vectors.scan(NAME)).items
            assert (found.rev, found.fields["rank"]) == (2 * attempt + 2, attempt)
