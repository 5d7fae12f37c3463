"""The embedder: loads the model for the first text, runs it in threads, and caches the vectors of recent texts."""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from backends.engines.minilm.identity import ModelFiles
from backends.engines.minilm.model import DIM, MiniLM, ModelError
from backends.engines.minilm.settings import MiniLMSettings
from backends.kit.byte_cache import ByteCache
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import Unavailable

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

VECTOR_BYTES: Final = DIM * 4 + 200
"""A vector, and an entry's share of the cache's own memory."""


@dataclass(frozen=True, slots=True)
class _Job:
    """The texts of one call, embedded by one or more workers."""

    model: MiniLM
    texts: Sequence[str]
    rows: "NDArray[numpy.float32]"
    remaining: deque[int]
    worker_is_wanted: Callable[[], bool]

    def run(self) -> None:
        """Embed the remaining texts. Return after one of them if another call waits for a worker. Raises `ModelError`."""
        while self.remaining:
            try:
                place = self.remaining.popleft()
            except IndexError:  # another worker took the last one
                return
            self.rows[place] = self.model.embed(self.texts[place])
            if self.worker_is_wanted():
                return


class MiniLMEmbedder:
    """An embedder whose model is loaded for the first text."""

    def __init__(self, settings: MiniLMSettings, files: ModelFiles) -> None:
        self._settings = settings
        self._files = files
        self._workers = anyio.CapacityLimiter(settings.workers)
        self._loading = anyio.Lock()
        self._model: MiniLM | None = None
        self._lanes = 0
        self._recent = ByteCache[bytes, "NDArray[numpy.float32]"](
            settings.remembered * VECTOR_BYTES, lambda _key, _vector: VECTOR_BYTES
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """The model's identity, known without loading it."""
        return self._files.identity

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text, in order; see the port."""
        import numpy as np

        keys = [_key(text) for text in texts]
        rows = np.empty((len(texts), DIM), dtype=np.float32)
        unknown: list[int] = []
        for place, key in enumerate(keys):
            if (known := self._recent.get(key)) is not None:
                rows[place] = known
            else:
                unknown.append(place)
        if unknown:
            model = self._model or await self._load()
            job = _Job(model, texts, rows, deque(unknown), self._worker_is_wanted)
            lanes = min(self._settings.workers, len(unknown))
            try:
                await asyncio.gather(*(self._lane(job) for _ in range(lanes)))
            finally:
                job.remaining.clear()  # after a cancellation the rest is not needed
            for place in unknown:
                self._recent.put(keys[place], rows[place].copy())
        return rows

    def close(self) -> None:
        """Release the model and the cached vectors."""
        self._model = None
        self._recent.clear()

    async def _lane(self, job: _Job) -> None:
        self._lanes += 1
        try:
            while job.remaining:
                await anyio.to_thread.run_sync(job.run, limiter=self._workers)
        except ModelError as problem:
            raise Unavailable(f"the embedding model failed on a text: {problem}") from problem
        finally:
            self._lanes -= 1

    def _worker_is_wanted(self) -> bool:
        return self._lanes > self._settings.workers

    async def _load(self) -> MiniLM:
        async with self._loading:
            if self._model is None:
                try:
                    self._model = await anyio.to_thread.run_sync(_loaded, self._files, limiter=self._workers)
                except ModelError as problem:
                    raise Unavailable(f"the embedding model cannot be loaded: {problem}") from problem
            return self._model


def _key(text: str) -> bytes:
    """Return the key of a text in the cache of vectors: a digest, because 2,048 texts may take half a gigabyte."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _loaded(files: ModelFiles) -> MiniLM:
    """Check the digests of a model's files and load it. Blocking."""
    files.check()
    return MiniLM(files.directory)
