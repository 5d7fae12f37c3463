"""The engine's own collections: what their calls do with keys, ids and names, on which the adapter relies."""

import numpy as np
import pytest

from backends.engines.chroma.driver import BucketGone, Buckets, BucketTaken

ROWS = np.eye(3, dtype=np.float32)


async def test_stored_keys_stay_unless_they_are_removed(buckets: Buckets) -> None:
    bucket = await buckets.create("things", space="cosine")
    await bucket.put(["r"], ROWS[:1], [{"kept": 1, "gone": 2, "changed": 3}])
    await bucket.put(["r"], ROWS[:1], [{"gone": None, "changed": 4}])
    assert (await bucket.get(include=("metadatas",))).metadatas == [{"kept": 1, "changed": 4}]


async def test_the_first_row_of_an_id_stays(buckets: Buckets) -> None:
    bucket = await buckets.create("things", space="cosine")
    for value in (1, 2):
        await bucket.put_first("r", ROWS[:1], {"value": value})
    assert (await bucket.get(include=("metadatas",))).metadatas == [{"value": 1}]
    assert await bucket.count() == 1


async def test_rows_are_read_by_id_condition_and_pattern(buckets: Buckets) -> None:
    bucket = await buckets.create("things", space="cosine")
    await bucket.put(["a", "b", "c"], ROWS, [{"n": number} for number in range(3)], ["one", "two", ""])
    assert (await bucket.get(ids=["c", "unknown"])).ids == ["c"]
    assert (await bucket.get(ids=[])).ids == ()
    assert (await bucket.get(where={"n": {"$gte": 1}})).ids == ["b", "c"]
    assert (await bucket.get(text_pattern="^t")).ids == ["b"]
    assert len((await bucket.get(limit=2, offset=2)).ids) == 1
    found = await bucket.nearest(ROWS[1], 1, None, ("embeddings",))
    assert found.ids == ["b"]
    assert np.array_equal(found.matrix(), ROWS[1:2])


async def test_unknown_ids_are_removed_without_an_error(buckets: Buckets) -> None:
    bucket = await buckets.create("things", space="cosine")
    await bucket.put(["a", "b"], ROWS[:2], [{"n": 1}] * 2)
    await bucket.remove(["a", "unknown"])
    await bucket.remove([])
    assert (await bucket.get()).ids == ["b"]


async def test_a_name_is_taken_once_and_can_be_removed_twice(buckets: Buckets) -> None:
    first = await buckets.create("things", space="cosine", metadata={"made": "first"})
    with pytest.raises(BucketTaken):
        await buckets.create("things", space="l2")
    again = await buckets.find_or_create("things", space="l2", metadata={"made": "again"})
    assert again.metadata == first.metadata == {"made": "first"}
    assert [bucket.metadata for bucket in await buckets.all()] == [first.metadata]
    for _ in range(2):
        await buckets.remove("things")
    assert await buckets.find("things") is None
    with pytest.raises(BucketGone):
        await first.count()
