"""What is said of a log that a gateway cannot read: its server is frozen, or single records of it are damaged."""

from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from backends.engines.postgres.adapter import PostgresEngine
from backends.ports.errors import Undecodable
from contracts.ports.event_records import batch, event, write
from contracts.promises import promise
from tests.services.postgres import Postgres
from tests.support.frozen import health_names_the_frozen_server


@promise("skills:http:unhealthy")
async def test_health_names_a_frozen_event_log_within_a_second(server: Postgres, space: str, tmp_path: Path) -> None:
    variables = {
        "ENTREPOT_DEFAULTS__EVENTS": "postgres",
        "ENTREPOT_STORES__POSTGRES__KIND": "postgres",
        "ENTREPOT_STORES__POSTGRES__URI": server.uri,
        "ENTREPOT_STORES__POSTGRES__SPACE": space,
    }
    await health_names_the_frozen_server(tmp_path, variables=variables, send=server.send, part="event log")


async def test_a_record_that_cannot_be_decoded_is_named_and_leaves_the_others_readable(
    engine: PostgresEngine, server: Postgres, space: str
) -> None:
    log = await engine.events()
    await log.append([write("a/kind/1", event()), write("b/kind/1", event())], batch=batch())
    await log.save_checkpoint("c", 1, expected=0)
    with psycopg.connect(server.uri) as connection:
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(space)))
        for table, column in (("events", "data"), ("checkpoints", "value")):
            statement = sql.SQL("UPDATE {} SET {} = '{{' WHERE ctid = '(0,1)'")
            connection.execute(statement.format(sql.Identifier(table), sql.Identifier(column)))
    with pytest.raises(Undecodable, match="the event at position 1, version 1 of a/kind/1, cannot be decoded"):
        await log.read_all()
    with pytest.raises(Undecodable, match="the checkpoint c cannot be decoded"):
        await log.load_checkpoint("c")
    assert len(await log.read_all("b/")) == 1
