"""A verification without disk space says so and leaves the store usable."""

import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from backends.integrity import Unverified
from backends.ports.errors import Unusable
from backends.stores import OpenStores
from tests.engines.kuzu.test_files import SPACE, filled

LEFT = 200_000


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
