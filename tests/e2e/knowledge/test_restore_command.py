"""`entrepot knowledge restore`: a concept that was deleted by mistake, brought back from the command line."""

from pathlib import Path

from tests.support.commands import entrepot
from tests.support.knowledge import ask, create
from tests.support.servers import ours_http


async def test_a_deleted_concept_comes_back_under_a_running_server_that_does_not_offer_the_tool(tmp_path: Path) -> None:
    place = ("--data-dir", str(tmp_path))
    async with ours_http(tmp_path) as server:
        concept = str((await create(server.caller(), "Loops", area="general"))["concept_id"])
        await ask(server.caller(), "delete_concept", {"concept_id": concept})
        back = await entrepot("knowledge", "restore", concept, *place)
        assert (back.returncode, back.stderr) == (0, "")
        assert back.stdout.startswith(f"The concept {concept}: Restored")
        assert len(back.stdout.splitlines()) == 1
        assert (await ask(server.caller(), "get_concept", {"concept_id": concept}))["success"]
        await ask(server.caller(), "delete_concept", {"concept_id": concept})
        other = str((await create(server.caller(), "Loops", area="general"))["concept_id"])
        taken = await entrepot("knowledge", "restore", concept, *place)
        assert (taken.returncode, taken.stdout) == (1, "")
        assert taken.stderr == f"A concept with this name, area and topic exists already: {other}.\n"


async def test_a_failed_restore_is_reported_with_exit_code_1(tmp_path: Path) -> None:
    place = ("--data-dir", str(tmp_path))
    async with ours_http(tmp_path) as server:
        concept = str((await create(server.caller(), "Loops"))["concept_id"])
        await ask(server.caller(), "delete_concept", {"concept_id": concept})
    for unknown in ("nothing", "00000000-0000-4000-8000-000000000000"):
        refused = await entrepot("knowledge", "restore", unknown, *place)
        assert (refused.returncode, refused.stderr) == (1, f"No concept has the id {unknown}.\n")
    alone = await entrepot("knowledge", "restore", concept, *place)
    assert alone.returncode == 0, alone.stderr
    async with ours_http(tmp_path) as server:
        assert (await ask(server.caller(), "get_concept", {"concept_id": concept}))["success"]
    assert (await entrepot("knowledge", "restore", concept, "--data-dir", str(tmp_path / "nowhere"))).returncode == 1
    assert (await entrepot("knowledge", "restore")).returncode == 2
