"""The engine over one directory: the files of its ports, their order in a verification, and its end."""

import asyncio
import sys
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.ports.adapter import Engine
from backends.ports.errors import Unavailable, Undecodable, Unusable
from backends.ports.events import BatchId
from backends.stores import open_engine
from tests.engines.sqlite.damage import NOT_JSON, NS, changed, filled, refused
from tests.engines.sqlite.samples import KIND, batch, write

ROOT = Path(__file__).parents[3]


async def test_only_files_of_used_ports_are_created(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    assert await (await engine.events()).head() == 0
    assert (await engine.health()).detail == f"{tmp_path} answers: events.db"
    await engine.close()
    assert [file.name for file in tmp_path.glob("*.db")] == ["events.db"]


async def test_a_directory_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    assert "cannot be used" in await refused(tmp_path / "data", Unavailable)


@pytest.mark.parametrize("file", ["events.db", "graph.db", "vectors.db"])
async def test_a_file_that_cannot_be_opened_leaves_the_other_ports_usable(tmp_path: Path, file: str) -> None:
    """A directory in its place fails as a missing permission does; its port works once it is gone."""
    (tmp_path / file).mkdir()
    engine = await open_engine(ADAPTER, {}, tmp_path)
    ports = {
        "events.db": engine.events,
        "graph.db": lambda: engine.graph(NS),
        "vectors.db": lambda: engine.vectors(NS),
    }
    for other, port in ports.items():
        if other == file:
            with pytest.raises(Unavailable, match=file):
                await port()
        else:
            await port()
    health = await engine.health()
    assert (health.ok, str(tmp_path / file) in health.detail) == (False, True)
    (tmp_path / file).rmdir()
    await ports[file]()
    assert (await engine.health()).ok
    await engine.close()


async def test_a_full_projection_refuses_whole_batches_and_works_again_with_room(tmp_path: Path) -> None:
    graph = await (small := await open_engine(ADAPTER, {"max_pages": 150}, tmp_path)).graph(NS)
    await graph.ensure([KIND])
    large = batch(*(f"{number:04d}" * 100 for number in range(2_000)))
    with pytest.raises(Unavailable, match="full"):
        await graph.apply(large)
    await graph.apply(batch("small"))
    assert [group.count for group in await graph.count_nodes(KIND.name)] == [1]
    await small.close()
    graph = await (roomy := await open_engine(ADAPTER, {}, tmp_path)).graph(NS)
    await graph.apply(large)
    assert [group.count for group in await graph.count_nodes(KIND.name)] == [2_001]
    await roomy.close()


async def test_closing_twice_is_fine_and_later_calls_are_unavailable(tmp_path: Path) -> None:
    engine = await open_engine(ADAPTER, {}, tmp_path)
    log = await engine.events()
    await engine.close()
    await engine.close()
    with pytest.raises(Unavailable):
        await log.append([write("t/s/1")], batch=BatchId("b1"))
    with pytest.raises(Unavailable):
        await log.head()
    assert not (await engine.health()).ok


async def test_opening_imports_no_numpy_and_choosing_the_adapter_no_other(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path; from backends.engines.sqlite.adapter import ADAPTER;"
        "asyncio.run(ADAPTER.open({}, Path(sys.argv[1])));"
        "print(sorted({'numpy', 'onnxruntime', 'filelock', 'backends.engines.minilm'} & set(sys.modules)))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(tmp_path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert (await process.communicate())[0].decode().strip() == "[]"


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
