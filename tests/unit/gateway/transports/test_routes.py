"""What `/readyz` answers about projections that nobody makes, over HTTP and from real stores."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio
import httpx2
import pytest
from pydantic import JsonValue
from starlette.applications import Starlette

from config.sources import load
from gateway.composition import Gateway, assemble_gateway, background
from gateway.dispatch import dispatch
from gateway.plugins import installed
from gateway.transports.routes import health_routes
from toolsets.sourcing import sourced
from toolsets.spec import CallContext


@asynccontextmanager
async def gateway_on(folder: Path, name: str) -> AsyncGenerator[Gateway]:
    """Assemble the knowledge toolset over the common log and stores of its own; nothing runs in the background yet."""
    others: dict[str, JsonValue] = {each: {"enabled": False} for each in installed() if each != "knowledge"}
    log: dict[str, JsonValue] = {"log": {"kind": "sqlite", "directory": str(folder / "log")}}
    settings = load(
        {"data_dir": str(folder / name), "defaults": {"events": "log"}, "stores": log, "toolsets": others}
    ).settings
    (folder / name).mkdir()
    async with assemble_gateway(settings) as gateway:
        yield gateway


async def create(gateway: Gateway) -> None:
    """Create a concept."""
    arguments = {"name": "Lens", "explanation": "A lens bends light."}
    reply = await dispatch(gateway.unified.tools["create_concept"], arguments, CallContext("create_concept"))
    assert not reply.is_error, reply.structured


@pytest.fixture
async def behind(tmp_path: Path) -> AsyncGenerator[Gateway]:
    """A gateway whose stores lack a concept that another one, with stores of its own, added to the log."""
    async with gateway_on(tmp_path, "other") as other:
        await create(other)
    async with gateway_on(tmp_path, "behind") as gateway:
        yield gateway


async def readiness(gateway: Gateway) -> tuple[int, list[str]]:
    """Ask for `/readyz`; return its status and the problems of the toolset."""
    transport = httpx2.ASGITransport(app=Starlette(routes=health_routes(gateway)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        reply = await client.get("/readyz")
    toolset = cast("dict[str, object]", json.loads(reply.content)["toolsets"]["knowledge"])
    return reply.status_code, cast("list[str]", toolset.get("problems", []))


async def test_it_is_not_ready_while_projections_are_pending_and_nobody_leads(behind: Gateway) -> None:
    status, [problem] = await readiness(behind)
    assert status == 503
    assert "no server leads the graph and the vector store" in problem
    async with background(behind.served):
        with anyio.fail_after(20):
            while (await readiness(behind))[0] != 200:
                await anyio.sleep(0.05)


async def test_it_is_not_ready_while_a_lag_stays(behind: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says when the oldest event happened; a server that runs watches the lag instead."""
    monkeypatch.setattr(sourced, "LAGGING_S", 0.0)
    status, [problem] = await readiness(behind)
    assert (status, problem.startswith("2 projections are pending, the oldest for ")) == (503, True)
