"""Whether the time of a text's reading is linear in its length."""

import time
from collections.abc import Callable

SHORT, LONG = 3_000, 24_000
"""Characters; of the eightfold a quadratic reading would take 64 times as long."""


def is_linear(read: Callable[[str], object], piece: str, *, before: str = "", least_s: float = 0.004) -> bool:
    """Whether a long repetition of `piece` takes less than 24 times as long as a short one, in one of three attempts.

    A short one counts as `least_s` seconds at least, because shorter times are noise.
    """

    def seconds(size: int) -> float:
        text = before + piece * (size // len(piece))
        start = time.process_time()
        read(text)
        return time.process_time() - start

    return any(seconds(LONG) < 24 * max(seconds(SHORT), least_s) for _ in range(3))
