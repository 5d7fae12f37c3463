"""One event that cannot be read: its toolset says that its log is damaged; the others are served, and rebuilt."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.e2e.knowledge.test_refused_starts import damage
from tests.support.commands import entrepot
from tests.support.knowledge import PATIENCE_S, ask, create, names_in
from tests.support.servers import ours_http

TEXT = "a text of nobody's business"
TOOLSETS = "knowledge,memory"
REPORTED_S = 5.0
"""After the server listens."""


async def filled(data: Path) -> None:
    """File a concept and an entity, and damage the concept's event as one flipped bit would."""
    async with ours_http(data, toolsets=TOOLSETS) as server:
        await create(server.caller("/mcp/knowledge"), "spoilt", area="general", explanation=TEXT)
        await ask(server.caller("/mcp/memory"), "create_entity", entity("Sand"))
    spoil(data, TEXT)
    # The projections are lost too, so that they need the event.
    for path in [*data.glob("graph.db*"), *data.glob("vectors.db*")]:
        path.unlink()


def spoil(data: Path, text: str) -> None:
    """Put a control character into the one event that has a text."""
    with closing(sqlite3.connect(data / "events.db")) as connection, connection:
        spoilt = connection.execute(
            "UPDATE events SET data = replace(data, ?, char(1)) WHERE data LIKE ?", (text, f"%{text}%")
        )
        assert spoilt.rowcount == 1


def entity(name: str) -> dict[str, object]:
    return {"database": "memory", "name": name, "entity_type": "thing", "observations": ["is ground stone"]}


def readiness(port: int) -> httpx2.Response:
    return httpx2.get(f"http://127.0.0.1:{port}/readyz")


