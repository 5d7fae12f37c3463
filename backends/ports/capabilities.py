"""What an engine can do: one small value per adapter, used at run time, for the selection of tests and by `entrepot check`."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PortName: TypeAlias = Literal["graph", "vectors", "events", "embedder", "language"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The differences between engines that a caller must know; everything else is the same for all."""

    ports: frozenset[PortName]
    """Which ports the adapter offers."""
    durable: Literal["fsync", "process", "none"] = "process"
    """`fsync`: an acknowledged write survives loss of power, which every event log promises. `process`: it survives the end
    of the process; what the last moments lost is projected again from the log. `none`: it is lost with the process."""
    processes: Literal["many", "one"] = "one"
    """Whether several processes may have the same store open."""
    conditional_writes: bool = False
    """The engine itself refuses older revisions; without this, only the holder of the lease may write."""
    exact_dense: bool = False
    """`dense` compares every candidate; without this, recall@10 against the exact answer is at least 0.95."""
    images: bool = False
    """A prompt of the language model may have images; without this, they are refused."""
