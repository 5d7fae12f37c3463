"""The adapter: loads the model on first use, off the event loop, and remembers recent texts."""

import asyncio
import hashlib
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field

from backends.minilm.model import DIM, MiniLM, ModelError
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import InvalidInput, Unavailable
from backends.ports.options import parse_options
from backends.ports.text import check_text
from backends.ports.values import Json

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

SHIPPED = EmbedderIdentity(model="all-MiniLM-L6-v2", dim=DIM, revision="int8-284685dd129c")


class MiniLMSettings(BaseModel):
    """The table of a store of kind `minilm`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: Path | None = Field(
        default=None, description="Folder with another model.onnx and vocab.txt of the same architecture."
    )
    workers: int = Field(default=min(2, os.cpu_count() or 1), ge=1, le=64, description="Texts embedded at once.")
    remembered: int = Field(default=2_048, ge=0, description="Texts whose vectors stay in memory.")


@dataclass(frozen=True, slots=True)
class _Work:
    """Texts on their way through the model, taken by one worker or several."""

    model: MiniLM
    texts: Sequence[str]
    rows: "NDArray[numpy.float32]"
    left: deque[int]
    is_wanted: Callable[[], bool]

    def go_on(self) -> None:
        """Embed what is left, but give the worker back after a text when somebody waits for one. Raises `ModelError`."""
        while self.left:
            try:
                place = self.left.popleft()
            except IndexError:  # another worker took the last one
                return
            self.rows[place] = self.model.embed(self.texts[place])
            if self.is_wanted():
                return


class MiniLMEmbedder:
    """An embedder whose model is loaded by the first text."""

    def __init__(self, settings: MiniLMSettings, identity: EmbedderIdentity) -> None:
        self._settings = settings
        self._identity = identity
        self._workers = anyio.CapacityLimiter(settings.workers)
        self._loading = anyio.Lock()
        self._model: MiniLM | None = None
        self._lanes = 0
        self._recent: OrderedDict[str, NDArray[numpy.float32]] = OrderedDict()

    @property
    def identity(self) -> EmbedderIdentity:
        """The model; known without loading it."""
        return self._identity

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text, in order; see the port."""
        import numpy as np

        for text in texts:
            check_text(text, what="a text to embed")
        rows = np.empty((len(texts), DIM), dtype=np.float32)
        unknown: list[int] = []
        for place, text in enumerate(texts):
            if (known := self._recall(text)) is not None:
                rows[place] = known
            else:
                unknown.append(place)
        if unknown:
            model = self._model or await self._load()
            work = _Work(model, texts, rows, deque(unknown), self._is_wanted)
            lanes = min(self._settings.workers, len(unknown))
            try:
                await asyncio.gather(*(self._lane(work) for _ in range(lanes)))
            finally:
                work.left.clear()  # nobody wants the rest of what was given up
            for place in unknown:
                self._remember(texts[place], rows[place].copy())
        return rows

    async def _lane(self, work: "_Work") -> None:
        self._lanes += 1
        try:
            while work.left:
                await anyio.to_thread.run_sync(work.go_on, limiter=self._workers)
        except ModelError as problem:
            raise Unavailable(f"the embedding model failed on a text: {problem}") from problem
        finally:
            self._lanes -= 1

    def _is_wanted(self) -> bool:
        """Say whether somebody waits for a worker."""
        return self._lanes > self._settings.workers

    async def _load(self) -> MiniLM:
        async with self._loading:
            if self._model is None:
                directory = self._settings.directory or Path(__file__).parent
                try:
                    self._model = await anyio.to_thread.run_sync(MiniLM, directory, limiter=self._workers)
                except ModelError as problem:
                    raise Unavailable(f"the embedding model cannot be loaded: {problem}") from problem
            return self._model

    def forget(self) -> None:
        """Let go of the model and of the texts remembered."""
        self._model = None
        self._recent.clear()

    def _recall(self, text: str) -> "NDArray[numpy.float32] | None":
        vector = self._recent.get(text)
        if vector is not None:
            self._recent.move_to_end(text)
        return vector

    def _remember(self, text: str, vector: "NDArray[numpy.float32]") -> None:
        self._recent[text] = vector
        while len(self._recent) > self._settings.remembered:
            self._recent.popitem(last=False)


class MiniLMEngine(Engine):
    """The engine of a store of kind `minilm`."""

    def __init__(self, settings: MiniLMSettings, identity: EmbedderIdentity) -> None:
        self._embedder = MiniLMEmbedder(settings, identity)

    async def embedder(self) -> MiniLMEmbedder:
        """Return the embedder."""
        return self._embedder

    async def health(self) -> Health:
        """Say which model this is; it is loaded by the first text."""
        from importlib.metadata import version

        detail = f"{self._embedder.identity}, loaded by the first text"
        return Health(ok=True, detail=detail, versions={"onnxruntime": version("onnxruntime")})

    async def close(self) -> None:
        """Forget the model and the texts remembered."""
        self._embedder.forget()


class MiniLMAdapter:
    """How a profile gets this embedder."""

    name = "minilm"
    capabilities = Capabilities(ports=frozenset({"embedder"}), processes="many")
    settings = MiniLMSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> MiniLMEngine:
        """Return the engine; the model itself is loaded by the first text. Raises `InvalidInput` for a wrong option."""
        settings = parse_options(MiniLMSettings, options)
        if settings.directory is None:
            return MiniLMEngine(settings, SHIPPED)
        return MiniLMEngine(settings, await anyio.to_thread.run_sync(_identity_of, settings.directory))


def _identity_of(directory: Path) -> EmbedderIdentity:
    """Return an identity that differs when either file does: the vocabulary decides what the model is given."""
    digest = hashlib.sha256()
    try:
        for name in ("model.onnx", "vocab.txt"):
            with (directory / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError as problem:
        raise InvalidInput(f"option directory: {problem}") from problem
    return EmbedderIdentity(model=directory.resolve().name, dim=DIM, revision=digest.hexdigest()[:12])


ADAPTER = MiniLMAdapter()
