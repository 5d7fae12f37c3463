"""An index that is damaged keeps writes pending: readiness and `entrepot check` say so."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
from pydantic import JsonValue
from starlette.applications import Starlette

from backends.ports.values import Json
from config.settings import Settings
from config.sources import load
from gateway.check import check
from gateway.composition import Gateway, assemble_gateway, background, open_stores
from gateway.dispatch import dispatch
from gateway.plugins import installed
from gateway.transports.routes import health_routes
from toolsets.reports import no_progress
from toolsets.spec import CallContext


def settings_of(data: Path) -> Settings:
    """Return the settings of a gateway that serves knowledge alone, its vectors in LanceDB."""
    others: dict[str, JsonValue] = {each: {"enabled": False} for each in installed() if each != "knowledge"}
    lance: dict[str, JsonValue] = {"lance": {"kind": "lancedb"}}
    return load({"data_dir": str(data), "defaults": {"vectors": "lance"}, "stores": lance, "toolsets": others}).settings


@asynccontextmanager
async def served(data: Path) -> AsyncGenerator[Gateway]:
    async with assemble_gateway(settings_of(data)) as gateway:
        await open_stores(gateway)
        async with background(gateway.served):
            yield gateway


async def create(gateway: Gateway, name: str) -> Mapping[str, Json]:
    arguments = {"name": name, "explanation": f"All about {name}."}
    reply = await dispatch(gateway.unified.tools["create_concept"], arguments, CallContext("create_concept"))
    assert not reply.is_error, reply.structured
    return reply.meta


async def readiness(gateway: Gateway) -> tuple[int, str]:
    transport = httpx2.ASGITransport(app=Starlette(routes=health_routes(gateway)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        reply = await client.get("/readyz")
    return reply.status_code, json.dumps(json.loads(reply.content)["toolsets"])


async def test_writes_that_wait_for_a_damaged_index_are_a_problem(tmp_path: Path) -> None:
    async with served(tmp_path) as gateway:
        for number in range(3):
            await create(gateway, f"concept {number}")
        [knowledge] = gateway.served
        assert knowledge.running.rebuild is not None
        await knowledge.running.rebuild.rebuild(no_progress, None)
        assert (await readiness(gateway))[0] == 200
    indices = [file for file in (tmp_path / "lancedb").rglob("_indices/*/*") if file.is_file()]
    assert indices
    for file in indices:
        file.write_bytes(b"\x00" * file.stat().st_size)
    async with served(tmp_path) as gateway:
        assert await create(gateway, "pending") == {"entrepot/indexing": "pending"}
        with anyio.fail_after(20):
            while (found := await readiness(gateway))[0] == 200:
                await anyio.sleep(0.05)
        assert "projections are not being written: " in found[1]
        assert "damaged" in found[1]
    report = await check(settings_of(tmp_path))
    assert not report.ok
    assert "damaged" in report.stores["lance"].detail
