"""What an engine can do: one small value per adapter.

They select the tests of the contract suite, `entrepot check` shows them, and pictures are sent only to a language model that
takes them. Each `Graph` and `Vectors` says by its own property whether its writes are conditional.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PortName: TypeAlias = Literal["graph", "vectors", "events", "embedder", "language"]
"""The name of a port, and the key by which a configuration names the store behind it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The differences between engines; everything else is the same for all."""

    ports: frozenset[PortName]
    """Which ports the adapter offers."""
    durable: Literal["fsync", "process", "none"] = "process"
    """`fsync`: an acknowledged write survives a power failure, as every event log promises. `process`: it survives the end of
    the process; what a power failure lost is projected again from the log. `none`: it is lost with the process."""
    processes: Literal["many", "one"] = "one"
    """Whether several processes may have the same store open."""
    conditional_writes: bool = False
    """The engine itself rejects older revisions; otherwise only the holder of the lease may write."""
    exact_dense: bool = False
    """`dense` compares every candidate; otherwise recall@10 against the exact answer is at least 0.95."""
    images: bool = False
    """A prompt of the language model may have images; otherwise they are refused."""
