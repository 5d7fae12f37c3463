"""The adapter of the default embedder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio.to_thread
from pydantic import BaseModel

from backends.engines.minilm.embedder import MiniLMEmbedder
from backends.engines.minilm.identity import SHIPPED, ModelFiles, files_in
from backends.engines.minilm.settings import MiniLMSettings
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.options import parse_options
from backends.ports.values import Json


class MiniLMEngine(Engine):
    """The engine of a store of kind `minilm`."""

    def __init__(self, settings: MiniLMSettings, files: ModelFiles) -> None:
        self._files = files
        self._embedder = MiniLMEmbedder(settings, files)

    async def embedder(self) -> MiniLMEmbedder:
        """Return the embedder."""
        return self._embedder

    async def verify(self) -> None:
        """Check the digests of the model's files. Raises `Unusable` and `Unavailable`."""
        await anyio.to_thread.run_sync(self._files.check)

    async def health(self) -> Health:
        """Name the model. It is not loaded for this."""
        from importlib.metadata import version

        detail = f"{self._embedder.identity}, loaded by the first text"
        return Health(ok=True, detail=detail, versions={"onnxruntime": version("onnxruntime")})

    async def close(self) -> None:
        """Release the model and the cached vectors."""
        self._embedder.close()


class MiniLMAdapter:
    """The embedder that ships with Entrepot, or another model of its architecture."""

    name: Final = "minilm"
    capabilities: Final = Capabilities(ports=frozenset({"embedder"}), processes="many")
    settings: type[BaseModel] = MiniLMSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> MiniLMEngine:
        """Return the engine. The first text loads the model. Raises `InvalidInput` for a wrong option."""
        settings = parse_options(MiniLMSettings, options)
        if settings.directory is None:
            return MiniLMEngine(settings, SHIPPED)
        return MiniLMEngine(settings, await anyio.to_thread.run_sync(files_in, settings.directory))


ADAPTER: Final = MiniLMAdapter()
