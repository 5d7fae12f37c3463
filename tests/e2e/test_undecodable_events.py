"""One event that cannot be decoded: its toolset says that its log is damaged, and the others serve as ever."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import anyio
import httpx2

from tests.support.commands import entrepot
from tests.support.knowledge import PATIENCE_S, ask, create
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


async def test_a_check_finds_it(tmp_path: Path) -> None:
    await filled(tmp_path)
    done = await entrepot("check", "--data-dir", str(tmp_path))
    assert done.returncode == 1
    assert f"{tmp_path / 'events.db'} is damaged" in done.stdout
    assert "business" not in done.stdout + done.stderr
    assert "unforeseen" not in done.stdout + done.stderr
