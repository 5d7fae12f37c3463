"""What is compared, and the pairs that comparing yields."""

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
    """Two entities that may be one; `first` and `second` are ids, `similarity` is in (0, 1] and 1 is the same name."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """The best pairs, best first; `truncated` when there were more than were asked for."""

    pairs: tuple[Pair, ...]
    truncated: bool


Progress: TypeAlias = Callable[[int, int], None]
"""Told (done, total) every so often, in the thread that compares. Whatever it raises stops the search and is passed on."""
