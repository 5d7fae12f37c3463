"""The server is killed during calls and restarted, and a password is changed: engines need no reopening."""

from pathlib import Path

import anyio
import pytest

from backends.engines.neo4j import connection
from backends.ports.errors import StoreError, Unavailable
from backends.ports.graph import Graph
from backends.ports.ids import namespace
from backends.ports.values import NodeId
from contracts.ports.graph_records import THING, fill, ids, node
from tests.engines.neo4j.conftest import Login, Open, OwnServer, opened

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


async def test_a_killed_server_is_unavailable_until_it_is_back(own_server: OwnServer, tmp_path: Path) -> None:
    """Both an open engine and a new one report it."""
    first = own_server.process
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
        with anyio.fail_after(TIMEOUT_S), pytest.raises(Unavailable):
            await graph.get_nodes(ids("n0"))
        assert not (await engine.health()).ok
        with pytest.raises(Unavailable, match="does not answer"):
            async with opened(tmp_path, **options):
                pass
        own_server.start_again()
        assert (await engine.health()).ok
        assert set(await graph.get_nodes([NodeId(name) for name in acknowledged])) == set(acknowledged)
        await fill(graph, node("after"))
        async with opened(tmp_path, **options) as another:
            found = await (await another.graph(namespace("outage"))).get_nodes(ids("after"))
        assert set(found) == {"after"}


async def test_a_changed_password_is_reported_without_locking_the_user(
    on_server: Open, login: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neo4j locks a user after three failed logins in a row, also for whoever knows the password."""
    monkeypatch.setattr(connection, "REFUSED_S", 2.0)
    before, after = {"user": "tester", "password": "first-one"}, {"user": "tester", "password": "second-one"}
    change = "ALTER USER tester SET PASSWORD '{password}' CHANGE NOT REQUIRED"
    async with login(database="system") as system, login() as admin:
        await system.run("CREATE OR REPLACE USER tester SET PASSWORD 'first-one' CHANGE NOT REQUIRED", {}, str)
        async with on_server(**before) as engine:
            await system.run(change.format(**after), {}, str)
            await admin.run(
                "CALL dbms.listConnections() YIELD connectionId, username WHERE username = 'tester'"
                " CALL dbms.killConnection(connectionId) YIELD message RETURN message",
                {},
                str,
            )
            for _ in range(20):
                assert "refuses user 'tester' with this password" in (await engine.health()).detail
            async with login(**after) as operator:
                assert await operator.run("RETURN 1", {}, int) == [1]
            await system.run(change.format(**before), {}, str)
            with anyio.fail_after(10):
                while not (await engine.health()).ok:
                    await anyio.sleep(0.1)
        await system.run("DROP USER tester", {}, str)