async def test_one_event_that_cannot_be_decoded_concerns_its_toolset_only(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await filled(data)
    async with ours_http(data, toolsets=TOOLSETS) as server:
        listening = time.monotonic()
        with anyio.fail_after(PATIENCE_S):
            while not (problems := (reply := readiness(server.port)).json()["toolsets"]["knowledge"]["problems"]):
                await anyio.sleep(0.05)
        assert time.monotonic() - listening < REPORTED_S
        assert reply.status_code == 503
        assert f"{data / 'events.db'} is damaged" in problems[0]
        assert "business" not in reply.text
        memory = server.caller("/mcp/memory")
        await ask(memory, "create_entity", entity("Glass"))
        assert reply.json()["toolsets"]["memory"]["ok"]
        assert server.process.poll() is None


async def test_one_event_of_the_list_of_databases_concerns_memory_only(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with ours_http(data, toolsets=TOOLSETS) as server:
        await ask(server.caller("/mcp/memory"), "create_entity", entity("Sand"))
    spoil(data, '"name":"memory"')
    async with ours_http(data, toolsets=TOOLSETS) as server:
        refused = await ask(server.caller("/mcp/memory"), "create_entity", entity("Glass"))
        assert refused["status"] == "error"
        assert "one of its events is damaged" in str(refused["message"])
        reply = readiness(server.port)
        [problem] = reply.json()["toolsets"]["memory"]["problems"]
        assert f"the list of databases cannot be read: {data / 'events.db'} is damaged" in problem
        assert (await create(server.caller("/mcp/knowledge"), "whole", area="general", explanation=TEXT))["success"]
        assert reply.json()["toolsets"]["knowledge"]["ok"]


@pytest.mark.parametrize("kind", ["relay/graph", "generation/vectors"])
@pytest.mark.parametrize("value", ["{", '{"position": "x", "generation": "x"}'])
async def test_one_damaged_checkpoint_concerns_its_toolset_only(tmp_path: Path, kind: str, value: str) -> None:
    async with ours_http(tmp_path, toolsets=TOOLSETS) as server:
        await create(server.caller("/mcp/knowledge"), "whole", area="general")
    assert (await entrepot("rebuild", "--data-dir", str(tmp_path), "--toolset", "knowledge")).returncode == 0
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        statement = "UPDATE checkpoints SET value = ? WHERE name LIKE ?"
        assert connection.execute(statement, (value, f"knowledge/{kind}/%")).rowcount
    async with ours_http(tmp_path, toolsets=TOOLSETS) as server:
        assert (await ask(server.caller("/mcp/memory"), "create_entity", entity("Glass")))["status"] == "created"
        toolsets = readiness(server.port).json()["toolsets"]
        assert toolsets["memory"]["ok"]
        assert not toolsets["knowledge"]["ok"]
        assert any(
            f"checkpoint knowledge/{kind}/" in problem or "events.db is damaged" in problem
            for problem in toolsets["knowledge"]["problems"]
        ), toolsets["knowledge"]


async def test_a_check_finds_it(tmp_path: Path) -> None:
    await filled(tmp_path)
    done = await entrepot("check", "--data-dir", str(tmp_path))
    assert done.returncode == 1
    assert f"{tmp_path / 'events.db'} is damaged" in done.stdout
    assert "business" not in done.stdout + done.stderr
    assert "unforeseen" not in done.stdout + done.stderr


async def spoilt(data: Path, how: str) -> str:
    """Store two concepts and an entity, and damage one concept's event; return the concept's id."""
    async with ours_http(data, toolsets=TOOLSETS) as server:
        knowledge = server.caller("/mcp/knowledge")
        concept = str((await create(knowledge, "spoilt", area="general", explanation=TEXT))["concept_id"])
        await create(knowledge, "whole", area="general")
        await ask(server.caller("/mcp/memory"), "create_entity", entity("Sand"))
    with closing(sqlite3.connect(data / "events.db")) as connection, connection:
        assert connection.execute(f"UPDATE events SET {how} WHERE data LIKE ?", (f"%{TEXT}%",)).rowcount == 1  # noqa: S608
    return concept


@pytest.mark.parametrize(
    "how",
    [
        "data = replace(data, 'nobody', char(1))",
        "data = CAST(X'80' || CAST(data AS BLOB) AS TEXT)",
        "type = 'knowledge.concept_renamed'",
        "schema = 9",
    ],
)
async def test_a_rebuild_names_the_event_and_rebuilds_the_other_toolsets(tmp_path: Path, how: str) -> None:
    data = tmp_path / "data"
    concept = await spoilt(data, how)
    done = await entrepot("rebuild", "--json", "--data-dir", str(data))
    assert done.returncode == 1
    reports = json.loads(done.stdout)
    assert "knowledge" not in reports
    assert (reports["memory"]["generation"], reports["memory"]["nodes"]) == (2, 1)
    assert reports["memory"]["digest"] == reports["memory"]["former_digest"]
    assert "The rebuild of knowledge stopped: " in done.stderr
    assert f"knowledge/concept/{concept}" in done.stderr
    assert "Stores that were not switched yet are unchanged" in done.stderr
    assert "business" not in done.stdout + done.stderr
    async with ours_http(data, toolsets=TOOLSETS) as server:
        assert await names_in(server.caller("/mcp/knowledge"), "general") == ["spoilt", "whole"]
        memory = server.caller("/mcp/memory")
        found = await ask(memory, "search_entities", {"database": "memory", "query": "Sand"})
        assert found["count"] == 1
        await ask(memory, "create_entity", entity("Glass"))


async def test_a_damaged_store_is_filled_again_for_the_other_toolsets(tmp_path: Path) -> None:
    """It is moved aside first; the message about the toolset that was not rebuilt says where its files are."""
    data = tmp_path / "data"
    await spoilt(data, "data = replace(data, 'nobody', char(1))")
    damage(data / "graph.db", 4_096)
    done = await entrepot("rebuild", "--json", "--data-dir", str(data))
    assert done.returncode == 1
    assert json.loads(done.stdout)["memory"]["nodes"] == 1
    [aside] = data.glob("damaged-*")
    assert f"The rebuild of knowledge stopped: {data / 'events.db'} is damaged" in done.stderr
    assert f"Damaged files were moved to {aside}" in done.stderr
