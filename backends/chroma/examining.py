"""A look at everything in a folder: the database from end to end, and in each index every record and the way to it."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from backends.chroma.driver import Bucket, Buckets, Rows
from backends.chroma.records import BODY, text_and_fields
from backends.closeness import is_unit

AT_ONCE: Final = 500
_EVERYTHING: Final = ("metadatas", "documents", "embeddings")


class Torn(Exception):
    """Something in the folder is not what was stored; the message names it."""


async def examine(buckets: Buckets) -> None:
    """Read all collections, and look for each record by closeness. Raises `Torn`, and the store's errors."""
    for bucket in await buckets.all():
        ids = sorted((await bucket.get()).ids)
        if len(ids) != await bucket.count():
            raise Torn("a collection has not the records that it counts")
        for start in range(0, len(ids), AT_ONCE):
            await _examine(bucket, ids[start : start + AT_ONCE])


def check_database(file: Path) -> None:
    """Read the database of a folder that nobody has open; blocking. Raises `Torn` and `sqlite3.Error`."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise Torn(found)


async def _examine(bucket: Bucket, ids: Sequence[str]) -> None:
    rows = await bucket.get(ids=ids, include=_EVERYTHING)
    vectors = rows.matrix()
    if len(rows.ids) != len(ids) or (_is_searched(rows) and not all(map(is_unit, vectors))):
        raise Torn("a collection has lost vectors")
    for vector in vectors:
        await bucket.nearest(vector, 1, None, ())


def _is_searched(rows: Rows) -> bool:
    """Say whether these are records, of which all has to be readable; other rows have vectors that mean nothing."""
    records = [metadata for metadata in rows.metadatas if BODY in metadata]
    for metadata in records:
        text_and_fields(metadata)
    return bool(records)
