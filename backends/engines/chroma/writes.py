"""Writes, one at a time for each collection: the stored revisions are read first, then only newer records are written."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from backends.engines.chroma.collections import StoredCollection
from backends.engines.chroma.rows import REV, document_of, metadata_of, placeholder_vectors, revision_of
from backends.kit.cosine import check_length
from backends.kit.declarations import storable_fields
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord

Write: TypeAlias = Callable[[], Awaitable[None]]

READ_AT_ONCE = 1_000
"""More than in a search, since only metadata are read; Chroma itself refuses about 33,000 ids."""


class WriteQueue:
    """The engine compares no revisions, so no other write may come between reading the stored one and writing."""

    def __init__(self) -> None:
        # Not anyio's lock: the task that releases it may differ from the one that acquired it.
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, key: tuple[str, str], plan: Callable[[], Awaitable[Write]]) -> None:
        """Wait for earlier writes of the same collection, call `plan`, and carry out the write it returns.

        If it is cancelled before the write begins, nothing is written. If it is cancelled later, the write continues, and the
        next one waits for it.
        """
        lock = self._locks[key]
        await lock.acquire()
        try:
            write = await plan()
        except BaseException:
            lock.release()
            raise
        task = asyncio.ensure_future(_carry_out(write))
        self._running.add(task)
        task.add_done_callback(lambda ended: self._release(ended, lock))
        await asyncio.shield(task)

    async def drain(self) -> None:
        """Wait for running writes. Their errors have been raised to their callers, if those still waited."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _release(self, task: asyncio.Task[None], lock: asyncio.Lock) -> None:
        lock.release()
        self._running.discard(task)
        if not task.cancelled():
            # Retrieved so that asyncio does not report an error whose caller has left.
            task.exception()


async def _carry_out(write: Write) -> None:
    await write()


async def revisions(within: StoredCollection, ids: Sequence[str]) -> dict[str, Revision]:
    """Return the stored revision of each known id; the higher one if there are both a record and a tombstone."""
    found: dict[str, Revision] = {}
    for start in range(0, len(ids), READ_AT_ONCE):
        some = ids[start : start + READ_AT_ONCE]
        for bucket in (within.tombstones, within.records):
            rows = await bucket.get(ids=some, include=("metadatas",))
            for key, metadata in zip(rows.ids, rows.metadatas, strict=True):
                found[key] = max(found.get(key, Revision(0)), revision_of(metadata))
    return found


async def put(into: StoredCollection, records: Sequence[VectorRecord], *, at_once: int) -> Write:
    """Return the write that stores the newer ones of `records`, `at_once` per call of the engine.

    A tombstone of such a record may stay, because its revision is lower.
    """
    import numpy as np

    # Prepared for all records, so that an invalid record is refused even if it is outdated.
    for record in records:
        check_length(record.vector, into.dim)
    rows = {
        record.id: (
            record.vector,
            metadata_of(record, storable_fields(record.fields, into.specs, owner="the collection"), into.specs),
            document_of(record.text),
        )
        for record in records
    }
    stored = await revisions(into, [*rows])
    newer = [record.id for record in records if record.rev > stored.get(record.id, 0)]
    if not newer:
        return _nothing

    async def write() -> None:
        for start in range(0, len(newer), at_once):
            some = newer[start : start + at_once]
            vectors, metadatas, documents = zip(*(rows[key] for key in some), strict=True)
            await into.records.put(some, np.stack(vectors), metadatas, documents)

    return write


async def delete(into: StoredCollection, wanted: Mapping[RecordId, Revision]) -> Write:
    """Return the write that deletes records with a lower stored revision and leaves tombstones."""
    stored = await revisions(into, [*wanted])
    tombstones = {key: rev for key, rev in wanted.items() if rev > stored.get(key, 0)}
    return lambda: _write_tombstones(into, tombstones)


async def _nothing() -> None:
    """Write nothing: everything is stored already."""


async def _write_tombstones(into: StoredCollection, tombstones: Mapping[RecordId, Revision]) -> None:
    if not tombstones:
        return
    # Records first: if the process dies in between, the record is unknown and is projected again.
    await into.records.remove([*tombstones])
    await into.tombstones.put(
        [*tombstones], placeholder_vectors([*tombstones]), [{REV: rev} for rev in tombstones.values()]
    )
