"""The log in a space: what others share with it, damage of single records, leases and its end."""

import asyncio
import json

import psycopg
import pytest
from psycopg import sql

from backends.engines.postgres.adapter import PostgresEngine
from backends.ports.errors import InvalidInput, Undecodable, Unusable
from contracts.ports.event_records import batch, event, read, write
from tests.engines.postgres.conftest import Opening
from tests.engines.postgres.refusals import run
from tests.services.postgres import Postgres


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


async def test_numbers_and_texts_keep_their_form(engine: PostgresEngine) -> None:
    log = await engine.events()
    data = {"b": 1, "a": [-0.0, 1.0, 1e-320, 2**63 - 1, 2**64 - 1, -(2**63)], "nul": "\x00", "": "\ufffe\U0010ffff"}
    await log.append([write("form/kind/1", event(data))], batch=batch())
    [got] = await read(log, "form/kind/1")
    assert json.dumps(got.data) == json.dumps(data)
    with pytest.raises(InvalidInput):
        await log.append([write("form/kind/1", event({"n": 2**64}))], batch=batch())
