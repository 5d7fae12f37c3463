"""`entrepot knowledge restore`: a deleted concept comes back, and what cannot come back is said."""

import io
from collections.abc import Awaitable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import cast

from tests.support.toolsets.knowledge import Instance, toolset_in


async def said(knowledge: Instance, concept_id: str) -> tuple[int, str, str]:
    """Run the command as the gateway does; return its exit code and what it says, as results and as errors."""
    [spec] = [each for each in knowledge.running.commands if each.command.name == "restore"]
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        spec.command.make_context("restore", [concept_id], obj=spec.obj) as ctx,
    ):
        code = await cast("Awaitable[int]", spec.command.invoke(ctx))
    return code, out.getvalue(), err.getvalue()


async def test_a_deleted_concept_comes_back_although_no_client_is_offered_the_tool(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as knowledge:
        assert "restore_concept" not in knowledge.tools
        concept = await knowledge.create("Loops")
        await knowledge.ask("delete_concept", concept_id=concept)
        assert await said(knowledge, concept) == (0, f"The concept {concept}: Restored.\n", "")
        assert (await knowledge.ask("get_concept", concept_id=concept))["success"]
        code, out, _ = await said(knowledge, concept)
        assert (code, out) == (0, f"The concept {concept}: It was not deleted; nothing was changed.\n")


async def test_what_cannot_come_back_is_an_error(tmp_path: Path) -> None:
    async with toolset_in(tmp_path) as knowledge:
        code, out, err = await said(knowledge, "no id")
        assert (code, out) == (1, "")
        assert err == "No concept has the id no id.\n"
        first = await knowledge.create("Loops")
        await knowledge.ask("delete_concept", concept_id=first)
        await knowledge.create("Loops")
        assert (await said(knowledge, first))[:2] == (1, "")
