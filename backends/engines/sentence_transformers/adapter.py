"""The adapter of sentence-transformers models. A model is loaded at opening and runs in its own thread, text by text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from backends.engines.sentence_transformers import driver
from backends.engines.sentence_transformers.identity import check_revision, digest_of, place_of
from backends.engines.sentence_transformers.settings import SentenceTransformersSettings
from backends.kit.threads import Workers
from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import Unavailable
from backends.ports.options import parse_options
from backends.ports.values import Json

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MAX_BYTES: Final = 64 * 1024
"""Longer texts are cut here; the model's own limit is lower."""


class SentenceTransformersEmbedder:
    """A loaded model."""

    def __init__(
        self, settings: SentenceTransformersSettings, workers: Workers, model: driver.Model, *, name: str, revision: str
    ) -> None:
        self._model = model
        self._workers = workers
        self._timeout_s = settings.timeout_s
        self.identity: Final = EmbedderIdentity(name, len(_row(model, "dimension")), revision)

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text, in order; see the port."""
        import numpy as np

        cut = [_cut(text) for text in texts]
        rows = np.empty((len(cut), self.identity.dim), dtype=np.float32)
        # One at a time: a row must not depend on other texts, and a query waits for at most one text.
        for place, text in enumerate(cut):
            rows[place] = await self._workers.run(lambda text=text: _row(self._model, text), timeout_s=self._timeout_s)
        return rows


class SentenceTransformersEngine(Engine):
    """A model in memory."""

    def __init__(self, settings: SentenceTransformersSettings) -> None:
        self._settings = settings
        self._workers = Workers("sentence_transformers", threads=1)
        self._embedder: SentenceTransformersEmbedder | None = None

    async def open(self, directory: Path) -> None:
        """Load the model. Raises `InvalidInput`, `Unusable`, `Unavailable`, and `Timeout` if loading takes too long."""
        self._embedder = await self._workers.run(lambda: self._load(directory), timeout_s=self._settings.load_timeout_s)

    async def embedder(self) -> SentenceTransformersEmbedder:
        """Return the embedder."""
        if self._embedder is None:
            raise Unavailable("the embedding model is closed")
        return self._embedder

    async def health(self) -> Health:
        """Name the model in memory."""
        if self._embedder is None:
            return Health(ok=False, detail="the embedding model is closed")
        versions = {**driver.versions(), "model": str(self._embedder.identity)}
        return Health(ok=True, detail=f"{self._settings.model} is loaded on {self._settings.device}", versions=versions)

    async def close(self) -> None:
        """Release the model."""
        self._embedder = None
        self._workers.close()

    def _load(self, directory: Path) -> SentenceTransformersEmbedder:
        settings = self._settings
        place = place_of(settings.model, directory)
        found = check_revision(place, settings.revision, digest_of(place)) if isinstance(place, Path) else None
        model, commit = driver.load(place, revision=settings.revision, device=settings.device, offline=settings.offline)
        name = place.name if isinstance(place, Path) else place
        return SentenceTransformersEmbedder(settings, self._workers, model, name=name, revision=found or commit or "")


class SentenceTransformersAdapter:
    """Embedders of the sentence-transformers library."""

    name: Final = "sentence_transformers"
    capabilities: Final = Capabilities(ports=frozenset({"embedder"}), processes="many")
    settings: type[BaseModel] = SentenceTransformersSettings

    async def open(self, options: Mapping[str, Json], directory: Path) -> SentenceTransformersEngine:
        """Load the model that the options name; it is downloaded if they allow it."""
        engine = SentenceTransformersEngine(parse_options(SentenceTransformersSettings, options))
        try:
            await engine.open(directory)
        except BaseException:
            await engine.close()
            raise
        return engine


ADAPTER: Final = SentenceTransformersAdapter()


def _cut(text: str) -> str:
    return text if len(text) * 4 <= MAX_BYTES else text.encode()[:MAX_BYTES].decode(errors="ignore")


def _row(model: driver.Model, text: str) -> "NDArray[numpy.float32]":
    """Return the unit vector of one text. Blocking."""
    import numpy as np

    try:
        [row] = model.encode(
            [text], batch_size=1, show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=False
        )
    except (RuntimeError, ValueError, IndexError) as error:
        raise Unavailable(f"the embedding model failed on a text: {error}") from error
    vector = np.asarray(row, dtype=np.float32)
    norm = float(np.linalg.norm(vector))
    if not 0 < norm < np.inf:
        raise Unavailable("the embedding model failed on a text: its vector has no direction")
    return vector / np.float32(norm)
