"""A server that stops, freezes, is killed and comes back: no acknowledged fact is lost, and nothing has to be restarted."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress

import pytest

from backends.ports.errors import StoreError, Timeout, Unavailable
from backends.ports.events import EventLog, StreamName
from contracts.ports.event_records import batch, event, events_of, read, write
from tests.engines.postgres.conftest import Opening
from tests.services.postgres import Postgres

STREAM = StreamName("out/kind/1")


@pytest.fixture
def server(server: Postgres) -> Generator[Postgres]:
    """Yield the server; it is started again after the test."""
    yield server
    server.kill()
    server.start()


async def add(log: EventLog) -> int:
    return (await log.append([write(STREAM, event())], batch=batch())).versions[STREAM]


async def test_a_server_that_is_down_is_reported_at_once_and_used_when_it_is_back(
    server: Postgres, opening: Opening
) -> None:
    engine = await opening(timeout_s=30)
    log = await engine.events()
    assert await add(log) == 1
    server.stop()
    asked = time.monotonic()
    for call in (add(log), log.head(), log.acquire_lease("l", "me", ttl_s=1), log.save_checkpoint("c", 1, expected=0)):
        with pytest.raises(Unavailable, match="does not answer"):
            await call
    assert not (await engine.health()).ok
    assert time.monotonic() - asked < 20
    server.start()
    assert await add(log) == 2
    assert (await engine.health()).ok


async def test_a_server_restarted_between_two_calls_is_not_noticed(server: Postgres, opening: Opening) -> None:
    """Connections that ended meanwhile are not used for a call."""
    log = await (await opening()).events()
    await asyncio.gather(*(log.head() for _ in range(8)))
    server.stop()
    server.start()
    assert await asyncio.gather(*(log.head() for _ in range(8))) == [0] * 8
    assert (await log.save_checkpoint("c", 1, expected=0)).revision == 1


async def test_a_frozen_server_is_a_timeout_and_used_when_it_answers_again(server: Postgres, opening: Opening) -> None:
    engine = await opening(timeout_s=0.5)
    log = await engine.events()
    assert await add(log) == 1
    server.send(signal.SIGSTOP)
    try:
        async with asyncio.timeout(8):
            tries = await asyncio.gather(*(add(log) for _ in range(20)), log.count(), return_exceptions=True)
            assert {type(problem) for problem in tries} <= {Timeout, Unavailable}
            assert not (await engine.health()).ok
    finally:
        server.send(signal.SIGCONT)
    async with asyncio.timeout(20):
        version = 0
        while not version:
            with suppress(Timeout, Unavailable):
                version = await add(log)
    # What timed out may have been done or not; each event is there once.
    assert version == len(await read(log, STREAM))


async def test_what_was_acknowledged_survives_the_death_of_the_server(server: Postgres, opening: Opening) -> None:
    log = await (await opening()).events()
    acknowledged: set[str] = set()

    async def writer(number: int) -> None:
        with suppress(StoreError):
            while True:
                facts = events_of(2)
                await log.append([write(f"out/kind/{number}", *facts)], batch=batch())
                acknowledged.update(fact.id for fact in facts)

    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(writer(number))
        while len(acknowledged) < 400:
            await asyncio.sleep(0)
        server.kill()
    server.start()
    kept = {recorded.id for recorded in await log.read_all(limit=10_000)}
    assert acknowledged <= kept
    assert len(kept) % 2 == 0
    assert await log.count() == len(kept)
    assert await add(log)


async def test_a_waiter_outlives_the_server(server: Postgres, opening: Opening) -> None:
    """It is woken by an append after the server is back."""
    one, two = await (await opening()).events(), await (await opening()).events()
    await add(two)
    assert await one.wait(0, timeout_s=5)
    server.stop()
    with pytest.raises(Unavailable):
        await one.wait(1_000, timeout_s=5)
    server.start()
    head = await add(two)
    waiting = asyncio.create_task(one.wait(head, timeout_s=20))
    while not waiting.done():
        await add(two)
    assert await waiting


@asynccontextmanager
async def deaf_line(server: Postgres) -> AsyncGenerator[tuple[int, asyncio.Event]]:
    """Yield a port that leads to the server, and an event: once it is set, answers are no longer forwarded."""
    deaf = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()

    async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter, *, answers: bool) -> None:
        while data := await source.read(65_536):
            if not (answers and deaf.is_set()):
                target.write(data)
                await target.drain()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", server.port)
        both = [
            asyncio.create_task(carry(reader, back, answers=False)),
            asyncio.create_task(carry(there, writer, answers=True)),
        ]
        tasks.update(both)
        with suppress(ConnectionError):
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        back.close()
        writer.close()

    listener = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1], deaf
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_lost_answer_is_returned_by_asking_again(server: Postgres, opening: Opening) -> None:
    """The append was committed; the same batch id returns its result."""
    other = await (await opening()).events()
    async with deaf_line(server) as (port, deaf):
        engine = await opening(uri=server.uri.replace(f":{server.port}/", f":{port}/"), timeout_s=1)
        log = await engine.events()
        assert await add(log) == 1
        deaf.set()
        name, writes = batch(), [write(STREAM, *events_of(2), expected=1)]
        with pytest.raises(Timeout):
            await log.append(writes, batch=name)
        assert await other.versions([STREAM]) == {STREAM: 3}
        deaf.clear()
        again = await log.append(writes, batch=name)
        assert again.versions == {STREAM: 3}
        assert again == await other.append(writes, batch=name)
        assert await other.count() == 3
        await engine.close()


async def test_a_connection_that_ends_before_the_commit_leaves_nothing(server: Postgres, opening: Opening) -> None:
    holder = await opening()
    log = await (await opening()).events()
    name, writes = batch(), [write(STREAM, *events_of(2))]
    async with holder.connections.use() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(1164866674, hashtext(current_schema()))")
        appending = asyncio.create_task(log.append(writes, batch=name))
        ended = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while not (await (await connection.execute(ended)).fetchall()):
            await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await appending
    assert await log.count() == 0
    assert (await log.append(writes, batch=name)).versions == {STREAM: 2}
