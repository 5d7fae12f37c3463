"""A purge beside a running server: done whole, or refused whole where an engine admits one process."""

from collections.abc import Mapping
from pathlib import Path

from contracts.servers import Combination
from tests.profiles.conftest import Start
from tests.support.commands import entrepot
from tests.support.memory import names, store, totals


async def test_a_purge_beside_a_server_is_done_or_changes_nothing(
    start: Start, engines: Combination, variables: Mapping[str, str], many: bool, tmp_path: Path
) -> None:
    async def databases(*words: str) -> tuple[int, str]:
        place = ("--profile", engines.profile, "--data-dir", str(tmp_path))
        done = await entrepot("memory", "databases", *words, *place, variables=variables)
        return done.returncode, done.stdout + done.stderr

    purge = ("delete", "notes", "--yes", "--purge")
    async with start() as server:
        caller = server.caller("/mcp/memory")
        assert (await databases("create", "notes"))[0] == 0
        assert (await store(caller, "notes", "Alice", "likes tea"))["status"] == "created"
        code, said = await databases(*purge)
        assert (code, "Nothing was deleted" in said) == ((0, False) if many else (1, True)), said
        if not many:
            assert await names(caller, "notes", "tea") == ["Alice"]
    assert (await databases(*purge))[0] == 0
    async with start() as server:
        caller = server.caller("/mcp/memory")
        assert (await databases("create", "notes"))[0] == 0
        assert (await totals(caller))["notes"] == (0, 0)
