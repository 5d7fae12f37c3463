"""The commands on databases, as an operator sees them."""

import io
from collections.abc import Awaitable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import JsonObject, NodeId
from tests.support.toolsets.memory import memory_in
from toolsets.memory.projections import projector_of
from toolsets.memory.streams import Keyspace, entity_id
from toolsets.sourcing.generations import generation_namespace


async def test_a_purge_leaves_nothing_and_a_later_database_of_the_name_has_another_key(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        await instance.command("create", "notes")
        await instance.store("notes", "Alice", "swordfish")
        former = Keyspace(await instance.key("notes"))
        log = await instance.stores.events()
        assert await log.count(former.prefix) == 1
        assert (await instance.command("delete", "notes", "--yes", "--purge"))[0] == 0
        assert await log.count(former.prefix) == 0
        namespace = generation_namespace(projector_of(former), 1)
        assert await (await instance.stores.graph(namespace)).node_revisions([NodeId(entity_id("Alice"))]) == {}
        assert (await instance.command("delete", "notes", "--yes", "--purge"))[0] == 0, "a purge may be repeated"
        await instance.command("create", "notes")
        assert (await instance.store("notes", "Alice"))["status"] == "created"
        assert await log.count(former.prefix) == 0
    async with memory_in(tmp_path) as instance:
        assert await instance.names("notes", "alice") == ["Alice"]


async def test_help_is_no_wrong_usage(tmp_path: Path) -> None:
    async with memory_in(tmp_path) as instance:
        for words, expected in ((("-h",), "Delete a database."), (("delete", "-h"), "databases delete [OPTIONS] NAME")):
            code, said = await instance.command(*words)
            assert (code, expected in said) == (0, True), said


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("memory", "memory is the primary database; it can be deleted when toolsets.memory.primary names another one."),
        ("archive", "archive is named in the settings and would be created again"),
        ("nothing", "There is no database 'nothing'."),
    ],
)
async def test_why_a_database_is_not_deleted_is_said_on_stderr(tmp_path: Path, name: str, told: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    async with memory_in(tmp_path, "archive") as instance:
        [spec] = instance.running.commands
        line = spec.command.make_context("databases", ["delete", name, "--yes"], obj=spec.obj)
        with redirect_stdout(out), redirect_stderr(err), line as ctx:
            assert await cast("Awaitable[int]", spec.command.invoke(ctx)) == 1
    assert (out.getvalue(), err.getvalue().startswith(told)) == ("", True), err.getvalue()


@pytest.mark.parametrize("name", ["..", "a/b", "", "a b", "x" * 65, "ü"])
async def test_names_that_are_none_are_refused(tmp_path: Path, name: str) -> None:
    async with memory_in(tmp_path) as instance:
        assert (await instance.command("create", name))[0] == 2
        assert await instance.attached() == {"memory": True}


async def test_the_primary_database_is_listed_first(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "archive") as instance:
        assert list(await instance.attached()) == ["memory", "archive"]
        assert await instance.command("list") == (0, "memory (primary)\narchive")
        summary = await instance.ask("get_graph_summary")
        assert list(cast("JsonObject", summary["databases"])) == ["memory", "archive"]
