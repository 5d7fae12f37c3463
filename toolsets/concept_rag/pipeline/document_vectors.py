"""The vectors of one document: chunks in small batches that survive an interruption, and short texts once each."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import anyio.from_thread
import anyio.to_thread

from backends.ports.embedder import Embedder
from backends.ports.vectors import text_hash
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.pipeline.scratch import VectorScratch, vectors_in

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

Advance: TypeAlias = Callable[[int, int], None]
"""Called with the number of chunks that have a vector, and the number of all chunks."""
ResultT = TypeVar("ResultT")


class DocumentVectors:
    """An embedder, and the vectors of one document."""

    def __init__(self, embedder: Embedder, scratch: VectorScratch, *, batch: int) -> None:
        """`batch` is the number of chunks per embedder call."""
        self._embedder = embedder
        self._scratch = scratch
        self._batch = batch
        self.known: dict[str, Vector] = {}
        """Vectors by the hash of their text."""

    async def chunks(self, texts: Sequence[str], advance: Advance) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text. Raises the embedder's errors."""
        hashes = await anyio.to_thread.run_sync(lambda: [text_hash(text) for text in texts])
        stored = await anyio.to_thread.run_sync(self._scratch.load, self._embedder.identity.dim)
        self.known.update({key: stored[key] for key in hashes if key in stored})
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in self.known}
        keys = list(missing)
        advance(len(texts) - len(keys), len(texts))
        for start in range(0, len(keys), self._batch):
            batch = keys[start : start + self._batch]
            rows = await self._embedder.embed([missing[key] for key in batch])
            self.known.update(zip(batch, rows, strict=True))
            await anyio.to_thread.run_sync(self._scratch.append, batch, rows)
            advance(len(texts) - len(keys) + start + len(batch), len(texts))
        return self._rows(hashes)

    async def short(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text. Raises the embedder's errors."""
        hashes = [text_hash(text) for text in texts]
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in self.known}
        if missing:
            rows = await self._embedder.embed(list(missing.values()))
            self.known.update(zip(missing, rows, strict=True))
        return self._rows(hashes)

    async def in_thread(self, work: Callable[[Embed], Coroutine[None, None, ResultT]]) -> ResultT:
        """Return the result of a CPU-bound coroutine that awaits only the embedding of short texts.

        The coroutine runs in a thread, and embeds on the event loop. Raises the coroutine's errors.
        """

        async def embed(texts: Sequence[str]) -> "NDArray[numpy.float32]":
            anyio.from_thread.check_cancelled()
            return anyio.from_thread.run(self.short, texts)

        return await anyio.to_thread.run_sync(_completed, work(embed))

    async def forget(self) -> None:
        """Remove the vectors in the scratch file, once the document is recorded."""
        await anyio.to_thread.run_sync(self._scratch.remove)

    def _rows(self, hashes: Sequence[str]) -> "NDArray[numpy.float32]":
        import numpy

        if not hashes:
            return numpy.zeros((0, self._embedder.identity.dim), dtype=numpy.float32)
        return numpy.stack([self.known[key] for key in hashes])


async def embed_once(
    embedder: Embedder, scratch: VectorScratch, texts: Sequence[str], *, shipped: Path | None = None
) -> "NDArray[numpy.float32]":
    """Return a row of unit norm per text: from a shipped file, from an earlier run, or computed and stored.

    `shipped` must have vectors of the same embedder. Raises the embedder's errors.
    """
    import numpy

    dim = embedder.identity.dim
    hashes = [text_hash(text) for text in texts]
    if shipped is not None:
        known = await anyio.to_thread.run_sync(vectors_in, shipped, dim)
        if known.keys() >= set(hashes):
            return numpy.stack([known[key] for key in hashes])
    kept = await anyio.to_thread.run_sync(scratch.load, dim)
    if kept.keys() >= set(hashes):
        return numpy.stack([kept[key] for key in hashes])
    rows = await embedder.embed(texts)
    # Vectors after a damaged record would never be read.
    await anyio.to_thread.run_sync(scratch.remove)
    await anyio.to_thread.run_sync(scratch.append, hashes, rows)
    return rows


def _completed(coroutine: Coroutine[None, None, ResultT]) -> ResultT:
    """Run a coroutine that never waits for an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: ResultT = done.value
        return result
    coroutine.close()
    raise RuntimeError("the coroutine awaits something other than the embedding")
