"""Stored data that cannot be decoded is damage of the file that holds it, and is neither quoted nor chained."""

import asyncio
import sqlite3
import traceback
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import Undecodable, Unusable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.ids import namespace
from backends.ports.values import Micros, NodeId, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from backends.stores import open_engine
from tests.engines.sqlite.samples import KIND, batch

NS = namespace("n1")
CONTENT = "a word that is nobody's business"
NOT_UTF8 = b"\x80" + CONTENT.encode()
NOT_JSON = f'{{"text": "{CONTENT}\x01"}}'


async def filled(engine: Engine) -> None:
    """Store an event in each of two streams, a node and a vector."""
    log = await engine.events()
    for number, stream in enumerate(("a/x/1", "b/x/1")):
        event = NewEvent(EventId(f"0000000{number}-0000-4000-8000-000000000000"), "Made", {"k": CONTENT}, Micros(1))
        await log.append([Write(StreamName(stream), (event,), expected=0)], batch=BatchId(f"batch-{number}"))
    graph = await engine.graph(NS)
    await graph.ensure([KIND])
    await graph.apply(batch("one"))
    vectors = await engine.vectors(NS)
    await vectors.ensure(CollectionSpec("texts", 4, "model", ()))
    vector = np.array([1, 0, 0, 0], dtype=np.float32)
    await vectors.upsert("texts", [VectorRecord(RecordId("r"), vector, "text", Revision(1), {})])


def changed(path: Path, statement: str, value: bytes | str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, (value,))
        connection.commit()


async def read(engine: Engine, port: str) -> None:
    match port:
        case "events":
            await (await engine.events()).read_all("a/")
        case "graph":
            await (await engine.graph(NS)).get_nodes([NodeId("one")])
        case _:
            await (await engine.vectors(NS)).get("texts", [RecordId("r")])


@pytest.mark.parametrize(
    ("port", "statement", "value"),
    [
        ("events", "UPDATE events SET data = CAST(? AS TEXT) WHERE position = 1", NOT_UTF8),
        ("events", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON),
        ("graph", "UPDATE nodes SET fields = CAST(? AS TEXT)", NOT_UTF8),
        ("graph", "UPDATE nodes SET fields = ?", NOT_JSON),
        ("vectors", "UPDATE records SET fields = ?", NOT_JSON),
        ("vectors", "UPDATE records SET vector = ?", b"\x00" * 15),
    ],
)
async def test_a_record_that_cannot_be_decoded_is_damage_of_its_file(
    tmp_path: Path, port: str, statement: str, value: bytes | str
) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    await filled(engine)
    path = tmp_path / f"{port}.db"
    changed(path, statement, value)
    for call in (lambda: read(engine, port), engine.verify):
        with pytest.raises(Unusable) as caught:
            await call()
        assert f"{path} is damaged" in str(caught.value)
        assert CONTENT not in "".join(traceback.format_exception(caught.value))
        assert bool(caught.value.replaceable) == (port != "events")
        assert isinstance(caught.value, Undecodable) == (port == "events")
        assert ("the event at position 1, version 1 of a/x/1, cannot" in str(caught.value)) == (port == "events")
    await engine.close()


async def test_a_checkpoint_that_cannot_be_decoded_is_damage(engine: Engine, tmp_path: Path) -> None:
    log = await engine.events()
    await log.save_checkpoint("c", {"position": 1}, expected=0)
    changed(tmp_path / "events.db", "UPDATE checkpoints SET value = ?", NOT_JSON)
    with pytest.raises(Undecodable, match=r"events\.db is damaged"):
        await log.load_checkpoint("c")


async def test_an_event_that_cannot_be_decoded_does_not_hide_a_damaged_graph(engine: Engine, tmp_path: Path) -> None:
    """A rebuild moves the graph aside, and goes on without the streams of the event."""
    await filled(engine)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    with pytest.raises(Undecodable):
        await engine.verify()
    changed(tmp_path / "graph.db", "UPDATE nodes SET fields = ?", NOT_JSON)
    with pytest.raises(Unusable, match=r"graph\.db is damaged") as caught:
        await engine.verify()
    assert caught.value.replaceable


async def test_an_event_that_cannot_be_decoded_leaves_the_other_streams_usable(engine: Engine, tmp_path: Path) -> None:
    await filled(engine)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    log = await engine.events()
    with pytest.raises(Unusable):
        await log.read_all("a/")
    event = NewEvent(EventId("00000009-0000-4000-8000-000000000000"), "Made", {}, Micros(2))
    await log.append([Write(StreamName("b/x/1"), (event,), expected=1)], batch=BatchId("batch-9"))
    assert [each.version for each in await log.read_all("b/")] == [1, 2]


async def test_what_cannot_be_decoded_fails_none_of_the_calls_that_are_read_together_with_it(
    engine: Engine, tmp_path: Path
) -> None:
    await filled(engine)
    log = await engine.events()
    for name in "ab":
        await log.save_checkpoint(name, name, expected=0)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    changed(tmp_path / "events.db", "UPDATE checkpoints SET value = ? WHERE name = 'a'", NOT_JSON)
    names = [*"bb", "a", *"bbbb"]
    streams = await asyncio.gather(
        *(log.read_streams([StreamName(f"{name}/x/1")]) for name in names), return_exceptions=True
    )
    checkpoints = await asyncio.gather(*map(log.load_checkpoint, names), return_exceptions=True)
    for found in (streams, checkpoints):
        assert [isinstance(each, Undecodable) for each in found] == [name == "a" for name in names]
    assert all(isinstance(each, BaseException) or len(each[StreamName("b/x/1")]) == 1 for each in streams)


async def test_a_read_that_fails_leaves_no_transaction_open(engine: Engine, tmp_path: Path) -> None:
    await filled(engine)
    changed(tmp_path / "events.db", "UPDATE events SET data = ? WHERE position = 1", NOT_JSON)
    log = await engine.events()
    failures: list[Unusable] = []
    for _ in range(3):
        with pytest.raises(Unusable) as caught:
            await log.read_all()
        failures.append(caught.value)
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert failures
    assert not busy


@pytest.mark.parametrize(
    ("port", "statement", "index"),
    [
        ("events", "DELETE FROM events", "events_p1"),
        ("graph", "DELETE FROM nodes", "nodes_kind"),
        ("vectors", "DELETE FROM records", "records_live"),
    ],
)
async def test_an_index_that_does_not_fit_its_table_is_found_by_a_verification(
    engine: Engine, tmp_path: Path, port: str, statement: str, index: str
) -> None:
    await filled(engine)
    await engine.verify()
    without_index(tmp_path / f"{port}.db", index, statement)
    with pytest.raises(Unusable, match=f"index {index}"):
        await engine.verify()


def without_index(path: Path, index: str, statement: str) -> None:
    """Run a statement that leaves an index as it is: SQLite does not see it meanwhile."""
    row: tuple[object, ...] = ()
    for step in (0, 1, 2):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            if step == 0:
                row = connection.execute("SELECT * FROM sqlite_master WHERE name = ?", (index,)).fetchone()
                connection.execute("DELETE FROM sqlite_master WHERE name = ?", (index,))
            elif step == 1:
                connection.execute(statement)
            else:
                connection.execute("INSERT INTO sqlite_master VALUES(?, ?, ?, ?, ?)", row)
            connection.commit()
