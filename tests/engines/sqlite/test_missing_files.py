"""Files that are deleted or moved away while they are in use."""

from pathlib import Path

import pytest

from backends.ports.adapter import Engine
from backends.ports.errors import Unavailable
from backends.ports.events import BatchId, StreamName
from backends.ports.graph import Graph
from backends.ports.ids import namespace
from backends.ports.values import NodeId
from backends.ports.vectors import Vectors
from tests.engines.sqlite.samples import KIND, batch, write
from tests.support.damage import check_missed_while_moved

NS = namespace("n1")


async def projection(engine: Engine, file: str) -> Graph | Vectors:
    """Return the port that is kept in a file."""
    return await engine.graph(NS) if file == "graph.db" else await engine.vectors(NS)


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
async def test_a_projection_deleted_while_in_use_is_created_again_for_ports_that_are_asked_for_then(
    engine: Engine, tmp_path: Path, file: str
) -> None:
    """Every port that was on the deleted file fails, so that all of its users notice and ask again."""
    store, other = await projection(engine, file), await projection(engine, file)
    await store.set_meta("incarnation", "first")
    (tmp_path / file).unlink()
    for _ in range(2):
        for port in (store, other):
            with pytest.raises(Unavailable, match="removed or replaced"):
                await port.get_meta("incarnation")
            with pytest.raises(Unavailable, match="removed or replaced"):
                await port.set_meta("incarnation", "second")
    store = await projection(engine, file)
    assert await store.get_meta("incarnation") is None
    assert await store.set_meta("incarnation", "second", if_absent=True) == "second"
    assert (await engine.health()).ok


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
async def test_a_projection_that_was_moved_away_is_unavailable_until_it_is_back(
    engine: Engine, tmp_path: Path, file: str
) -> None:
    """None is made in its place: the rest of the file is in its WAL, which stays where it is."""
    await check_missed_while_moved(engine, await projection(engine, file), tmp_path / file)


async def test_a_write_to_a_deleted_graph_is_never_acknowledged(engine: Engine, tmp_path: Path) -> None:
    graph = await engine.graph(NS)
    await graph.ensure([KIND])
    await graph.apply(batch("a"))
    (tmp_path / "graph.db").unlink()
    with pytest.raises(Unavailable):
        await graph.apply(batch("b"))
    graph = await engine.graph(NS)
    await graph.ensure([KIND])
    await graph.apply(batch("b"))
    assert set(await graph.get_nodes([NodeId("a"), NodeId("b")])) == {"b"}


async def test_a_log_that_was_moved_away_is_unavailable_until_the_same_file_is_back(
    engine: Engine, tmp_path: Path
) -> None:
    log = await engine.events()
    await log.append([write("t/s/1")], batch=BatchId("b1"))
    (tmp_path / "events.db").rename(tmp_path / "elsewhere.db")
    with pytest.raises(Unavailable, match=r"events\.db"):
        await log.append([write("t/s/1")], batch=BatchId("b2"))
    assert not (tmp_path / "events.db").exists()
    assert not (await engine.health()).ok
    (tmp_path / "elsewhere.db").rename(tmp_path / "events.db")
    await log.append([write("t/s/1")], batch=BatchId("b3"))
    assert await log.versions([StreamName("t/s/1")]) == {"t/s/1": 2}
