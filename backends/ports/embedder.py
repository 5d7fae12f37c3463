"""The embedder port: texts in, unit vectors out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which model computes the vectors; equal identities give interchangeable vectors."""

    model: str
    dim: int
    revision: str

    def __str__(self) -> str:
        """Return the form that stores record."""
        return f"{self.model}@{self.revision}/{self.dim}"


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The model; known without loading it."""
        ...

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return a row of unit norm per text, in order, as an array of shape (n, dim).

        A text always gives the same row, independent of the other texts in the call; an empty text gives a row too. Text
        beyond the model's limit, which is at most 64 kB, is cut. Raises `Unavailable` if the model cannot be loaded or
        run. Source: embedder:embed.
        """
        ...
