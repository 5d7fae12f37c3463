"""What was acknowledged lasts: through kills, through several gateways at once, through the loss of what can be made again."""

import asyncio
import random
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.ports.values import Json, JsonObject
from contracts.servers import Combination
from tests.profiles.conftest import Start
from tests.profiles.families import DATABASE, FAMILIES, Family
from tests.support import agent_graph, memory
from tests.support.commands import entrepot, rebuild
from tests.support.knowledge import ask, create, names_in, part, rows, together
from tests.support.raw import HttpCaller
from tests.support.servers import Running

KILLS = 3
WRITERS = 2
EACH = 20
MOMENTS_S = (0.4, 1.2)
PATIENCE_S = 20.0
FOLDERS = ("chroma", "lancedb")
"""Where embedded engines keep vectors that they find to be gone while they run."""
PAGE = 4_096
PAGES = 12
ROUNDING = 1e-6
TASKS = 8
EDITS = 4


async def write_until_killed(server: Running, family: Family, group: str, acknowledged: set[str]) -> None:
    """Write facts until the server is gone; add the names it acknowledged."""

    async def writer(number: int) -> None:
        caller = at(server, family)
        for count in range(EACH):
            name = f"writer {number} fact {count}"
            try:
                reply = await family.write(caller, group, name)
            except (OSError, EOFError):
                return
            assert family.stands(reply), reply
            acknowledged.add(name)

    await together(writer(number) for number in range(WRITERS))


async def test_what_was_acknowledged_survives_kills(start: Start) -> None:
    """Three servers are killed in the middle of writing; the fourth has it all, once the relays have caught up."""
    moments = random.Random(5)
    acknowledged: dict[str, list[set[str]]] = {}
    for kill in range(KILLS):
        async with start() as server:
            await server.caught_up()
            group = f"kill {kill}"
            told = acknowledged[group] = [set[str]() for _ in FAMILIES]
            writing = asyncio.gather(
                *(
                    write_until_killed(server, family, group, names)
                    for family, names in zip(FAMILIES, told, strict=True)
                )
            )
            await asyncio.sleep(moments.uniform(*MOMENTS_S))
            async with asyncio.timeout(PATIENCE_S):
                # On a slow machine the first write of some takes longer.
                while not all(told):
                    await asyncio.sleep(0.01)
            server.process.kill()
            await writing
    async with start() as server:
        await server.caught_up()
        for group, by_family in acknowledged.items():
            for family, names in zip(FAMILIES, by_family, strict=True):
                caller = at(server, family)
                found = await family.listed(caller, group)
                assert len(found) == len(set(found)), "nothing is there twice"
                assert names <= set(found)
                for name in random.Random(group).sample(sorted(names), min(2, len(names))):
                    assert name in await family.nearest(caller, group, name)


async def edit(server: Running, concept: str, task: int) -> None:
    """Edit a concept and an entity several times."""
    caller = server.caller()  # one for both, that it is not closed as idle while a slow store keeps the other waiting
    for count in range(EDITS):
        said = f"Edit {count} of task {task}."
        reply = await ask(caller, "update_concept", {"concept_id": concept, "explanation": said})
        assert reply["success"], reply
        more = {"database": DATABASE, "entity_name": "shared", "observations": [said]}
        reply = await ask(caller, "add_observations", more)
        assert reply["status"] == "updated", reply


async def test_two_gateways_share_the_engines(start: Start, many: bool) -> None:
    """No update is lost and both answer alike in the end; engines that admit one process say so to the second gateway."""
    async with start() as first:
        concept = str((await create(first.caller("/mcp/knowledge"), "shared", area="both"))["concept_id"])
        await memory.store(first.caller("/mcp/memory"), DATABASE, "shared")
        if not many:
            with pytest.raises(RuntimeError, match="the server ended"):
                await start().__aenter__()
            reply = await ask(first.caller("/mcp/knowledge"), "get_concept", {"concept_id": concept})
            assert reply["success"]
            return
        async with start() as second:
            servers = (first, second)
            await together(edit(servers[task % 2], concept, task) for task in range(TASKS))
            same = await together(
                agent_graph.create(servers[n % 2].caller("/mcp/agent_graph"), "made by both") for n in range(TASKS)
            )
            assert len(set(same)) == 1
            await together(
                create(servers[n % 2].caller("/mcp/knowledge"), f"concept {n}", area="both") for n in range(2 * TASKS)
            )
            for server in servers:
                await server.caught_up()
            views = [await view(server, concept) for server in servers]
            assert views[0] == views[1]
            history = rows(part(views[0], "concept"), "explanation_history")
            assert len({str(entry["explanation"]) for entry in history}) == 1 + TASKS * EDITS
            assert len(rows(views[0], "listed")) == 1 + 2 * TASKS
            [shared] = rows(views[0], "entities")
            assert len({str(said) for said in rows(shared, "observations")}) == TASKS * EDITS


async def view(server: Running, concept: str) -> JsonObject:
    """Return what a gateway says of what was edited, in every store."""
    concepts, entities = server.caller("/mcp/knowledge"), server.caller("/mcp/memory")
    found = await ask(concepts, "get_concept", {"concept_id": concept, "include_history": True})
    hits = await ask(concepts, "search_concepts_semantic", {"query": "Edit of a task", "area": "both", "limit": 50})
    listed = await ask(entities, "search_entities", {"database": DATABASE, "query": "shared"})
    return {
        "concept": found["concept"],
        "listed": await names_in(concepts, "both"),
        "hits": hits["results"],
        "entities": listed["entities"],
        "made": await agent_graph.found(server.caller("/mcp/agent_graph"), "made by both"),
    }


