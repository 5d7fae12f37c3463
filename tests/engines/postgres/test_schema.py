"""Servers, databases and spaces that must not be used, each reported with its remedy."""

import asyncio

import psycopg
import pytest
from psycopg import sql

from backends.engines.postgres.connection import ConnectionPool
from backends.engines.postgres.schema import check_server, migrations, prepare
from backends.engines.postgres.settings import PostgresSettings
from backends.ports.errors import Unusable
from contracts.ports.event_records import batch, event, write
from tests.engines.postgres.conftest import Opening
from tests.engines.postgres.refusals import SECRET, refused, run
from tests.services.postgres import Postgres


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
