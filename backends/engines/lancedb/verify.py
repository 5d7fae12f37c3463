"""Verification of a folder: in a copy, every record is read, each index is searched, and a merge is run.

A scan alone would miss some damage: it reads no index, and not everything that a merge reads.
"""

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from backends.engines.lancedb.collections import Collections, OpenTable
from backends.engines.lancedb.connection import Calls
from backends.engines.lancedb.driver import LANCE, OpenQuery, QueryBuilder, Rows
from backends.engines.lancedb.errors import damaged_error, own_tables
from backends.engines.lancedb.filters import literal
from backends.engines.lancedb.meta import Meta, MetaTable
from backends.engines.lancedb.settings import LancedbSettings
from backends.engines.lancedb.vectors import LanceVectors
from backends.kit.cosine import is_unit
from backends.kit.scratch_copy import DamageFound, scratch_copy
from backends.ports.errors import NotFound, StoreError, Timeout, Unavailable, Unusable
from backends.ports.ids import namespace
from backends.ports.values import Namespace, RecordId, Revision, Scalar
from backends.ports.vectors import VectorRecord

VERSIONS: Final = "_versions"
"""The folder of a table with its manifests, each of which names all files of one version."""
LINKED: Final = frozenset({"data", "_indices"})
"""The folders of a table with its large files."""
PROBE: Final = RecordId("entrepot verify")


async def verify(location: str, settings: LancedbSettings) -> None:
    """Verify all tables in a folder. Raises `Unusable` for damage and `Unavailable` if they cannot be copied."""
    async with scratch_copy(Path(location), _copy) as copy:
        calls = Calls(str(copy), settings.timeout_s)
        try:
            await _verify_copy(copy, calls, settings)
        except Unusable as problem:
            sentence = str(problem).replace(str(copy), location)
            raise Unusable(sentence, replaceable=own_tables(location)) from problem
        except (Timeout, Unavailable):
            raise
        except (DamageFound, StoreError, ValueError) as problem:
            raise damaged_error(location, str(problem).replace(str(copy), location)) from problem


def _copy(location: Path, copy: Path) -> None:
    """Copy the tables as they are now, although other processes may write. Blocking."""
    for table in own_tables(str(location)):
        # Manifests first: the files they name exist now and are kept for some minutes, even if they become outdated.
        for part in sorted(table.rglob("*"), key=lambda path: (VERSIONS not in path.parts, path)):
            target = copy / part.relative_to(location)
            if part.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):  # an outdated version that was just removed
                    _link(part, target)


def _link(file: Path, target: Path) -> None:
    """Copy a small file; link a large one, which the engine never changes once it is written."""
    if LINKED.isdisjoint(file.parts):
        shutil.copyfile(file, target)
        return
    try:
        os.link(file, target)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(file, target)


async def _verify_copy(copy: Path, calls: Calls, settings: LancedbSettings) -> None:
    connection = await calls.run(LANCE.connect_async(str(copy), storage_options={}))
    collections = Collections(connection, calls, index_from=settings.index_from, remote=False)
    meta = MetaTable(connection, calls)
    try:
        for table in own_tables(str(copy)):
            space, _, name = table.stem.partition(".")
            if name:
                vectors = LanceVectors(collections, Meta(meta, namespace(space)), namespace(space))
                await _verify_collection(collections, namespace(space), name, vectors)
            elif await meta.set(PROBE, PROBE, if_absent=False) != await meta.get(PROBE):
                raise DamageFound(f"table {table.stem} does not store values")
    except NotFound as problem:
        raise DamageFound(str(problem)) from problem
    finally:
        await collections.close()


async def _verify_collection(collections: Collections, namespace: Namespace, name: str, vectors: LanceVectors) -> None:
    record = await _read_all(vectors, name)
    await collections.use(namespace, name, _search_each_index)
    if record is None:
        return
    changed = replace(record, rev=Revision(record.rev + 1))
    new = replace(record, id=PROBE)
    await vectors.upsert(name, [changed, new])
    if await vectors.revisions(name, [record.id, PROBE]) != {record.id: changed.rev, PROBE: new.rev}:
        raise DamageFound(f"collection {name} does not store records")


async def _read_all(vectors: LanceVectors, name: str) -> VectorRecord | None:
    """Read every record of a collection and return one of them, None if it is empty."""
    read = 0
    page = await vectors.scan(name)
    first = next(iter(page.items), None)
    while True:
        if not all(is_unit(record.vector) for record in page.items):
            raise DamageFound(f"collection {name} has lost vectors")
        read += len(page.items)
        if page.after is None:
            break
        page = await vectors.scan(name, after=page.after)
    if read != await vectors.count(name):
        raise DamageFound(f"collection {name} does not have as many records as it counts")
    return first


async def _search_each_index(opened: OpenTable) -> None:
    for index in await opened.calls.run(opened.table.list_indices()):
        [column] = index.columns
        filled = f"{column} <> ''" if column == "words" else f"{column} IS NOT NULL"
        sample = opened.table.query().where(f"{filled} AND NOT dead").select([column]).limit(1)
        rows = await opened.calls.run(sample.to_arrow())
        if not rows.num_rows:
            continue
        found = await opened.calls.run(_search(opened.table.query(), column, rows).limit(1).to_arrow())
        if not found.num_rows:
            raise DamageFound(f"the index of {column} in {opened.name} does not find stored records")


def _search(query: OpenQuery, column: str, sample: Rows) -> QueryBuilder:
    """Return a query that finds the sample through the column's index."""
    [value] = sample.column(column).to_pylist()
    if column == "vector":
        import numpy as np

        vector = np.array(value, dtype=np.float32)
        return query.nearest_to(vector).distance_type("cosine").select(["id", "_distance"])
    if column == "words":
        return query.nearest_to_text(str(value).partition(" ")[0], columns=["words"]).select(["id", "_score"])
    if isinstance(value, list):
        return query.where(f"array_has({column}, {literal(cast('list[str]', value)[0])})").select(["id"])
    return query.where(f"{column} = {literal(cast('Scalar', value))}").select(["id"])
