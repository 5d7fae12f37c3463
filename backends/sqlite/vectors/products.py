"""One product of all vectors with a query: bound by memory, so a large one is shared out among the cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from backends.ports.vectors import Vector
    from backends.sqlite.vectors.arrays import Floats

SHARED_ROWS: Final = 20_000
"""Below, handing over costs more than it saves."""
PARTS: Final = min(4, os.cpu_count() or 1)

# Threads of our own: those of the linear algebra library wait by spinning, which takes the cores from everything else.
_helpers = ThreadPoolExecutor(max(1, PARTS - 1), "dense")


def products(matrix: "Floats", vector: "Vector") -> "Vector":
    """Return the product of each row with the vector."""
    import numpy as np

    if len(matrix) < SHARED_ROWS or PARTS == 1:
        return matrix @ vector
    first, *others = np.array_split(matrix, PARTS)
    shares = [_helpers.submit(np.matmul, other, vector) for other in others]
    return np.concatenate([first @ vector, *(share.result() for share in shares)])
