"""Each error of the driver, and of decoding, becomes a store error that names the file and a remedy."""

import traceback
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import Undecodable, Unusable
from backends.ports.values import NodeId, RecordId
from backends.stores import open_engine
from tests.engines.sqlite.damage import CONTENT, NOT_JSON, NOT_UTF8, NS, changed, filled, refused


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        ("events.db", "restore it from a backup"),
        ("graph.db", "Run `entrepot rebuild`"),
        ("vectors.db", "moves it aside"),
    ],
)
async def test_a_damaged_file_is_refused_with_the_remedy_and_not_changed(
    tmp_path: Path, file: str, remedy: str
) -> None:
    (tmp_path / file).write_bytes(b"this was a database once " * 400)
    before = (tmp_path / file).read_bytes()
    message = await refused(tmp_path, Unusable)
    assert file in message
    assert remedy in message
    assert (tmp_path / file).read_bytes() == before


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
