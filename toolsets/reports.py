"""What long work reports: its progress, and the outcome of a rebuild or a comparison."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from backends.ports.adapter import Stores


class Progress(Protocol):
    """Tells the client how far a call has come; does nothing for a client that did not ask."""

    async def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report `done` of `total` units of work."""
        ...


async def no_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Be the progress of a client that did not ask."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did to a toolset's stores, with the digests of both generations when the old one could be read."""

    events: int
    nodes: int
    edges: int
    vectors: int
    embedded: int
    """How many vectors were computed again instead of being taken over."""
    digest: str
    former_digest: str | None
    generation: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A record that two sets of stores do not hold alike."""

    record: Literal["node", "edge", "passage"]
    group: str
    """The kind of a node, the collection of a passage; empty for an edge."""
    id: str
    found: Literal["missing", "unexpected", "different"]
    """In the other stores, as compared with the live ones."""
    part: str = ""
    """The part of the toolset that has stores of its own, such as a database; empty where there is none."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """How the live stores of a toolset and other stores compare, both at the same position of the log."""

    position: int
    """The last event of the toolset that both had followed."""
    nodes: int
    edges: int
    vectors: int
    digest: str
    """Of the live stores, from which the counts are, too."""
    other_digest: str
    """Of the other stores; embeddings by different models make it another one and are no difference."""
    differing: int
    """How many records differ; 1,000 stands for that many and more."""
    differences: tuple[Difference, ...]
    """The first 20 of them, in the order of the stores."""

    @property
    def equal(self) -> bool:
        """Whether both hold the same."""
        return not self.differing


class Rebuildable(Protocol):
    """A toolset whose stores can be built again from its events."""

    async def rebuild(self, progress: Progress, destination: Stores | None = None) -> RebuildReport:
        """Build a new generation beside the live one, compare digests, then switch to it.

        With `destination` the new generation is built in those stores (another profile's) from the same events, and
        made live there.
        """
        ...


@runtime_checkable
class Comparable(Protocol):
    """A `Rebuildable` that can also say whether other stores hold what its live stores hold."""

    async def compare(self, progress: Progress, other: Stores) -> ComparisonReport:
        """Bring both sets of stores up to the log and compare all that they hold; servers may go on meanwhile.

        Raises `Unusable` for stores that cannot be compared, such as empty ones, and the stores' errors.
        """
        ...
