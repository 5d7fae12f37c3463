"""What long work reports: its progress, and the outcome of a rebuild or a comparison."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from backends.ports.adapter import Stores


class Progress(Protocol):
    """Reports the progress of a call to the client; does nothing if the client did not ask for progress."""

    async def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report `done` of `total` units of work."""
        ...


async def no_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Discard progress."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """The outcome of a rebuild, with the digests of both generations if the old one could be read."""

    events: int
    nodes: int
    edges: int
    vectors: int
    embedded: int
    """How many vectors were computed instead of copied from the former generation."""
    digest: str
    former_digest: str | None
    generation: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A record that differs between two sets of stores."""

    record: Literal["node", "edge", "passage"]
    group: str
    """The kind of a node or the collection of a passage; empty for an edge."""
    id: str
    found: Literal["missing", "unexpected", "different"]
    """The state in the other stores, compared with the live ones."""
    part: str = ""
    """The part of the toolset that has its own stores, such as a database; empty if there is none."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """The comparison of a toolset's live stores with other stores, both at the same position of the log."""

    position: int
    """The position of the last event of the toolset that both had projected."""
    nodes: int
    edges: int
    vectors: int
    digest: str
    """Of the live stores, as are the counts."""
    other_digest: str
    """Of the other stores. Embeddings of another model change the digest without being a difference."""
    differing: int
    """The number of records that differ; counting stops at 1,000."""
    differences: tuple[Difference, ...]
    """The first 20 differences, in the order of the stores."""

    @property
    def equal(self) -> bool:
        """Whether no record differs."""
        return not self.differing


class Rebuildable(Protocol):
    """A toolset whose stores can be rebuilt from its events."""

    async def rebuild(self, progress: Progress, destination: Stores | None = None) -> RebuildReport:
        """Build a new generation beside the live one, compare digests, then switch to it.

        With `destination` the new generation is built in those stores (another profile's) from the same events, and made
        live there. Raises `Conflict` while another rebuild of the same stores runs, and the stores' errors; the live
        generation then stays as it is.
        """
        ...


@runtime_checkable
class Comparable(Protocol):
    """A `Rebuildable` that can also compare its live stores with other ones."""

    async def compare(self, progress: Progress, other: Stores) -> ComparisonReport:
        """Bring both sets of stores up to the log and compare all their records; servers may use them meanwhile.

        Raises `Unusable` for stores that cannot be compared, such as empty ones, and the stores' errors.
        """
        ...
