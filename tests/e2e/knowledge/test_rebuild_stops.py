"""A rebuild that cannot be done says how things are, and what was moved is made good by the next one."""

from pathlib import Path

import pytest

from gateway.data_dir_lock import exclusive_lock
from tests.e2e.knowledge.test_refused_starts import damage
from tests.support.commands import entrepot, rebuild
from tests.support.damage import copied_model, cut_off
from tests.support.knowledge import create, drained, part
from tests.support.servers import ours_http


async def test_files_that_were_moved_before_it_stopped_are_named(tmp_path: Path) -> None:
    """Here the vectors are damaged and nothing can compute them anew."""
    data, settings = tmp_path / "data", tmp_path / "entrepot.toml"
    settings.write_text(copied_model(tmp_path / "model"), encoding="utf-8")
    async with ours_http(data, "--config", str(settings)) as server:
        await create(server.caller(), "kept", area="general")
    place = ("--data-dir", str(data), "--config", str(settings))
    whole = await rebuild(data, "--config", str(settings))
    damage(data / "vectors.db", 4_096)
    with cut_off(tmp_path / "model" / "model.onnx"):
        done = await entrepot("rebuild", *place)
    assert done.returncode == 1
    [aside] = data.glob("damaged-*")
    assert f"Damaged files were moved to {aside}" in done.stderr
    assert "run it again" in done.stderr
    assert "as it was" not in done.stderr
    assert (aside / "vectors.db").exists()
    again = await rebuild(data, "--config", str(settings))
    assert part(again, "knowledge")["digest"] == part(whole, "knowledge")["digest"]


@pytest.mark.parametrize("words", [["rebuild"], ["check"], ["memory", "databases", "list"], ["databases", "list"]])
async def test_a_missing_data_directory_is_an_error(tmp_path: Path, words: list[str]) -> None:
    mistyped = tmp_path / "dta"
    done = await entrepot(*words, "--data-dir", str(mistyped))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"There is no data directory {mistyped}" in done.stderr
    assert not mistyped.exists()


async def test_a_rebuild_verifies_the_whole_log_first(tmp_path: Path) -> None:
    """And `check` tells it."""
    async with ours_http(tmp_path) as server:
        for number in range(60):
            await create(server.caller(), f"concept {number}", area="log")
    log = tmp_path / "events.db"
    size = log.stat().st_size
    content = bytearray(log.read_bytes())
    page = size // 2 // 4_096 * 4_096
    content[page : page + 4_096] = b"\xa5" * 4_096
    log.write_bytes(content)
    for words in (["rebuild"], ["check"]):
        done = await entrepot(*words, "--data-dir", str(tmp_path))
        assert done.returncode == 1
        assert "restore it from a backup" in done.stdout + done.stderr
    assert not [*tmp_path.glob("damaged-*")]


async def test_damaged_files_are_not_moved_under_servers_that_run(tmp_path: Path) -> None:
    """One that was killed is none of them. What is whole is rebuilt beside them as ever."""
    async with ours_http(tmp_path) as first, ours_http(tmp_path) as second:
        for number in range(40):
            await create(first.caller(), f"concept {number}", area="kept")
        await drained(first.caller())
        whole = await rebuild(tmp_path)
        damage(tmp_path / "graph.db", 4_096)
        first.process.kill()
        first.process.wait()
        before = (tmp_path / "graph.db").read_bytes()
        refused = await entrepot("rebuild", "--data-dir", str(tmp_path))
        assert refused.returncode == 1
        assert "nothing was moved: stop those servers" in refused.stderr, refused.stderr
        assert not [*tmp_path.glob("damaged-*")]
        assert (tmp_path / "graph.db").read_bytes() == before
        assert second.process.poll() is None
    again = await rebuild(tmp_path)
    assert part(again, "knowledge")["digest"] == part(whole, "knowledge")["digest"]


@pytest.mark.parametrize("words", [["serve"], ["check"], ["memory", "databases", "list"]])
async def test_no_server_starts_while_damaged_files_are_replaced(tmp_path: Path, words: list[str]) -> None:
    with exclusive_lock(tmp_path):
        done = await entrepot(*words, "--data-dir", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "A rebuild is replacing damaged files" in done.stderr
    assert not [*tmp_path.iterdir()]
