"""Verification of the database file, its records and its index; kept separate because Kuzu and LanceDB have the same module."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from backends.engines.chroma.driver import Bucket, Buckets, Rows
from backends.engines.chroma.rows import BODY, text_and_fields
from backends.kit.cosine import is_unit
from backends.kit.scratch_copy import DamageFound

AT_ONCE: Final = 500
"""Records whose texts and vectors are in memory together."""
_EVERYTHING: Final = ("metadatas", "documents", "embeddings")


async def verify(buckets: Buckets) -> None:
    """Read all collections and search each record by its vector. Raises `DamageFound` and the store's errors."""
    for bucket in await buckets.all():
        ids = sorted((await bucket.get()).ids)
        if len(ids) != await bucket.count():
            raise DamageFound("the record count of a collection is wrong")
        for start in range(0, len(ids), AT_ONCE):
            await _verify_records(bucket, ids[start : start + AT_ONCE])


def check_database(file: Path) -> None:
    """Check the database file of a closed folder. Blocking. Raises `DamageFound` and `sqlite3.Error`."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise DamageFound(found)


async def _verify_records(bucket: Bucket, ids: Sequence[str]) -> None:
    rows = await bucket.get(ids=ids, include=_EVERYTHING)
    vectors = rows.matrix()
    if len(rows.ids) != len(ids) or (_is_searched(rows) and not all(map(is_unit, vectors))):
        raise DamageFound("a collection has lost vectors")
    for vector in vectors:
        await bucket.nearest(vector, 1, None, ())


def _is_searched(rows: Rows) -> bool:
    """Return whether the rows are records, all of which must be readable; other rows have placeholder vectors."""
    records = [metadata for metadata in rows.metadatas if BODY in metadata]
    for metadata in records:
        text_and_fields(metadata)
    return bool(records)