async def test_a_store_that_was_lost_is_rebuilt_with_an_equal_digest(
    start: Start, engines: Combination, variables: dict[str, str], tmp_path: Path
) -> None:
    """All but the events is thrown away, on servers by moving to another space, then what lies in files is damaged."""
    async with start() as server:
        ids = [await family.populate(at(server, family)) for family in FAMILIES]
        await server.caught_up()
        before = [await family.picture(at(server, family), mine) for family, mine in zip(FAMILIES, ids, strict=True)]
    whole = await rebuild(tmp_path, "--profile", engines.profile, variables=variables)
    lose_projections(tmp_path, variables)
    repaired = [await rebuild(tmp_path, "--profile", engines.profile, variables=variables)]
    for damage in (damage_beginnings, damage_pages) if projections(tmp_path) else ():
        damage(tmp_path)
        repaired.append(await rebuild(tmp_path, "--profile", engines.profile, variables=variables))
    assert not [*tmp_path.rglob("damaged-*/events*")], "the log is never moved"
    for family in FAMILIES:
        digest = part(whole, family.toolset)["digest"]
        assert digest == part(whole, family.toolset)["former_digest"]
        assert [part(each, family.toolset)["digest"] for each in repaired] == [digest] * len(repaired)
        assert part(repaired[-1], family.toolset)["events"] == part(whole, family.toolset)["events"]
    async with start() as server:
        await server.caught_up()
        for family, mine, former in zip(FAMILIES, ids, before, strict=True):
            # Embedded again, in other company, a text is as near as before but for rounding.
            assert same(former, await family.picture(at(server, family), mine))


async def test_a_rebuild_beside_a_running_server(
    start: Start, engines: Combination, variables: dict[str, str], many: bool, tmp_path: Path
) -> None:
    """It is served meanwhile, or, where an engine admits one process, refused in a sentence; nothing is moved or lost."""
    async with start() as server:
        await write(server, "before")
        await server.caught_up()
        command = ("rebuild", "--json", "--data-dir", str(tmp_path), "--profile", engines.profile)
        done = await entrepot(*command, variables=variables)
        if many:
            assert done.returncode == 0, done.stderr
        else:
            assert done.returncode == 1
            assert re.search(r"The rebuild of [\w, ]+ stopped: .* open .*process", done.stderr), done.stderr
            assert "Stores that were not switched yet are unchanged" in done.stderr
        assert not [*tmp_path.rglob("damaged-*")]
        await write(server, "after")
        for name in ("before", "after"):
            await found_again(server, name)


def same(one: Json, other: Json) -> bool:
    """Say whether two replies are equal, figures but for what rounding does to a cosine."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= ROUNDING
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def at(server: Running, family: Family) -> HttpCaller:
    """Return a new connection to a toolset; one that was idle for long may be closed."""
    return server.caller(f"/mcp/{family.toolset}")


async def test_vectors_lost_under_a_running_server_are_filled_again(start: Start, tmp_path: Path) -> None:
    """A folder is removed while the toolsets use it: they find everything again by themselves, and work on."""
    async with start() as server:
        await write(server, "before")
        folders = [tmp_path / name for name in FOLDERS if (tmp_path / name).is_dir()]
        if not folders:
            pytest.skip("the vectors of this profile are not in a folder")
        for folder in folders:
            shutil.rmtree(folder)
        await found_again(server, "before")
        await write(server, "after")
        await found_again(server, "after")
        assert all(folder.is_dir() for folder in folders)
        await server.caught_up()


async def write(server: Running, name: str) -> None:
    """Write a fact of a name in each toolset."""
    for family in FAMILIES:
        assert family.stands(await family.write(at(server, family), "lost", name))


async def found_again(server: Running, name: str) -> None:
    """Wait until each toolset's best search finds a fact. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        for family in FAMILIES:
            while name not in await family.nearest(at(server, family), "lost", name):
                await asyncio.sleep(0.1)


def damage_beginnings(data: Path) -> None:
    """Write over the beginning of each file of the data directory but the events'."""
    for file in projections(data):
        size = min(file.stat().st_size, PAGE)
        with file.open("r+b") as opened:
            opened.write((b"damaged " * 512)[:size])


def damage_pages(data: Path) -> None:
    """Write random bytes over pages in the middle of each such file, of which some make an engine's process die."""
    rng = random.Random(11)
    for file in projections(data):
        pages = range(1, file.stat().st_size // PAGE)
        with file.open("r+b") as opened:
            for page in rng.sample(pages, min(len(pages), PAGES)):
                opened.seek(page * PAGE)
                opened.write(rng.randbytes(PAGE))


def projections(data: Path) -> list[Path]:
    """Return the files of the data directory that hold anything but events."""
    return sorted(
        file
        for file in data.rglob("*")
        if file.is_file()
        and file.stat().st_size
        and "events" not in str(path := file.relative_to(data))
        and "damaged-" not in str(path)
    )


def lose_projections(data: Path, variables: dict[str, str]) -> None:
    """Throw away every store of the data directory but the events, and leave the space on servers; events stay in theirs."""
    for entry in data.iterdir():
        # The pictures of documents are kept as files, and no projections.
        if entry.name.startswith("events.db") or entry.name in {"events", "concept_rag"}:
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for name in variables:
        if name.endswith("__SPACE") and "POSTGRES" not in name:
            variables[name] += "x"
