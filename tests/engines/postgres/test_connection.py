"""Servers, databases and spaces that must not be used, each reported with its remedy."""

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from backends.engines.postgres.adapter import ADAPTER
from backends.engines.postgres.connection import ConnectionPool
from backends.engines.postgres.errors import refusal
from backends.engines.postgres.schema import check_server, migrations, prepare
from backends.engines.postgres.settings import PostgresSettings
from backends.ports.errors import InvalidInput, StoreError, Unavailable, Unusable
from backends.ports.values import Json
from contracts.ports.event_records import batch, event, write
from tests.engines.postgres.conftest import Opening
from tests.services.postgres import Postgres

SECRET = "-".join(["s3cret", "pw"])


async def run(server: Postgres, *statements: str, database: str = "postgres") -> None:
    uri = server.uri_of("postgres", server.password, database=database)
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement.encode())


async def refused(kind: type[StoreError], **options: Json) -> str:
    with pytest.raises(StoreError) as caught:
        await ADAPTER.open(options, Path())
    assert type(caught.value) is kind, caught.value
    assert SECRET not in str(caught.value)
    return str(caught.value)


async def test_a_wrong_password_is_reported(server: Postgres) -> None:
    said = await refused(InvalidInput, uri=server.uri_of("postgres", SECRET))
    assert "password authentication failed" in said
    assert "set the right user and password" in said


async def test_a_server_without_a_free_connection_is_not_called_down(
    server: Postgres, space: str, opening: Opening
) -> None:
    role = f"full_{space}"
    await run(
        server,
        f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}' CONNECTION LIMIT 1",
        f"CREATE SCHEMA AUTHORIZATION {role}",
    )
    uri = server.uri_of(role, SECRET)
    async with await psycopg.AsyncConnection.connect(uri):
        said = await refused(Unavailable, uri=uri, space=space)
    assert "has no free connection: too many connections for role" in said
    assert "does not answer" not in said


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("sorry, too many clients already", "has no free connection"),
        ("remaining connection slots are reserved for roles with the SUPERUSER attribute", "has no free connection"),
        ("the database system is starting up", "is starting up"),
        ("the database system is not yet accepting connections", "is starting up"),
        ("the database system is shutting down", "is shutting down"),
        ("Connection refused", "does not answer"),
    ],
)
def test_a_failed_connection_says_whether_the_server_runs(said: str, meaning: str) -> None:
    problem = refusal(psycopg.OperationalError(f"connection failed: FATAL:  {said}"), "PostgreSQL at x")
    assert isinstance(problem, Unavailable)
    assert str(problem).startswith(f"PostgreSQL at x {meaning}: {said}.")


async def test_a_password_may_be_set_beside_the_uri(server: Postgres, space: str, opening: Opening) -> None:
    uri = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    assert (await (await opening(uri=uri, password=server.password)).health()).ok
    assert SECRET not in repr(PostgresSettings.model_validate({"uri": uri, "password": SECRET, "space": space}))


async def test_a_missing_database_is_reported(server: Postgres) -> None:
    said = await refused(InvalidInput, uri=server.uri_of("postgres", server.password, database="nowhere"))
    assert 'database "nowhere" does not exist' in said
    assert "create the database" in said


@pytest.mark.parametrize("uri", [f"mysql://u:{SECRET}@host/db", f"postgresql://u:{SECRET}@host/db?nonsense=1", SECRET])
async def test_an_invalid_uri_is_refused_without_repeating_it(uri: str) -> None:
    assert "not a PostgreSQL URI" in await refused(InvalidInput, uri=uri)


@pytest.mark.parametrize("name", ["", "Upper", "1a", "a-b", "a" * 25, 'a"; DROP SCHEMA public'])
async def test_a_space_is_a_plain_name(server: Postgres, name: str) -> None:
    assert "space" in await refused(InvalidInput, uri=server.uri, space=name)


async def test_a_server_that_does_not_run_is_unavailable() -> None:
    said = await refused(Unavailable, uri=f"postgresql://postgres:{SECRET}@127.0.0.1:1/postgres")
    assert "127.0.0.1:1" in said


async def test_a_server_that_is_too_old_is_reported() -> None:
    with pytest.raises(Unusable, match=r"PostgreSQL 12\.3; Entrepot needs 13 or later"):
        check_server(12, "12.3", "UTF8", "PostgreSQL at x")
    check_server(13, "13.0", "UTF8", "PostgreSQL at x")


