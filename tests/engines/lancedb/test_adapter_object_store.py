"""Vectors in an object store: every method, outages, hangs and wrong credentials."""

from collections.abc import Awaitable, Generator, Mapping
from pathlib import Path

import anyio
import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.ports.errors import NotFound, Timeout, Unavailable
from backends.ports.filters import Eq
from backends.ports.values import Json, RecordId, Revision
from backends.ports.vectors import Vectors
from contracts.ports.vector_records import NAME, THINGS, axis, cloud, fill, names_stored, record
from contracts.servers import fresh_space
from tests.engines.lancedb.tables import NAMESPACE, opened
from tests.services.needed import Missing, required
from tests.services.s3 import ObjectStore, served


@pytest.fixture(scope="module")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Generator[ObjectStore]:
    """Run an object store that tests may disturb."""
    try:
        with served(tmp_path_factory.mktemp("s3")) as store:
            yield store
    except Missing as missing:
        (pytest.fail if required() else pytest.skip)(str(missing))


@pytest.fixture
def options(object_store: ObjectStore) -> Mapping[str, Json]:
    """Return the options of a store with its own space."""
    return {**object_store.options, "space": fresh_space()}


async def test_every_method_works_in_a_bucket(tmp_path: Path, options: Mapping[str, Json]) -> None:
    async with opened(tmp_path, **options) as vectors, opened(tmp_path, **options) as elsewhere:
        with pytest.raises(NotFound):
            await vectors.count(NAME)
        rows = cloud(40, 1)
        await fill(
            vectors, *(record(f"r{each:02}", row, f"word{each} common", rank=each) for each, row in enumerate(rows))
        )
        await elsewhere.upsert(NAME, [record("r00", axis(2), "changed", rev=3), record("r01", rev=1, rank=99)])
        await vectors.delete(NAME, {RecordId("r02"): Revision(2)})
        await vectors.delete(NAME, {RecordId(f"r{each}"): Revision(2) for each in range(35, 40)})
        await vectors.maintain(NAME)
        assert await elsewhere.count(NAME) == 34
        assert await vectors.revisions(NAME, [RecordId("r00"), RecordId("r02")]) == {"r00": 3, "r02": 2}
        assert (await vectors.get(NAME, [RecordId("r01")]))[RecordId("r01")].fields == {"rank": 1}
        assert (await vectors.dense(NAME, axis(2), 1))[0].id == "r00"
        assert [hit.id for hit in await vectors.dense(NAME, axis(0), 5, where=Eq("rank", 7))] == ["r07"]
        assert [hit.id for hit in await vectors.keyword(NAME, "word9", 5)] == ["r09"]
        page = await vectors.scan(NAME, limit=10)
        assert [item.id for item in (await elsewhere.scan(NAME, after=page.after, limit=1)).items] == ["r11"]
        await vectors.set_meta("note", "kept")
        assert await elsewhere.set_meta("note", "later", if_absent=True) == "kept"
        await vectors.drop(NAME)
        with pytest.raises(NotFound):
            await elsewhere.count(NAME)
        assert await elsewhere.get_meta("note") == "kept"


async def test_a_call_asks_once_for_the_latest_version(
    tmp_path: Path, object_store: ObjectStore, options: Mapping[str, Json]
) -> None:
    async def looks(call: Awaitable[object]) -> int:
        before = object_store.requested("/_versions/ ")
        await call
        return object_store.requested("/_versions/ ") - before

    async with opened(tmp_path, **options) as vectors, opened(tmp_path, **options) as elsewhere:
        await fill(vectors, record("a", axis(0), "first", rank=1))
        assert await elsewhere.count(NAME) == 1
        await vectors.upsert(NAME, [record("b", axis(1), "second", rank=2)])
        assert await looks(elsewhere.count(NAME)) == 1
        assert await looks(elsewhere.get(NAME, [RecordId("b")])) == 1
        assert await looks(elsewhere.revisions(NAME, [RecordId("b")])) == 1
        assert await looks(elsewhere.dense(NAME, axis(1), 1, where=Eq("rank", 2))) == 1
        assert await looks(elsewhere.keyword(NAME, "second", 1)) == 1
        assert await looks(elsewhere.scan(NAME, limit=1)) == 1
        assert await looks(elsewhere.upsert(NAME, [record("c", axis(2), "third")])) == 2, "one more to commit"
        assert await vectors.count(NAME) == 3


async def test_several_writers_of_the_same_new_ids_leave_one_row_each(
    tmp_path: Path, options: Mapping[str, Json]
) -> None:
    async with opened(tmp_path, **options) as one, opened(tmp_path, **options) as other:
        await one.ensure(THINGS)

        async def write(vectors: Vectors, rev: int) -> None:
            await vectors.upsert(NAME, [record(f"r{each}", rank=rev, rev=rev) for each in range(5)])

        async with anyio.create_task_group() as group:
            for rev in range(1, 9):
                group.start_soon(write, one if rev % 2 else other, rev)
        found = (await one.scan(NAME)).items
        assert [(item.id, item.rev, item.fields) for item in found] == [
            (f"r{each}", 8, {"rank": 8}) for each in range(5)
        ]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"secret_key": "wrong"}, "refuses the credentials"),
        ({"access_key": "wrong"}, "refuses the credentials"),
        ({"uri": "s3://nowhere/x"}, "no such bucket"),
        ({"endpoint": "http://127.0.0.1:9"}, "does not answer"),
    ],
)
async def test_a_wrong_option_is_reported_at_opening(
    tmp_path: Path, options: Mapping[str, Json], wrong: Mapping[str, Json], sentence: str
) -> None:
    with pytest.raises(Unavailable, match=sentence) as problem:
        await ADAPTER.open({**options, **wrong}, tmp_path)
    assert str(options["secret_key"]) not in str(problem.value)


async def test_a_store_that_hangs_times_out_and_works_again_afterwards(
    tmp_path: Path, options: Mapping[str, Json], object_store: ObjectStore
) -> None:
    async with opened(tmp_path, **options, timeout_s=2) as vectors:
        await fill(vectors, record("r"))
        object_store.pause()
        try:
            with anyio.fail_after(5), pytest.raises(Timeout):
                await vectors.count(NAME)
        finally:
            object_store.go_on()
        assert await names_stored(vectors) == ["r"]


async def test_a_store_that_is_down_is_unavailable_and_works_again_when_it_is_back(
    tmp_path: Path, options: Mapping[str, Json], object_store: ObjectStore
) -> None:
    engine = await ADAPTER.open({**options, "timeout_s": 8}, tmp_path)
    vectors = await engine.vectors(NAMESPACE)
    await fill(vectors, record("r"))
    object_store.kill()
    with anyio.fail_after(9), pytest.raises(Unavailable, match="does not answer"):
        await vectors.upsert(NAME, [record("s")])
    assert not (await engine.health()).ok
    # The new server is empty and has no users, so it must accept anybody.
    object_store.start(for_anybody=True)
    with pytest.raises(NotFound):
        await vectors.count(NAME)
    await fill(vectors, record("again"))
    assert await names_stored(vectors) == ["again"]
    assert (await engine.health()).ok
    await engine.close()
