"""Without disk space writes and verification say so, no committed write is lost, and writes work again with room."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backends.engines.kuzu import connection
from backends.engines.kuzu.adapter import ADAPTER
from backends.engines.kuzu.connection import MIN_FREE_BYTES
from backends.integrity import Unverified
from backends.kit.disk import check_free_space
from backends.ports.errors import Unavailable, Unusable
from backends.ports.graph import GraphBatch, Node
from backends.ports.values import NodeId, Revision
from backends.stores import OpenStores
from tests.engines.kuzu.files import ROOT, SPACE, filled

LEFT = 200_000
CHILD = """
import asyncio, os, pathlib, sys
from tests.engines.kuzu.test_connection_full_disk import *

async def main():
    place = pathlib.Path(sys.argv[1])
    engine = await ADAPTER.open({"driver": sys.argv[2]}, place)
    graph = await engine.graph(SPACE)
    await graph.apply(things(100))
    with filled_after_the_check(place), pytest.raises(Unavailable, match="the disk is full"):
        await graph.apply(things(150))
    if sys.argv[3] == "kill":
        os.kill(os.getpid(), 9)
    await engine.close()

asyncio.run(main())
"""


@pytest.fixture
def small(tmp_path: Path) -> Generator[Path]:
    """Mount a file system of 32 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)], check=False)
    if done.returncode:
        pytest.skip("only root may mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


async def test_a_full_disk_is_reported_and_is_not_damage(small: Path, driver: str) -> None:
    await filled(small, driver)
    (small / "fill").write_bytes(b"x" * (shutil.disk_usage(small).free - LEFT))
    stores = OpenStores({"graph": {"kind": "kuzu", "driver": driver}}, small)
    problem = (await stores.verify())["graph"]
    assert isinstance(problem, Unverified)
    assert not isinstance(problem, Unusable)
    assert "No space left" in str(problem)
    health = (await stores.health())["graph"]
    assert not health.ok
    assert "graph.kuzu answers; the disk of" in health.detail
    assert "is full" in health.detail
    assert await (await stores.stores(graph="graph").graph(SPACE)).get_meta("none") is None
    await stores.close()
    assert not [*small.glob("verification-*")]


def fill(place: Path, *, left: int) -> Path:
    """Write a file that leaves about so many bytes on the disk; return it."""
    filling = place / "fill"
    filling.write_bytes(b"x" * (shutil.disk_usage(place).free - left))
    return filling


def things(first: int, count: int = 20) -> GraphBatch:
    numbers = range(first, first + count)
    return GraphBatch(tuple(Node(NodeId(f"n{n}"), "thing", {"rank": n, "name": "n"}, Revision(1)) for n in numbers))


@contextmanager
def filled_after_the_check(place: Path) -> Generator[None]:
    """Let another program take all space between the check for room and the commit."""

    def check(checked: Path, *, min_bytes: int) -> None:
        check_free_space(checked, min_bytes=min_bytes)
        fill(place, left=0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection.disk, "check_free_space", check)
        yield


async def test_without_room_for_a_write_nothing_is_written_and_reads_work(small: Path, driver: str) -> None:
    await filled(small, driver)
    engine = await ADAPTER.open({"driver": driver}, small)
    graph = await engine.graph(SPACE)
    filling = fill(small, left=MIN_FREE_BYTES - 100_000)
    for number in range(20):
        with pytest.raises(Unavailable, match=r"is full .* 16384 kB are needed\); make room"):
            await graph.apply(things(100 + number, 1))
    assert "is full" in (await engine.out_of_space() or "")
    assert len((await graph.find("thing")).items) == 50
    filling.unlink()
    await graph.apply(things(100))
    assert len((await graph.find("thing")).items) == 70
    await engine.close()


@pytest.mark.parametrize("earlier", [0, 20])
async def test_a_commit_without_room_is_undone_and_the_file_is_opened_again(
    small: Path, driver: str, earlier: int
) -> None:
    await filled(small, driver)
    engine = await ADAPTER.open({"driver": driver}, small)
    graph = await engine.graph(SPACE)
    if earlier:
        await graph.apply(things(100, earlier))
    with filled_after_the_check(small), pytest.raises(Unavailable, match="the disk is full; make room"):
        await graph.apply(things(150))
    for _ in range(2):
        with pytest.raises(Unavailable, match="is full"):
            await graph.apply(things(200))
        with pytest.raises(Unavailable, match="is full"):
            await graph.find("thing")
    (small / "fill").unlink()
    await graph.apply(things(200))
    expected = {f"n{n}" for n in (*range(50), *range(100, 100 + earlier), *range(200, 220))}
    assert {node.id for node in (await graph.find("thing")).items} == expected
    assert set(await graph.get_nodes([*map(NodeId, expected)])) == expected
    await engine.close()
    engine = await ADAPTER.open({"driver": driver}, small)
    assert {node.id for node in (await (await engine.graph(SPACE)).find("thing")).items} == expected
    await engine.verify()
    await engine.close()


@pytest.mark.parametrize(("end", "code"), [("close", 0), ("kill", -9)])
async def test_a_process_that_ends_on_a_full_disk_leaves_what_was_committed(
    small: Path, driver: str, end: str, code: int
) -> None:
    await filled(small, driver)
    command = [sys.executable, "-c", CHILD, str(small), driver, end]
    ended = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    assert await ended.wait() == code
    for _ in range(2):
        engine = await ADAPTER.open({"driver": driver}, small)
        assert len((await (await engine.graph(SPACE)).find("thing")).items) == 70
        await engine.close()
        (small / "fill").unlink(missing_ok=True)
