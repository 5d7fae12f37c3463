"""Embedders over the shipped model or a copy of it."""

from pathlib import Path

import backends.engines.minilm
from backends.ports.embedder import Embedder
from backends.registry import load_adapter

MODEL = Path(backends.engines.minilm.__file__).parent


async def open_embedder(**options: str | int) -> Embedder:
    engine = await load_adapter("minilm").open(options, Path())
    return await engine.embedder()
