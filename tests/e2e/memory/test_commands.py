"""`entrepot databases` beside a running server: made, deleted, brought back, purged."""

from pathlib import Path

from contracts.promises import promise
from tests.support.knowledge import ask
from tests.support.memory import entrepot, lines, names, settings, store, totals
from tests.support.servers import ours_http


@promise("memory:databases:command")
async def test_databases_come_and_go_under_a_running_server(tmp_path: Path) -> None:
    data = tmp_path / "data"
    place = ("--data-dir", str(data))
    async with ours_http(data, toolsets="memory") as server:
        assert await entrepot("databases", "create", "notes", *place) == (0, "notes is created.\n")
        assert (await store(server.caller(), "notes", "Alice", "likes tea"))["status"] == "created"
        code, said = await entrepot("databases", "list", *place)
        assert (code, lines(said)) == (0, ["memory (primary)", "notes"])
        code, said = await entrepot("databases", "delete", "notes", *place)
        assert code == 1, "nobody agreed"
        assert "Nothing was deleted" in said
        assert await names(server.caller(), "notes", "tea") == ["Alice"]
        code, said = await entrepot("databases", "delete", "notes", "--yes", *place)
        assert (code, "kept" in said) == (0, True)
        gone = await ask(server.caller(), "search_entities", {"database": "notes", "query": "tea"})
        assert gone["message"] == "Database 'notes' not found"
        assert await entrepot("databases", "create", "notes", *place) == (
            0,
            "notes is restored as it was when it was deleted.\n",
        )
        assert await names(server.caller(), "notes", "tea") == ["Alice"]


@promise("memory:databases:command")
async def test_a_purge_removes_the_events_for_ever_and_the_next_start_is_not_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    place = ("--data-dir", str(data))
    async with ours_http(data, toolsets="memory") as server:
        await store(server.caller(), "memory", "Bob", "stays here")
        await entrepot("databases", "create", "secrets", *place)
        await store(server.caller(), "secrets", "Alice", "the password is swordfish")
        code, said = await entrepot("databases", "delete", "secrets", "--yes", "--purge", *place)
        assert (code, "removed" in said) == (0, True)
        assert await totals(server.caller()) == {"memory": (1, 0)}
    assert all(b"swordfish" not in file.read_bytes() for file in data.glob("events.db"))
    async with ours_http(data, toolsets="memory") as server:
        assert await names(server.caller(), "memory", "stays") == ["Bob"]
        assert await entrepot("databases", "create", "secrets", *place) == (0, "secrets is created.\n")
        assert await totals(server.caller()) == {"memory": (1, 0), "secrets": (0, 0)}
        assert (await store(server.caller(), "secrets", "Alice"))["status"] == "created"
        assert await totals(server.caller()) == {"memory": (1, 0), "secrets": (1, 0)}


@promise("memory:databases:command")
async def test_a_name_that_begins_with_a_dash_is_no_option(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    place = ("--data-dir", str(data))
    assert await entrepot("databases", "create", *place, "--", "-dash", "--yes") == (
        0,
        "-dash is created.\n--yes is created.\n",
    )
    assert (await entrepot("databases", "create", "-dash", *place))[0] == 2
    assert (await entrepot("databases", "delete", *place, "--", "-dash", "--yes"))[0] == 2, "these are two names"
    code, said = await entrepot("databases", "delete", "--yes", *place, "--", "--yes")
    assert (code, said) == (0, "--yes is deleted; its events are kept, and creating it again brings it back.\n")
    code, said = await entrepot("databases", "list", *place)
    assert (code, lines(said)) == (0, ["memory (primary)", "-dash"])


@promise("memory:databases:command")
async def test_errors_are_reported_with_their_exit_codes(tmp_path: Path) -> None:
    flags = settings(tmp_path, "configured")
    (tmp_path / "data").mkdir()
    place = ("--data-dir", str(tmp_path / "data"), *flags)
    for wrong in ("../outside", "a/b", "x" * 65, "a b", ""):
        code, said = await entrepot("databases", "create", wrong, *place)
        assert (code, "letters, digits" in said) == (2, True), said
    for named, reason in (("memory", "is the primary database"), ("configured", "is named in the settings")):
        code, said = await entrepot("databases", "delete", named, "--yes", *place)
        assert (code, reason in said) == (1, True), said
    code, said = await entrepot("databases", "delete", "nowhere", "--yes", *place)
    assert (code, said) == (1, "There is no database 'nowhere'.\n")
    for words in (("destroy",), (), ("list", "--all"), ("delete",), ("create",)):
        code, said = await entrepot("databases", *words, *place)
        assert code == 2 or not words, (words, said)
    code, said = await entrepot("memory", "databases", "list", "--json", *place)
    assert (code, '"configured"' in said) == (0, True)
    assert not [path for path in tmp_path.iterdir() if path.name not in ("data", "memory.toml")]
