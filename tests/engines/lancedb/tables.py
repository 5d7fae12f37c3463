"""Helpers that open LanceDB's vectors and inspect its tables with the bare driver."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.driver import LANCE, Table
from backends.ports.checked import CheckedEngine
from backends.ports.ids import namespace
from backends.ports.values import Json
from backends.ports.vectors import VectorRecord, Vectors
from contracts.ports.vector_records import NAME

NAMESPACE = namespace("n")
TABLE = f"{NAMESPACE}.{NAME}"
SPACE = "entrepot"


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[Vectors]:
    """Open the checked vectors of one namespace and close the engine afterwards."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield await CheckedEngine(engine).vectors(NAMESPACE)
    finally:
        await engine.close()


def table_folder(directory: Path) -> Path:
    """Return the folder of the test collection's table."""
    return directory / "lancedb" / SPACE / f"{TABLE}.lance"


async def bare_table(directory: Path, name: str = TABLE) -> Table:
    """Return a table, by default the test collection's, opened with the bare driver."""
    location = directory / "lancedb" / SPACE
    connection = await LANCE.connect_async(str(location), storage_options={})
    return await connection.open_table(name)


async def small_files(directory: Path, name: str = TABLE) -> int:
    """Return the number of small files of a table."""
    return (await (await bare_table(directory, name)).stats())["fragment_stats"]["num_small_fragments"]


async def upsert_one_by_one(vectors: Vectors, records: Sequence[VectorRecord]) -> None:
    """Store each record in its own call."""
    for record in records:
        await vectors.upsert(NAME, [record])
