"""A disk or a quota without room shows in `/readyz` and `check`, also while nobody writes, until there is room again."""

import asyncio
import subprocess
from collections.abc import Generator
from pathlib import Path

import httpx2
import pytest

from tests.support.commands import entrepot
from tests.support.knowledge import ask, create
from tests.support.servers import Running, ours_http

PATIENCE_S = 20.0


@pytest.fixture
def small(tmp_path: Path) -> Generator[Path]:
    """Mount a file system of 24 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)], check=False)
    if done.returncode:
        pytest.skip("only root may mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """Write a file until nothing more fits; return it."""
    filling = place / "fill"
    file = filling.open("wb", buffering=0)
    try:
        while True:
            file.write(b"x" * 4_096)
    except OSError:
        file.close()
    return filling


async def readiness(server: Running) -> tuple[int, str]:
    async with httpx2.AsyncClient(verify=False) as http:
        reply = await http.get(f"http://127.0.0.1:{server.port}/readyz")
    return reply.status_code, reply.text


async def test_a_full_disk_is_reported_and_writes_work_again_with_room(small: Path) -> None:
    data = small / "data"
    async with ours_http(data) as server:
        assert (await create(server.caller(), "before", area="disk"))["success"]
        await server.caught_up()
        filling = fill(small)
        status, text = await readiness(server)
        assert status == 503
        assert "is full (0 kB are left); make room" in text
        # Its type has no other word for a reply with counts.
        assert (await ask(server.caller(), "get_server_stats", {}))["status"] == "healthy"
        checked = await entrepot("check", "--data-dir", str(data), "--profile", "embedded")
        assert checked.returncode == 1
        assert "BAD  store embedded (sqlite)" in checked.stdout
        filling.unlink()
        async with asyncio.timeout(PATIENCE_S):
            while (await readiness(server))[0] != 200:
                await asyncio.sleep(0.1)
        assert (await create(server.caller(), "after", area="disk"))["success"]


async def test_an_exhausted_quota_is_reported(tmp_path: Path) -> None:
    settings, data = tmp_path / "entrepot.toml", tmp_path / "data"
    settings.write_text('[stores.embedded]\nkind = "sqlite"\nmax_pages = 150\n', encoding="utf-8")
    async with ours_http(data, "--config", str(settings)) as server:
        caller = server.caller()
        for number in range(400):
            if (await create(caller, f"concept {number}", area="quota"))["message"] != "Created":
                break
        status, text = await readiness(server)
        assert status == 503
        assert "is used up" in text
        assert "raise max_pages" in text
        checked = await entrepot("check", "--data-dir", str(data), "--config", str(settings))
        assert checked.returncode == 1
        assert "raise max_pages" in checked.stdout
