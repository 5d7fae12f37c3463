"""The average length of a collection's texts in words, from a sample, because the engine does not count words."""

import re
from collections.abc import Sequence
from typing import Final

from backends.engines.chroma.driver import Bucket

SAMPLES: Final = 8
"""With more places a first search takes longer; with fewer a long document may stand for the whole collection."""
SAMPLE_SIZE: Final = 32
"""A sample is taken at each of `SAMPLES` places, since texts stored together are often of one source."""
GROWTH: Final = 8
"""The average is computed again once the collection has changed by an eighth of its records."""
_WORD: Final = re.compile(r"[^\W_]+")


def words_of(text: str) -> Sequence[str]:
    """Return the words of a shadow, in order."""
    return _WORD.findall(text)


class AverageLength:
    """The average length of a collection's texts, kept until the collection has grown or shrunk by an eighth."""

    def __init__(self) -> None:
        self._records = 0
        self._average = 0.0

    async def of(self, bucket: Bucket, records: int) -> float:
        """Return the average number of words of the `records` texts of a bucket; 0 if none has words."""
        if abs(records - self._records) > self._records // GROWTH:
            lengths: list[int] = []
            step = max(SAMPLE_SIZE, records // SAMPLES)
            for offset in range(0, records, step):
                rows = await bucket.get(limit=SAMPLE_SIZE, offset=offset, include=("documents",))
                lengths += [len(words_of(document or "")) for document in rows.documents]
            self._records, self._average = records, sum(lengths) / max(1, len(lengths))
        return self._average
