"""Vectors with their codes: their components as 8-bit integers, which are compared in a fifth of the time.

A code tells the product with a query up to a known error, so only the vectors that may be among the nearest are compared exactly.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from backends.ports.vectors import Vector

    Codes = NDArray[numpy.int8]
    Flags = NDArray[numpy.bool_]
    Floats = NDArray[numpy.float32]
    Numbers = NDArray[numpy.int64]

CODED_ROWS: Final = 8_192
"""Fewer vectors are compared exactly: the overhead of comparing codes would exceed its savings."""
COMPARED_AT_ONCE: Final = 16_384
"""Codes compared in one call, which takes half a millisecond and blocks all other Python threads."""
SHORT: Final = 8
"""Rows are copied and compared if they are at most a `SHORT`th of all rows; beyond that, comparing all rows is faster."""
SLACK: Final = 1e-5
"""How far a float32 product may be from the cosine."""
_LARGEST: Final = 127
"""The largest signed 8-bit integer."""


@dataclass(frozen=True, slots=True)
class CodedVectors:
    """Unit vectors: row `i` of `matrix` is at a distance of at most `errors[i]` from `scales[i] * codes[i]`."""

    matrix: "Floats"
    codes: "Codes"
    scales: "Floats"
    errors: "Floats"

    @classmethod
    def of(cls, matrix: "Floats") -> "CodedVectors":
        """Return vectors with room for their codes, which `encode` fills in."""
        import numpy as np

        rows = len(matrix)
        return cls(matrix, np.empty(matrix.shape, np.int8), np.empty(rows, np.float32), np.empty(rows, np.float32))

    @property
    def bytes(self) -> int:
        """The memory of all rows, used or not."""
        return self.matrix.nbytes + self.codes.nbytes + self.scales.nbytes + self.errors.nbytes

    def first(self, rows: int) -> "CodedVectors":
        """Return the first rows, not copied."""
        return CodedVectors(self.matrix[:rows], self.codes[:rows], self.scales[:rows], self.errors[:rows])

    def moved(self, kept: "Numbers", capacity: int) -> "CodedVectors":
        """Return some rows at the beginning of larger arrays."""
        import numpy as np

        larger = CodedVectors.of(np.empty((capacity, self.matrix.shape[1]), np.float32))
        larger.matrix[: len(kept)] = self.matrix[kept]
        larger.codes[: len(kept)] = self.codes[kept]
        larger.scales[: len(kept)] = self.scales[kept]
        larger.errors[: len(kept)] = self.errors[kept]
        return larger

    def encode(self, start: int, stop: int) -> None:
        """Fill in the codes of some rows."""
        import numpy as np

        vectors = self.matrix[start:stop]
        # A damaged vector may hold anything; its error is infinite, so it is always compared exactly.
        with np.errstate(all="ignore"):
            scales = np.abs(vectors).max(axis=1, initial=0) / np.float32(_LARGEST)
            codes = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None])
            errors = np.linalg.norm(vectors - codes * scales[:, None], axis=1)
        sound = np.isfinite(errors) & (scales < 1)
        self.codes[start:stop] = np.where(sound[:, None], codes, 0)
        self.scales[start:stop] = np.where(sound, scales, 0)
        self.errors[start:stop] = np.where(sound, errors, np.inf)

    def nearest(self, among: "Flags", vector: "Vector", wanted: int) -> "tuple[Numbers, Vector]":
        """Return rows that include the `wanted` nearest ones of those flagged, in order, with their float32 products.

        A damaged vector, whose product is NaN or infinite, is left out.
        """
        import numpy as np

        rows = np.flatnonzero(among)
        few = len(self.matrix) // SHORT
        if len(rows) > max(CODED_ROWS, few) and wanted <= few:
            rows = self._candidates(rows, vector, wanted)
        with np.errstate(all="ignore"):
            gathered = len(rows) <= few
            products = self.matrix[rows] @ vector if gathered else (self.matrix @ vector)[rows]
        sound = np.isfinite(products)
        return rows[sound], products[sound]

    def _candidates(self, rows: "Numbers", vector: "Vector", wanted: int) -> "Numbers":
        """Return those of some rows whose products can be among the `wanted` largest, by the bounds that codes give."""
        import numpy as np

        query = CodedVectors.of(vector.reshape(1, -1))
        query.encode(0, 1)
        if not np.isfinite(query.errors[0]):
            return rows
        # With unit vectors x, q and their decoded codes X, Q: |xq - XQ| <= |x - X| |Q| + |q - Q|.
        length = np.linalg.norm(query.codes[0].astype(np.float32)) * query.scales[0]
        estimates = self._compared(query.codes)[rows].astype(np.float32) * (self.scales[rows] * query.scales[0])
        margins = self.errors[rows] * length + (query.errors[0] + np.float32(SLACK))
        floor = np.partition(estimates - margins, len(rows) - wanted)[len(rows) - wanted]
        return rows[estimates + margins >= floor]

    def _compared(self, query: "Codes") -> "NDArray[numpy.float64]":
        """Return the product of each code with the query's."""
        import numkong
        import numpy as np

        # The library converts to any other type one number at a time.
        products = np.empty((1, len(self.codes)), dtype=np.float64)
        for start in range(0, len(self.codes), COMPARED_AT_ONCE):
            some = slice(start, start + COMPARED_AT_ONCE)
            numkong.cdist(query, self.codes[some], "dot", out=products[:, some])
        return products[0]
