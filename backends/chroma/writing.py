"""Writes guarded by revision: what is stored is read first, and only what is newer is written."""

from collections.abc import Mapping, Sequence

from backends.chroma.collections import Collection
from backends.chroma.filters import compile_filter
from backends.chroma.records import REV, document_of, matches, metadata_of, places, revision_of
from backends.chroma.turns import Write
from backends.closeness import unit
from backends.declarations import kept_fields
from backends.ports.filters import Filter
from backends.ports.values import RecordId, Revision
from backends.ports.vectors import VectorRecord

READ_AT_ONCE = 1_000


async def revisions(within: Collection, ids: Sequence[str]) -> dict[str, Revision]:
    """Return the stored revision of each known id; of a record that was deleted and came back, the later one."""
    found: dict[str, Revision] = {}
    for start in range(0, len(ids), READ_AT_ONCE):
        some = ids[start : start + READ_AT_ONCE]
        for bucket in (within.gone, within.records):
            rows = await bucket.get(ids=some, include=("metadatas",))
            for key, metadata in zip(rows.ids, rows.metadatas, strict=True):
                found[key] = max(found.get(key, Revision(0)), revision_of(metadata))
    return found


async def put(into: Collection, records: Sequence[VectorRecord], *, at_once: int) -> Write:
    """Return what stores the records that are newer than what is stored. A tombstone may stay: the higher revision tells.

    They are written `at_once` in a call of the engine.
    """
    import numpy as np

    # Made before anything is asked, so that a record that breaks a rule is refused also when it is old.
    rows = {
        record.id: (
            unit(record.vector, into.dim),
            metadata_of(record, kept_fields(record.fields, into.specs, owner="the collection"), into.specs),
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


async def bury(into: Collection, wanted: Mapping[RecordId, Revision]) -> Write:
    """Return what deletes records whose stored revision is lower, and leaves each one's id and revision behind."""
    stored = await revisions(into, [*wanted])
    graves = {key: rev for key, rev in wanted.items() if rev > stored.get(key, 0)}
    return lambda: _bury(into, graves)


async def bury_matching(into: Collection, ids: Sequence[str], where: Filter) -> Write:
    """Return what deletes those of the records that match now, at the revision they have now."""
    found = compile_filter(where, into.specs)
    rows = await into.records.get(ids=ids, where=found.where, include=("metadatas",))
    matching = ((key, row) for key, row in zip(rows.ids, rows.metadatas, strict=True) if matches(row, found))
    graves = {RecordId(key): revision_of(row) for key, row in matching}
    return lambda: _bury(into, graves)


async def _nothing() -> None:
    """Write nothing: all that was to be written is there."""


async def _bury(into: Collection, graves: Mapping[RecordId, Revision]) -> None:
    if not graves:
        return
    # Records first: should this process die in between, the record is unknown and will be projected again.
    await into.records.remove([*graves])
    await into.gone.put([*graves], places([*graves]), [{REV: rev} for rev in graves.values()])
