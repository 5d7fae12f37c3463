"""A server that is down takes down the tools that need it, within their deadline, and they come back by themselves."""

import asyncio
import re
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from contracts.servers import Combination
from tests.profiles.conftest import TOOLSETS
from tests.profiles.families import FAMILIES
from tests.support.knowledge import ask
from tests.support.proxy import roads
from tests.support.servers import Running, ours_http

DEADLINE_S = 30.0
PATIENCE_S = 30.0
GROUP = "outage"
UNWELL = re.compile(
    "service_unavailable|database_error|neo4j_error|chromadb_error|embedding_error"  # knowledge
    "|Service unavailable|Storage failed"  # agent_graph
    r"|.* failed \((unavailable|timeout)\); .*"  # memory
    "|store_unavailable|store_failed"  # skills
)
"""How the tools word a store that fails: not available when that is known, a failure when it happens in the middle."""
DOWN = re.compile(r"service_unavailable|Service unavailable|.* failed \(unavailable\); .*|store_unavailable")
"""How they word a store that was never there."""
READS: Mapping[str, Mapping[str, object]] = {
    "search_concepts_exact": {"area": GROUP},
    "search_concepts_semantic": {"query": "outage"},
}


async def replies(server: Running, name: str) -> Mapping[str, JsonObject]:
    """Return what tools answer, those that write a fact of that name in each toolset among them; none takes too long."""
    answers: dict[str, JsonObject] = {}

    async def timed(tool: str, call: Coroutine[None, None, JsonObject]) -> None:
        begun = time.monotonic()
        answers[tool] = await call
        assert time.monotonic() - begun < DEADLINE_S, f"{tool} kept its caller waiting"

    concepts = server.caller("/mcp/knowledge")
    for family in FAMILIES:
        await timed(family.toolset, family.write(server.caller(f"/mcp/{family.toolset}"), GROUP, name))
    for tool, arguments in READS.items():
        await timed(tool, ask(concepts, tool, arguments))
    return answers


async def recovered(server: Running, name: str) -> None:
    """Wait until every tool works again and the facts are written. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        while refusals(await replies(server, name)):
            await asyncio.sleep(0.2)


def refusals(answers: Mapping[str, JsonObject]) -> list[str]:
    """Return the errors among some answers; that a fact is there already is none."""
    by_toolset = {family.toolset: family for family in FAMILIES}
    refused = (
        reply
        for tool, reply in answers.items()
        if not (by_toolset[tool].stands(reply) if tool in by_toolset else reply["success"])
    )
    return [str(reply["error"] if "error" in reply else reply["message"]) for reply in refused]


async def test_an_outage_is_reported_and_the_gateway_recovers(
    engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    """Each server in turn is cut off under a running gateway: refusals name the failure, nothing acknowledged is lost."""
    async with roads(variables) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        async with ours_http(tmp_path, "--profile", engines.profile, toolsets=TOOLSETS, variables=over) as server:
            assert not refusals(await replies(server, "before"))
            for number, way in enumerate(ways):
                await way.cut()
                refused = refusals(await replies(server, f"outage {number}"))
                assert refused
                assert all(UNWELL.fullmatch(reply) for reply in refused), refused
                assert (await ask(server.caller("/mcp/knowledge"), "ping"))["status"] == "ok"
                await way.mend()
                await recovered(server, f"outage {number}")
            await server.caught_up()
            expected = {"before", *(f"outage {number}" for number in range(len(ways)))}
            for family in FAMILIES:
                assert {*await family.listed(server.caller(f"/mcp/{family.toolset}"), GROUP)} == expected


async def test_a_gateway_starts_while_its_servers_are_down(
    engines: Combination, variables: Mapping[str, str], tmp_path: Path
) -> None:
    """It serves at once, refuses what it cannot do, and works when they are there."""
    async with roads(variables) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        for way in ways:
            await way.cut()
        async with ours_http(tmp_path, "--profile", engines.profile, toolsets=TOOLSETS, variables=over) as server:
            refused = refusals(await replies(server, "filed later"))
            assert len(refused) == len(FAMILIES) + len(READS)
            assert all(DOWN.fullmatch(reply) for reply in refused), refused
            for way in ways:
                await way.mend()
            await recovered(server, "filed later")
            await server.caught_up()
            for family in FAMILIES:
                assert await family.listed(server.caller(f"/mcp/{family.toolset}"), GROUP) == ["filed later"]
