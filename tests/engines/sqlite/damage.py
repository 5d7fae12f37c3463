"""Files that the tests fill and damage, and the check that a file is sound."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import StoreError
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.ids import namespace
from backends.ports.values import Micros, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from backends.stores import open_engine
from tests.engines.sqlite.samples import KIND, batch

NS = namespace("n1")
CONTENT = "a word that is nobody's business"
NOT_UTF8 = b"\x80" + CONTENT.encode()
NOT_JSON = f'{{"text": "{CONTENT}\x01"}}'
PAGE = 4_096


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


async def refused(directory: Path, kind: type[StoreError]) -> str:
    with pytest.raises(kind) as caught:
        await open_engine(ADAPTER, {}, directory)
    return str(caught.value)


async def grown_log(directory: Path) -> Path:
    """Write 200 events and close the log; return its file."""
    engine = await open_engine(ADAPTER, {}, directory)
    log = await engine.events()
    for number in range(200):
        event = NewEvent(EventId(f"e{number}"), "t", {"n": "x" * 500}, Micros(0))
        await log.append([Write(StreamName("a/b"), (event,))], batch=BatchId(f"b{number}"))
    await engine.close()
    return directory / "events.db"


def sound(path: Path, *searched: str) -> None:
    """Assert that the file's tables, indexes and full-text tables agree."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for table in searched:
            connection.execute(f"INSERT INTO {table}({table}) VALUES('integrity-check')")
