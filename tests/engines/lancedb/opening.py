"""Opening LanceDB's vectors for a test, and looking behind the adapter with the bare driver."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from backends.lancedb.adapter import ADAPTER
from backends.lancedb.driver import LANCE, Table
from backends.ports.ids import namespace
from backends.ports.values import Json
from backends.ports.vectors import VectorRecord, Vectors
from contracts.ports.space import NAME

NAMESPACE = namespace("n")
TABLE = f"{NAMESPACE}.{NAME}"
SPACE = "entrepot"


@asynccontextmanager
async def opened(directory: Path, **options: Json) -> AsyncGenerator[Vectors]:
    """Open the vectors of one namespace, and close the engine at the end."""
    engine = await ADAPTER.open(options, directory)
    try:
        yield await engine.vectors(NAMESPACE)
    finally:
        await engine.close()


def table_folder(directory: Path) -> Path:
    """Return where the table of the tests' collection lies."""
    return directory / "lancedb" / SPACE / f"{TABLE}.lance"


async def bare_table(directory: Path, name: str = TABLE) -> Table:
    """Return a table, that of the tests' collection if none is named, as the driver sees it."""
    place = directory / "lancedb" / SPACE
    connection = await LANCE.connect_async(str(place), storage_options={})
    return await connection.open_table(name)


async def small_files(directory: Path, name: str = TABLE) -> int:
    """Return how many small files a table consists of."""
    return (await (await bare_table(directory, name)).stats())["fragment_stats"]["num_small_fragments"]


async def upsert_one_by_one(vectors: Vectors, records: Sequence[VectorRecord]) -> None:
    """Store records, each in a call of its own."""
    for record in records:
        await vectors.upsert(NAME, [record])
