"""The input of the duplicate search, and the pairs that it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """One entity to compare: `names` are its name and all aliases, `type` is compared for equality only."""

    id: str
    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be the same; `first` and `second` are ids, `similarity` is in (0, 1], and 1 means equal names."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """The best pairs, best first; `truncated` when there are more than the limit."""

    pairs: tuple[Pair, ...]
    truncated: bool


OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) from time to time, in the thread of the search. An exception stops the search and propagates."""
