"""Meta values of one namespace are its own, and the first of several writers wins where it is asked for."""

from pathlib import Path
from typing import Protocol, cast

import anyio

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.driver import LANCE, Schema, Table
from backends.ports.ids import namespace
from tests.engines.lancedb.tables import SPACE, bare_table, opened


class _Replacing(Protocol):
    """A connection that may replace a table."""

    async def create_table(self, name: str, *, schema: Schema, mode: str) -> Table:
        """Create a table."""
        ...


async def test_namespaces_share_a_table_but_no_values(tmp_path: Path) -> None:
    engine = await ADAPTER.open({}, tmp_path)
    one, two = await engine.vectors(namespace("one")), await engine.vectors(namespace("two"))
    assert await one.get_meta("key") is None
    assert await one.set_meta("key", "its'own") == "its'own"
    assert await two.get_meta("key") is None
    assert await two.set_meta("key", "another", if_absent=True) == "another"
    assert (await one.get_meta("key"), await two.get_meta("key")) == ("its'own", "another")
    assert await (await bare_table(tmp_path, "notes")).count_rows() == 2
    await engine.close()


async def test_several_engines_that_set_a_value_at_once_agree_on_the_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as one, opened(tmp_path) as two:
        await one.set_meta("other", "stored before")
        answers: set[str] = set()

        async def note(value: int) -> None:
            answers.add(await (one, two)[value % 2].set_meta("who", str(value), if_absent=True))

        async with anyio.create_task_group() as group:
            for value in range(8):
                group.start_soon(note, value)
        assert answers == {await one.get_meta("who")}
    assert await (await bare_table(tmp_path, "notes")).count_rows() == 2


async def test_engines_that_store_their_first_values_at_once_keep_them_all(tmp_path: Path) -> None:
    """The driver may let the second creator of a table replace the first one's."""
    for attempt in range(20):
        location = tmp_path / str(attempt)
        location.mkdir()
        async with opened(location) as one, opened(location) as two, opened(location) as three:
            engines = {"one": one, "two": two, "three": three}
            async with anyio.create_task_group() as group:
                for name, engine in engines.items():
                    group.start_soon(engine.set_meta, name, name)
            assert [await one.get_meta(name) for name in engines] == [*engines]


async def test_values_of_a_table_that_was_replaced_are_put_back_by_the_next_writer(tmp_path: Path) -> None:
    """Its creator may have ended before it put them back, as may a second one."""
    async with opened(tmp_path) as one:
        await one.set_meta("who", "the first")
        location = tmp_path / "lancedb" / SPACE
        connection = cast("_Replacing", await LANCE.connect_async(str(location), storage_options={}))
        schema = await (await bare_table(tmp_path, "notes")).schema()
        for _ in range(2):
            await connection.create_table("notes", schema=schema, mode="overwrite")
        assert await one.set_meta("who", "another", if_absent=True) == "the first"
