"""Stores that are damaged or missing: errors with a code and the name of the store, over both transports, and recovery."""

import json
from pathlib import Path

import anyio

from contracts.promises import promise
from tests.support.damage import table_gone
from tests.support.knowledge import ask
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http
from tests.support.skills import create, learned, named, talk

UNWELL = {"store_unavailable", "store_failed"}


async def refused(caller: HttpCaller, path: str, body: dict[str, object], part: str) -> None:
    """Check that a route answers 500 and names the part that is down."""
    status, answer = await caller.post(path, body)
    told = json.loads(answer)
    assert (status, told["error"] in UNWELL, part in told["detail"]) == (500, True, True), told


async def well(caller: HttpCaller) -> None:
    """Wait until `/health` answers 200: at the relay's next attempt to bring the stores up, within seconds."""
    with anyio.fail_after(60):
        while (await caller.get("/health"))[0] != 200:
            await anyio.sleep(0.1)


@promise("skills:errors:stores", "skills:http:unhealthy")
async def test_a_store_that_is_down_is_named_and_health_says_so(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="skills") as server:
        caller = server.caller()
        await learned(caller, "one", "first")
        assert await caller.get("/health") == (200, b'{"status":"ok"}')
        with table_gone(tmp_path / "vectors.db", "records"):
            reply = await ask(caller, "search_skills", {"query": "anything"})
            assert reply["error"] in UNWELL
            assert "records" not in str(reply), "an error names no table"
            await refused(caller, "/search", {"query": "anything"}, "vector store")
            await refused(caller, "/create", {"conversation": talk("one", "second")}, "vector store")
            status, answer = await caller.get("/health")
            assert (status, "vector store" in json.loads(answer)["detail"]) == (500, True)
        await well(caller)
        assert await named(caller, "look one", "one") == ["first"]
        (tmp_path / "events.db").rename(tmp_path / "elsewhere.db")
        await refused(caller, "/create", {"conversation": talk("one", "third")}, "event log")
        status, answer = await caller.get("/health")
        assert (status, "event log" in json.loads(answer)["detail"]) == (500, True)
        (tmp_path / "elsewhere.db").rename(tmp_path / "events.db")
        assert (await create(caller, "one", "fourth"))["created"] is True
        await well(caller)
        assert sorted(await named(caller, "look one", "one")) == ["first", "fourth"], "what was refused was not stored"


async def test_health_sees_a_damaged_event_log_that_can_still_be_read(tmp_path: Path) -> None:
    """SQLite answers from its cache; what is written fails."""
    async with ours_http(tmp_path, toolsets="skills") as server:
        caller = server.caller()
        await learned(caller, "one", "first")
        log = tmp_path / "events.db"
        with log.open("r+b") as file:
            file.write(b"\xa5" * log.stat().st_size)
        log.with_name("events.db-wal").unlink(missing_ok=True)
        with anyio.fail_after(60):
            while (await caller.get("/health"))[0] == 200:
                await anyio.sleep(0.1)
        status, answer = await caller.get("/health")
        assert (status, json.loads(answer)["error"]) == (500, "store_unavailable")


@promise("skills:http:absent")
async def test_without_the_toolset_its_routes_are_not_there(tmp_path: Path) -> None:
    async with ours_http(tmp_path, toolsets="knowledge") as server:
        caller = server.caller()
        for path in ("/search", "/create", "/update"):
            assert (await caller.post(path, {"query": "x"}))[0] == 404
        assert (await caller.get("/openapi.json"))[0] == 404
        status, answer = await caller.get("/health")
        assert (status, json.loads(answer)["toolsets"]) == (200, ["knowledge"])


@promise("skills:secrets:stored")
async def test_no_file_has_a_secret_or_the_conversation(tmp_path: Path) -> None:
    secrets = ("ann.lee@example.org", "hunter2zebra", "4111 1111 1111 1111")
    told = f"My mail is {secrets[0]}, my password is {secrets[1]}, my card {secrets[2]}. It rains in Aberystwyth today."
    text = f"Customer: The bell is mute. {told}\nAgent: Turn the wheel.\nCustomer: {told} That solved it!"
    async with ours_http(tmp_path, toolsets="skills") as server:
        caller = server.caller()
        status, answer = await caller.post("/create", {"conversation": text, "metadata": {"product_area": secrets[0]}})
        assert status == 200, answer
        skill_id = json.loads(answer)["skill_id"]
        status, _ = await caller.post("/update", {"skill_id": skill_id, "conversation": text, "feedback": told})
        assert status == 200
    stored = b"".join(file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file())
    assert b"Turn the wheel" in stored
    for kept_out in (*secrets, "That solved it"):
        assert kept_out.encode() not in stored, kept_out
