"""A log restored from a backup in which some toolsets had no events yet: the steps that the message names restore it."""

import re
import shlex
import shutil
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path

import pytest

from tests.e2e.knowledge.test_restored_logs import back_up
from tests.support import agent_graph, library, memory, skills
from tests.support.commands import entrepot
from tests.support.knowledge import create, names_in
from tests.support.processes import Command, run
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

THREE = ("knowledge", "memory", "agent_graph")
ALL = (*THREE, "skills", "concept_rag")


async def write(caller: HttpCaller, toolsets: Collection[str], name: str, data: Path) -> None:
    """Write one fact with each of the toolsets; a document is ingested beside the server."""
    if "knowledge" in toolsets:
        await create(caller, name, area="log")
    if "memory" in toolsets:
        await memory.store(caller, "memory", name)
    if "agent_graph" in toolsets:
        await agent_graph.create(caller, name)
    if "skills" in toolsets:
        await skills.learned(caller, "log", name)
    if "concept_rag" in toolsets:
        folder = data.with_name(f"{name} documents")
        folder.mkdir()
        (folder / f"{name}.md").write_bytes(library.document(name, paragraphs=1))
        await library.ingest(data, folder)


async def read(caller: HttpCaller, name: str, toolsets: Sequence[str]) -> dict[str, bool]:
    """Return for each of the toolsets whether it finds a fact."""
    found: Mapping[str, Callable[[], Awaitable[Collection[str]]]] = {
        "knowledge": lambda: names_in(caller, "log"),
        "memory": lambda: memory.names(caller, "memory", name),
        "agent_graph": lambda: agent_graph.found(caller, name),
        "skills": lambda: skills.named(caller, f"look log {name}", "log"),
        "concept_rag": lambda: library.titles(caller),
    }
    shown = {"concept_rag": f"The {name.title()} Book"}
    return {toolset: shown.get(toolset, name) in await found[toolset]() for toolset in toolsets}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"knowledge"}, {"memory"}),
        ({"memory"}, {"memory", "agent_graph"}),
        ({"agent_graph"}, set(THREE)),
        ({"skills", "knowledge"}, {"concept_rag", "memory"}),
    ],
    ids=lambda toolsets: "-".join(sorted(toolsets)),
)
async def test_toolsets_empty_in_the_backup_are_restored_with_the_others(
    tmp_path: Path, before: set[str], after: set[str]
) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    # Searching and ingesting take most of the time: the two others are served where they are written.
    toolsets = THREE if before | after <= {*THREE} else ALL
    served = ",".join(toolsets)
    async with ours_http(data, toolsets=served) as server:
        await write(server.caller(), before, "early", data)
        await server.caught_up()
    back_up(data, copy)
    async with ours_http(data, toolsets=served) as server:
        await write(server.caller(), after, "late", data)
        await server.caught_up()
    for file in data.glob("events.db*"):
        file.unlink()
    shutil.copy(copy, data / "events.db")
    place = ("--data-dir", str(data))
    refused = run(Command(["serve", "--transport", "stdio", "--toolsets", served, *place]))
    assert (refused.returncode, refused.stdout) == (1, "")
    steps = re.findall(r"`entrepot ([^`]+)`", refused.stderr)
    assert steps, refused.stderr
    for step in dict.fromkeys(steps):
        done = await entrepot(*shlex.split(step), *place)
        assert done.returncode == 0, (step, done.stderr)
    async with ours_http(data, toolsets=served) as server:
        await server.caught_up()
        caller = server.caller()
        assert await read(caller, "early", toolsets) == {toolset: toolset in before for toolset in toolsets}
        assert await read(caller, "late", toolsets) == dict.fromkeys(toolsets, False)
        await write(caller, toolsets, "again", data)
        await server.caught_up()
        # The ingestion was longer than a connection may be idle.
        assert await read(server.caller(), "again", toolsets) == dict.fromkeys(toolsets, True)
