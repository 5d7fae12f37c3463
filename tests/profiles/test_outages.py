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

CALLS: Mapping[str, Mapping[str, object]] = {
    "create_concept": {
        "name": "While it is down",
        "explanation": "A concept filed during an outage.",
        "area": "outage",
    },
    "search_concepts_exact": {"area": "outage"},
    "search_concepts_semantic": {"query": "outage"},
}


async def replies(caller: HttpCaller) -> Mapping[str, JsonObject]:
    """Return what each tool answers; none takes longer than its deadline."""
    answers: dict[str, JsonObject] = {}
    for tool, arguments in CALLS.items():
        begun = time.monotonic()
        answers[tool] = await ask(caller, tool, arguments)
        assert time.monotonic() - begun < DEADLINE_S, f"{tool} kept its caller waiting"
    return answers


async def recovered(caller: HttpCaller) -> None:
    """Wait until every tool works again. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        while not all(
            reply["success"] or reply["error"] == "validation_error" for reply in (await replies(caller)).values()
        ):
            await asyncio.sleep(0.2)


async def test_an_outage_is_told_and_passes(engines: Combination, variables: Mapping[str, str], tmp_path: Path) -> None:
    """Each server in turn is cut off under a running gateway: refusals name the failure, nothing acknowledged is lost."""
    async with roads(variables) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        async with ours_http(tmp_path, "--profile", engines.profile, variables=over) as server:
            caller = server.caller()
            assert (await create(caller, "before", area="outage"))["success"]
            for way in ways:
                await way.cut()
                refused = [reply for reply in (await replies(caller)).values() if not reply["success"]]
                assert refused
                assert all(reply["error"] in UNWELL for reply in refused), refused
                assert (await ask(caller, "ping"))["status"] == "ok"
                await way.mend()
                await recovered(caller)
            await drained(caller)
            assert set(await names_in(caller, "outage")) == {"before", "While it is down"}


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
            answers = await replies(caller)
            assert all(reply["error"] == "service_unavailable" for reply in answers.values()), answers
            for way in ways:
                await way.mend()
            await recovered(caller)
            assert await names_in(caller, "outage") == ["While it is down"]