async def test_a_database_that_cannot_store_every_text_is_reported(server: Postgres) -> None:
    await run(server, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    uri = server.uri_of("postgres", server.password, database="latin")
    assert "LATIN1" in await refused(Unusable, uri=uri)


async def test_a_user_who_may_only_read_is_refused(server: Postgres, space: str, opening: Opening) -> None:
    await opening()
    reader = f"reader_{space}"
    await run(
        server,
        f"CREATE ROLE {reader} LOGIN PASSWORD '{SECRET}'",
        f"GRANT USAGE ON SCHEMA {space} TO {reader}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {space} TO {reader}",
    )
    said = await refused(Unusable, uri=server.uri_of(reader, SECRET), space=space)
    assert "GRANT" in said


async def test_a_user_who_may_not_create_a_space_is_refused(server: Postgres, space: str) -> None:
    await run(server, f"CREATE ROLE poor_{space} LOGIN PASSWORD '{SECRET}'")
    said = await refused(Unusable, uri=server.uri_of(f"poor_{space}", SECRET), space=space)
    assert "GRANT CREATE ON DATABASE" in said


async def test_sessions_that_are_read_only_are_refused(server: Postgres, space: str) -> None:
    await run(
        server,
        f"CREATE ROLE calm_{space} LOGIN PASSWORD '{SECRET}'",
        f"ALTER ROLE calm_{space} SET default_transaction_read_only = on",
    )
    assert "read-only" in await refused(Unusable, uri=server.uri_of(f"calm_{space}", SECRET), space=space)


async def test_the_rights_that_the_refusal_names_are_enough(server: Postgres, space: str, opening: Opening) -> None:
    await opening()
    worker = f"worker_{space}"
    await run(
        server,
        f"CREATE ROLE {worker} LOGIN PASSWORD '{SECRET}'",
        f"GRANT USAGE ON SCHEMA {space} TO {worker}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {space} TO {worker}",
        f"GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA {space} TO {worker}",
    )
    log = await (await opening(uri=server.uri_of(worker, SECRET))).events()
    assert (await log.append([write("a/b/c", event())], batch=batch())).position
    await log.purge("a/")
    assert await log.acquire_lease("l", "me", ttl_s=1)


async def test_unsafe_defaults_of_a_session_are_corrected(server: Postgres, space: str, opening: Opening) -> None:
    """A role's defaults must not lose acknowledged facts, nor hide commits from an append."""
    await opening()
    hasty = f"hasty_{space}"
    await run(
        server,
        f"CREATE ROLE {hasty} LOGIN SUPERUSER PASSWORD '{SECRET}'",
        f"ALTER ROLE {hasty} SET synchronous_commit = off",
        f"ALTER ROLE {hasty} SET default_transaction_isolation = 'serializable'",
        f"ALTER ROLE {hasty} SET search_path = public",
    )
    engine = await opening(uri=server.uri_of(hasty, SECRET))
    async with engine.connections.use() as connection:
        query = (
            "SELECT current_setting('synchronous_commit'), current_setting('transaction_isolation'), current_schema()"
        )
        assert await (await connection.execute(query)).fetchone() == ("on", "read committed", space)


async def test_a_schema_of_another_program_is_not_changed(server: Postgres, space: str) -> None:
    await run(server, f"CREATE SCHEMA {space}", f"CREATE TABLE {space}.events (x integer)")
    assert "another program" in await refused(Unusable, uri=server.uri, space=space)


async def test_a_space_of_a_newer_version_is_not_changed(server: Postgres, space: str, opening: Opening) -> None:
    await opening()
    newer = sql.SQL("UPDATE {}.entrepot SET version = 99").format(sql.Identifier(space))
    await run(server, newer.as_string())
    assert "newer version of Entrepot (schema 99" in await refused(Unusable, uri=server.uri, space=space)


async def test_a_space_that_a_newer_version_upgraded_meanwhile_is_reported(
    server: Postgres, space: str, opening: Opening
) -> None:
    engine = await opening()
    await run(server, sql.SQL("UPDATE {}.entrepot SET version = 99").format(sql.Identifier(space)).as_string())
    health = await engine.health()
    assert not health.ok
    assert "upgraded by a newer version of Entrepot (schema 99" in health.detail


async def test_an_older_space_is_migrated_all_steps_or_none(server: Postgres, space: str, opening: Opening) -> None:
    log = await (await opening()).events()
    await log.append([write("a/b/c", event())], batch=batch())
    connections = ConnectionPool(PostgresSettings.model_validate({"uri": server.uri, "space": space}))
    connection = await connections.connect()
    steps = [*migrations(), b"ALTER TABLE events ADD COLUMN note text; UPDATE events SET note = 'kept'"]
    with pytest.raises(psycopg.Error):
        await prepare(connection, space, "here", [*steps, b"this is no statement"])
    await prepare(connection, space, "here", steps)
    await prepare(connection, space, "here", steps)
    row = await (await connection.execute("SELECT note, (SELECT version FROM entrepot) FROM events")).fetchone()
    assert row == ("kept", len(steps))
    await connection.close()


async def test_several_engines_may_create_the_space_at_once(opening: Opening) -> None:
    engines = await asyncio.gather(*(opening() for _ in range(8)))
    assert all([(await engine.health()).ok for engine in engines])


async def test_spaces_on_one_database_share_nothing(server: Postgres, space: str, opening: Opening) -> None:
    one, two = await (await opening()).events(), await (await opening(space=f"{space}x")).events()
    await one.append([write("a/b/c", event())], batch=batch())
    assert (await two.count(), await two.head()) == (0, 0)
    assert await two.acquire_lease("l", "me", ttl_s=60)
    assert await one.acquire_lease("l", "you", ttl_s=60)


async def test_a_lease_far_in_the_future_ends_after_the_time_that_its_holder_asked_for(
    server: Postgres, space: str, opening: Opening
) -> None:
    """The server's clock was a day ahead when it was taken, and was set right since; whoever took it is gone."""
    log = await (await opening()).events()
    assert await log.acquire_lease("l", "gone", ttl_s=0.5)
    ahead = "UPDATE {}.leases SET expires = clock_timestamp() + interval '1 day'"
    await run(server, sql.SQL(ahead).format(sql.Identifier(space)).as_string())
    assert await log.acquire_lease("l", "next", ttl_s=0.5) is None
    async with asyncio.timeout(10):
        while await log.acquire_lease("l", "next", ttl_s=0.5) is None:
            await asyncio.sleep(0.02)


async def test_a_space_dropped_while_in_use_is_reported(server: Postgres, space: str, opening: Opening) -> None:
    engine = await opening()
    log = await engine.events()
    await run(server, sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(space)).as_string())
    with pytest.raises(Unusable, match="restore"):
        await log.count()
    assert not (await engine.health()).ok


def test_a_missing_driver_is_named_with_the_line_that_installs_it() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from backends.registry import load_adapter\n"
        "try:\n    load_adapter('postgres')\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("InvalidInput")
    assert 'pip install "entrepot[postgres]"' in said
