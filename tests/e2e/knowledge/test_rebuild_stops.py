"""A rebuild that cannot be done says how things are, and what was moved is made good by the next one."""

from pathlib import Path

import anyio
import pytest

from tests.e2e.knowledge.test_refused_starts import damage
from tests.support.commands import entrepot, rebuild
from tests.support.damage import copied_model, cut_off
from tests.support.knowledge import PATIENCE_S, create, drained, names_in, part
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
async def test_a_data_directory_that_is_not_there_is_not_taken_for_an_empty_one(
    tmp_path: Path, words: list[str]
) -> None:
    mistyped = tmp_path / "dta"
    done = await entrepot(*words, "--data-dir", str(mistyped))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"There is no data directory {mistyped}" in done.stderr
    assert not mistyped.exists()


async def test_a_log_that_is_damaged_where_nobody_reads_is_not_rebuilt_from(tmp_path: Path) -> None:
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


async def test_a_damaged_file_is_replaced_under_a_running_server(tmp_path: Path) -> None:
    """Not what is advised: for a moment its calls fail, or find nothing. Nothing is lost, and it comes back by itself."""
    async with ours_http(tmp_path) as server:
        for number in range(40):
            await create(server.caller(), f"concept {number}", area="kept")
        await drained(server.caller())
        whole = await rebuild(tmp_path)
        damage(tmp_path / "graph.db", 4_096)
        again = await rebuild(tmp_path)
        assert part(again, "knowledge")["digest"] == part(whole, "knowledge")["digest"]
        await create(server.caller(), "later", area="kept")
        with anyio.fail_after(PATIENCE_S):
            while len(await names_in(server.caller(), "kept")) < 41:
                await anyio.sleep(0.1)
        await server.caught_up()
