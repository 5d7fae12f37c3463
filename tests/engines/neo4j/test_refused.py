"""A wrong option is reported in one sentence when the engine is opened."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from backends.engines.neo4j import connection
from backends.engines.neo4j.adapter import ADAPTER, kernel
from backends.engines.neo4j.connection import Connection
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.errors import InvalidInput, Unavailable, Unusable
from backends.ports.values import Json
from config.secrets import masked_text
from contracts.servers import options_of
from tests.engines.neo4j.conftest import Open
from tests.support.ports import free_port


@asynccontextmanager
async def login(options: Mapping[str, Json]) -> AsyncGenerator[Connection]:
    """Connect with other options than an engine's."""
    logged_in = Connection(Neo4jSettings.model_validate(options))
    logged_in.start()
    try:
        yield logged_in
    finally:
        await logged_in.close()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"password": "wrong"}, "refuses user 'neo4j' with this password"),
        ({"database": "nowhere"}, "has no database 'nowhere'"),
        ({"uri": "http://localhost"}, "uri"),
        ({"space": "Bad Space"}, "space"),
        ({"misspelt": 1}, "misspelt"),
    ],
)
async def test_a_wrong_option_is_named(on_server: Open, options: dict[str, Json], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        async with on_server(**options):
            pass


async def test_a_changed_password_is_reported_without_locking_the_user(
    on_server: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neo4j locks a user after three failed logins in a row, also for whoever knows the password."""
    monkeypatch.setattr(connection, "REFUSED_S", 2.0)
    reached = options_of("neo4j")
    before, after = {"user": "tester", "password": "first-one"}, {"user": "tester", "password": "second-one"}
    change = "ALTER USER tester SET PASSWORD '{password}' CHANGE NOT REQUIRED"
    async with login({**reached, "database": "system"}) as system, login(reached) as admin:
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
            async with login({**reached, **after}) as operator:
                assert await operator.run("RETURN 1", {}, int) == [1]
            await system.run(change.format(**before), {}, str)
            with anyio.fail_after(10):
                while not (await engine.health()).ok:
                    await anyio.sleep(0.1)
        await system.run("DROP USER tester", {}, str)


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
async def test_a_missing_server_is_unavailable(on_server: Open, host: str) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        async with on_server(uri=f"bolt://{host}:{free_port()}", timeout_s=5):
            pass


def test_another_server_with_the_same_protocol_is_refused() -> None:
    with pytest.raises(Unusable, match=r"what answers at bolt://elsewhere:7687 is no Neo4j"):
        kernel([], "bolt://elsewhere:7687")


@pytest.mark.parametrize("uri", ["localhost:7687", "http://localhost", "bolt://neo4j:hush@localhost", "bolt://"])
async def test_an_invalid_address_is_refused_in_words(tmp_path: Path, uri: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"option uri should be like bolt://HOST:7687 .* user and password"
    ) as problem:
        await ADAPTER.open({"uri": uri}, tmp_path)
    assert masked_text(str(problem.value)) == str(problem.value), "logs show it as it is"


def test_the_password_is_not_shown() -> None:
    shown = repr(ADAPTER.settings.model_validate({"password": "hush"}))
    assert "hush" not in shown
