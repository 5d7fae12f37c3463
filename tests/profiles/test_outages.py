"""A server that is down takes down the tools that need it, within their deadline, and they come back by themselves."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from contracts.servers import Combination
from tests.support.knowledge import ask, create, drained, names_in
from tests.support.proxy import roads
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

DEADLINE_S = 30.0
PATIENCE_S = 30.0


async def replies(caller: HttpCaller, name: str) -> Mapping[str, JsonObject]:
    """Return what tools answer, one of which files a concept of that name; none takes longer than its deadline."""
    calls: Mapping[str, Mapping[str, object]] = {
        "create_concept": {"name": name, "explanation": "A concept filed during an outage.", "area": "outage"},
        "search_concepts_exact": {"area": "outage"},
        "search_concepts_semantic": {"query": "outage"},
    }
    answers: dict[str, JsonObject] = {}
    for tool, arguments in calls.items():
        begun = time.monotonic()
        answers[tool] = await ask(caller, tool, arguments)
        assert time.monotonic() - begun < DEADLINE_S, f"{tool} kept its caller waiting"
    return answers


async def recovered(caller: HttpCaller, name: str) -> None:
    """Wait until every tool works again and the concept is filed. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        while any(not well(reply) for reply in (await replies(caller, name)).values()):
            await asyncio.sleep(0.2)


def well(reply: JsonObject) -> bool:
    """Say whether a tool did its work; that the concept is there already was its work, too."""
    return bool(reply["success"]) or reply["error"] == "validation_error"


async def test_an_outage_is_told_and_passes(engines: Combination, variables: Mapping[str, str], tmp_path: Path) -> None:
    """Each server in turn is cut off under a running gateway: refusals name the failure, nothing acknowledged is lost."""
    async with roads(variables) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        async with ours_http(tmp_path, "--profile", engines.profile, variables=over) as server:
            caller = server.caller()
            assert (await create(caller, "before", area="outage"))["success"]
            for number, way in enumerate(ways):
                await way.cut()
                answers = await replies(caller, f"outage {number}")
                refused = [reply for reply in answers.values() if not reply["success"]]
                assert refused
                assert all(reply["error"] in UNWELL for reply in refused), refused
                assert (await ask(caller, "ping"))["status"] == "ok"
                await way.mend()
                await recovered(caller, f"outage {number}")
            await drained(caller)
            expected = {"before", *(f"outage {number}" for number in range(len(ways)))}
            assert set(await names_in(caller, "outage")) == expected


UNWELL = {"service_unavailable", "database_error", "neo4j_error", "chromadb_error", "embedding_error"}
"""How the tools word a store that fails: not available when that is known, a failure when it happens in the middle."""


async def test_a_gateway_starts_while_its_servers_are_down(
    engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    """It serves at once, refuses what it cannot do, and works when they are there."""
    async with roads(variables) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        for way in ways:
            await way.cut()
        async with ours_http(tmp_path, "--profile", engines.profile, variables=over) as server:
            caller = server.caller()
            answers = await replies(caller, "filed later")
            assert all(reply["error"] == "service_unavailable" for reply in answers.values()), answers
            for way in ways:
                await way.mend()
            await recovered(caller, "filed later")
            assert await names_in(caller, "outage") == ["filed later"]
