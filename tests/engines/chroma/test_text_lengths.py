"""The average length of texts comes from samples over the whole collection, and is taken again as it grows."""

import numpy as np
import pytest

from backends.engines.chroma.driver import Bucket, Buckets
from backends.engines.chroma.text_lengths import GROWTH, AverageLength, words_of


@pytest.fixture
async def bucket(buckets: Buckets) -> Bucket:
    return await buckets.create("texts", space="cosine")


async def put(bucket: Bucket, first: int, texts: list[str]) -> None:
    rows = np.eye(len(texts), 4, dtype=np.float32) + 0.1
    keys = [f"t{first + number:05}" for number in range(len(texts))]
    await bucket.put(keys, rows, [{"rev": 1}] * len(texts), texts)


@pytest.mark.parametrize(
    ("text", "words"),
    [("it's one_two", ["it", "s", "one", "two"]), ("", []), ("?!", []), ("日本 7a", ["日本", "7a"])],
)
def test_words_are_runs_of_letters_and_digits(text: str, words: list[str]) -> None:
    assert words_of(text) == words


async def test_a_collection_without_words_has_none(bucket: Bucket) -> None:
    assert await AverageLength().of(bucket, 0) == 0
    await put(bucket, 0, ["", "?"])
    assert await AverageLength().of(bucket, 2) == 0


async def test_samples_come_from_the_whole_collection(bucket: Bucket) -> None:
    """The first half has one word each, the second half three."""
    await put(bucket, 0, ["one"] * 400)
    await put(bucket, 400, ["one two three"] * 400)
    assert await AverageLength().of(bucket, 800) == 2


async def test_the_average_is_taken_again_after_a_growth_of_an_eighth(bucket: Bucket) -> None:
    await put(bucket, 0, ["one"] * 16)
    average = AverageLength()
    assert await average.of(bucket, 16) == 1
    await put(bucket, 16, ["one two three four five six seven eight nine"] * 4)
    assert await average.of(bucket, 16 + 16 // GROWTH) == 1
    assert await average.of(bucket, 20) == (16 + 4 * 9) / 20
