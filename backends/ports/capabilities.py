"""What an engine can do: one small value per adapter, used at run time, for test selection and for the support matrix."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PortName: TypeAlias = Literal["graph", "vectors", "events", "embedder", "language"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The differences between engines that a caller may have to know; all else is the same everywhere."""

    ports: frozenset[PortName]
    """Which ports the adapter offers."""
    durable: Literal["fsync", "process"] = "process"
    """`fsync`: an acknowledged `append` survives loss of power; `process`: it survives the death of the process."""
    processes: Literal["many", "one"] = "one"
    """Whether several processes may have the same store open."""
    conditional_writes: bool = False
    """The engine itself refuses older revisions; where not, only the holder of the lease may write."""
    substring_index: bool = False
    """`Contains` is answered from an index for needles of 3 characters and more; where not, by a scan."""
    exact_dense: bool = False
    """`dense` looks at every candidate; where not, recall@10 against exact is at least 0.95."""
    ranked_keyword: bool = False
    """`keyword` ranks by the engine's BM25; where not, it gathers candidates that contain most words."""
    native_paths: bool = False
    """The engine finds shortest paths itself."""
    max_batch: int = 2_000
    """Records per engine call; the adapter splits larger batches of idempotent calls itself."""
