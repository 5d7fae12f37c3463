"""A cache of what is computed for pieces of text, looked up by `map` without a Python loop."""

from collections.abc import Callable
from typing import Final, TypeVar

LONGEST: Final = 60
"""Characters of a piece; longer ones are rare, and computed each time."""

ValueT = TypeVar("ValueT")


class PieceCache(dict[str, ValueT]):
    """Computes the value of a piece of text when it is first looked up, and empties itself when it is full."""

    def __init__(self, compute: Callable[[str], ValueT], *, most: int, longest: int = LONGEST) -> None:
        """Keep at most `most` values, of pieces with at most `longest` characters."""
        super().__init__()
        self._compute = compute
        self._most = most
        self._longest = longest

    def __missing__(self, piece: str) -> ValueT:
        """Return the value of a piece that is not cached, and keep it."""
        value = self._compute(piece)
        if len(piece) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[piece] = value
        return value
