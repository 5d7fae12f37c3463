"""Which kinds can be compared, and the comparison of one."""

import asyncio
import importlib
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, cast

from tests.bench.engines.comparison import Comparison, Figure, figure

MODULES: Final[Mapping[str, str]] = {
    "sqlite": "sqlite",
    "kuzu": "kuzu",
    "ladybug": "kuzu",
    "lancedb": "lancedb",
    "chroma": "chroma",
    "postgres": "postgres",
    "neo4j": "neo4j",
}


def compared(kind: str) -> Sequence[Figure]:
    """Return the figures of a kind; in a process of its own, because some drivers cannot share one."""
    module = cast("Comparison", importlib.import_module(f"tests.bench.engines.{MODULES[kind]}"))
    # In a thread like any other: in the main one Ladybug looks after signals with each call.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _compared(kind, module)).result()


async def _compared(kind: str, module: Comparison) -> Sequence[Figure]:
    with tempfile.TemporaryDirectory(prefix="entrepot-bench-") as folder:
        return [await figure(kind, row) async for row in module.rows(kind, Path(folder))]
