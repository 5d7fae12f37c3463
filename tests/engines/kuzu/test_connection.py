"""One file, one holder: opened twice, killed, deleted, moved away, or replaced while it is in use."""

import subprocess
import sys
from pathlib import Path

import pytest

from backends.ports.errors import AlreadyOpen, Timeout, Unavailable
from backends.ports.filters import Contains, Or
from backends.ports.graph import GraphBatch
from backends.ports.values import NodeId
from tests.engines.kuzu.files import ROOT, SPACE, THING, filled, opened, thing
from tests.support.damage import check_missed_while_moved

SLOW = Or(tuple(Contains("name", f"absent {number}") for number in range(150)))


def _command(directory: Path, driver: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "tests.engines.kuzu.opener", str(directory), driver, *more]


def _output_elsewhere(directory: Path, driver: str) -> str:
    return subprocess.run(_command(directory, driver), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _killed_after(directory: Path, driver: str, count: int) -> int:
    """Kill a writer during its burst; return the last acknowledged number."""
    last = -1
    command = _command(directory, driver, "burst")
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            last = int(line)
            if last == count:
                writer.kill()
    return last


async def test_a_second_opening_in_the_same_process_is_refused(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    with pytest.raises(AlreadyOpen, match="is open already"):
        await opened(tmp_path, driver)
    await engine.close()
    await (await opened(tmp_path, driver)).close()


async def test_another_name_for_the_same_file_is_the_same_file(tmp_path: Path, driver: str) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "alias").symlink_to(real)
    engine = await opened(real, driver)
    with pytest.raises(AlreadyOpen):
        await opened(tmp_path / "alias", driver)
    await engine.close()


async def test_a_second_process_is_refused(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    output = _output_elsewhere(tmp_path, driver)
    assert output.startswith("already_open: ")
    await engine.close()
    output = _output_elsewhere(tmp_path, driver)
    assert output == "opened\n"


async def test_acknowledged_writes_survive_a_kill(tmp_path: Path, driver: str) -> None:
    for _ in range(2):
        acknowledged = _killed_after(tmp_path, driver, 60)
        engine = await opened(tmp_path, driver)
        names = [NodeId(f"n{number}") for number in range(acknowledged + 1)]
        assert set(await (await engine.graph(SPACE)).get_nodes(names)) == set(names)
        await engine.close()


async def test_a_deleted_file_is_created_again_despite_its_leftovers(tmp_path: Path, driver: str) -> None:
    path = await filled(tmp_path, driver)
    path.unlink()
    Path(f"{path}.wal").write_bytes(b"left over")
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([THING])
    assert (await graph.find("thing")).items == ()
    await engine.close()


async def test_a_file_that_was_moved_away_is_unavailable_until_it_is_back(tmp_path: Path, driver: str) -> None:
    """What is written to it meanwhile would be missing after a restart."""
    path = await filled(tmp_path, driver)
    engine = await opened(tmp_path, driver)
    await check_missed_while_moved(engine, await engine.graph(SPACE), path)
    await engine.close()


async def test_an_older_copy_put_back_in_use_is_refused_and_stays_whole_for_the_next_start(
    tmp_path: Path, driver: str
) -> None:
    """Its log has what the file does not have yet."""
    path = await filled(tmp_path, driver)
    log = Path(f"{path}.wal")
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.apply(GraphBatch((thing(50),)))
    copy = {file: file.read_bytes() for file in (path, log)}
    await graph.apply(GraphBatch(tuple(map(thing, range(51, 90)))))
    for file, content in copy.items():
        file.rename(f"{file}.former")
        file.write_bytes(content)
    with pytest.raises(Unavailable, match="was replaced while it was in use"):
        await graph.find("thing")
    with pytest.raises(Unavailable, match="was replaced while it was in use"):
        await graph.apply(GraphBatch((thing(90),)))
    await engine.close()
    assert {file: file.read_bytes() for file in copy} == copy
    engine = await opened(tmp_path, driver)
    [group] = await (await engine.graph(SPACE)).count_nodes("thing")
    assert group.count == 51
    await engine.close()


async def test_a_read_that_takes_too_long_is_stopped(tmp_path: Path, driver: str) -> None:
    await filled(tmp_path, driver, nodes=3_000)
    engine = await opened(tmp_path, driver, timeout_s=0.001)
    graph = await engine.graph(SPACE)
    with pytest.raises(Timeout):
        await graph.count_nodes("thing", where=SLOW)
    await engine.close()
