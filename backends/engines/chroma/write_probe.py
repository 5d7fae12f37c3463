"""Writes to a copy of a folder: some damage of an index shows only when it grows.

The engine appends writes to a log and adds them to a collection's index a thousand at a time. With some damaged files it
then hangs or ends the process.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from backends.engines.chroma.driver import Bucket, BucketGone
from backends.engines.chroma.embedded import WRITTEN_AT_ONCE, EmbeddedEngine
from backends.engines.chroma.errors import damaged_error
from backends.engines.chroma.files import DATABASE, own_files
from backends.kit.file_lock import acquire
from backends.kit.scratch_copy import DamageFound, scratch_copy
from backends.ports.errors import Timeout, Unusable

if TYPE_CHECKING:
    from backends.engines.chroma.driver import Floats

ROWS: Final = 1_000
"""The engine's default `sync_threshold`: however few rows wait in the log, so many more make it add them to the index."""
_INDEXED: Final = "SELECT c.name FROM segments s JOIN collections c ON c.id = s.collection WHERE s.id = ?"


async def probe_writes(folder: Path, timeout_s: float) -> None:
    """Let the index of each collection grow in a copy. Raises `Unusable` for damage, and `Unavailable`.

    Collections without index files are left out: they have fewer than a thousand rows, all of them in the database.
    """
    async with scratch_copy(folder, _copy) as copy:
        access = EmbeddedEngine(copy, timeout_s, acquire(copy))
        try:
            await _grow_all(access, copy)
        except (DamageFound, BucketGone, Timeout, Unusable, ValueError, LookupError, sqlite3.Error) as problem:
            raise damaged_error(folder, str(problem).replace(str(copy), str(folder))) from problem
        finally:
            await access.close()


async def _grow_all(access: EmbeddedEngine, copy: Path) -> None:
    buckets = await access.open()
    for name in await anyio.to_thread.run_sync(_indexed, copy):
        if (bucket := await buckets.find(name)) is not None:
            await _grow(bucket)


def _copy(folder: Path, copy: Path) -> None:
    copy.mkdir()
    for part in own_files(folder):
        if part.is_dir():
            shutil.copytree(part, copy / part.name)
        else:
            shutil.copyfile(part, copy / part.name)


def _indexed(folder: Path) -> list[str]:
    """Return the names of the collections whose index has files. Raises `sqlite3.Error`."""
    with closing(sqlite3.connect(f"{(folder / DATABASE).absolute().as_uri()}?mode=ro", uri=True)) as connection:
        segments = [part.name for part in own_files(folder) if part.is_dir()]
        return [str(row[0]) for name in segments for row in connection.execute(_INDEXED, [name])]


async def _grow(bucket: Bucket) -> None:
    sample = await bucket.get(limit=1, include=("embeddings",))
    vectors = _random_vectors(sample.matrix().shape[1] if sample.ids else 1)
    ids = [f"entrepot write probe {number}" for number in range(ROWS)]
    for start in range(0, ROWS, WRITTEN_AT_ONCE):
        some = slice(start, start + WRITTEN_AT_ONCE)
        await bucket.put(ids[some], vectors[some], [{"probe": True}] * len(ids[some]))
    found = await bucket.nearest(vectors[0], 1, None, ())
    if not found.ids or len((await bucket.get(ids=ids)).ids) != ROWS:
        raise DamageFound("a collection does not store what is written to it")


def _random_vectors(dim: int) -> "Floats":
    import numpy as np

    vectors = np.random.default_rng(0).normal(size=(ROWS, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
