"""A look for which the disk has no room says that, and leaves the store to be used."""

import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from backends.opening import StoreHouse
from backends.ports.errors import Unusable
from backends.trial import Unexamined
from tests.engines.kuzu.test_files import SPACE, filled

LEFT = 200_000


@pytest.fixture
def small(tmp_path: Path) -> Generator[Path]:
    """A file system of 32 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)], check=False)
    if done.returncode:
        pytest.skip("only root may mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


async def test_no_space_left_is_said_and_is_no_damage(small: Path, driver: str) -> None:
    await filled(small, driver)
    (small / "fill").write_bytes(b"x" * (shutil.disk_usage(small).free - LEFT))
    house = StoreHouse({"graph": {"kind": "kuzu", "driver": driver}}, small)
    problem = (await house.examine())["graph"]
    assert isinstance(problem, Unexamined)
    assert not isinstance(problem, Unusable)
    assert "No space left" in str(problem)
    assert (await house.health())["graph"].ok
    assert await (await house.stores(graph="graph").graph(SPACE)).get_meta("none") is None
    await house.close()
    assert not [*small.glob("examined-*")]
