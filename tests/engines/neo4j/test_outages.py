"""The server dies in the middle of calls and comes back; nothing acknowledged is lost, nobody has to open again."""

import time
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest

from backends.ports.errors import StoreError, Unavailable
from backends.ports.graph import Graph
from backends.ports.ids import namespace
from backends.ports.values import NodeId
from contracts.ports.net import THING, fill, ids, node
from tests.engines.neo4j.conftest import opened
from tests.services.neo4j import PRESENT, started

TIMEOUT_S = 10.0


async def _write_until_it_fails(graph: Graph, acknowledged: list[str], enough: anyio.Event) -> StoreError:
    number = 0
    while True:
        try:
            await fill(graph, node(f"n{number}", rank=number))
        except StoreError as failure:
            enough.set()
            return failure
        acknowledged.append(f"n{number}")
        number += 1
        if number == 20:
            enough.set()


async def test_a_killed_server_is_unavailable_until_it_is_back(neo4j_service: object, tmp_path: Path) -> None:
    """Needs the shared server only to be left out where Neo4j cannot be started."""
    with ExitStack() as servers:
        first = servers.enter_context(started(PRESENT, tmp_path))
        options = {"uri": first.uri, "user": "neo4j", "password": first.password, "timeout_s": TIMEOUT_S}
        async with opened(tmp_path, **options) as engine:
            graph = await engine.graph(namespace("outage"))
            await graph.ensure([THING])
            acknowledged: list[str] = []
            failures: list[StoreError] = []
            enough = anyio.Event()

            async def write() -> None:
                failures.append(await _write_until_it_fails(graph, acknowledged, enough))

            async with anyio.create_task_group() as group:
                group.start_soon(write)
                await enough.wait()
                first.kill()
            assert len(acknowledged) >= 20
            assert isinstance(failures[0], Unavailable)
            before = time.monotonic()
            with pytest.raises(Unavailable):
                await graph.get_nodes(ids("n0"))
            assert time.monotonic() - before < TIMEOUT_S
            assert not (await engine.health()).ok
            servers.enter_context(started(PRESENT, tmp_path, port=first.port, password=first.password))
            assert (await engine.health()).ok
            assert set(await graph.get_nodes([NodeId(name) for name in acknowledged])) == set(acknowledged)
            await fill(graph, node("after"))
            assert set(await graph.get_nodes(ids("after"))) == {"after"}
