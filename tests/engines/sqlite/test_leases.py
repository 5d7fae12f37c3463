"""Leases by the clock of the machine, which may have been wrong."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from backends.ports.adapter import Engine
from backends.ports.events import EventLog

DAY_S = 86_400.0
TTL_S = 0.5
LONG_TTL_S = 2.0
"""Of a holder that must renew in time, on a busy processor too."""


async def outlasted(log: EventLog, owner: str) -> float:
    """Ask for the lease until it is had; return for how many seconds."""
    began = anyio.current_time()
    with anyio.fail_after(20 * TTL_S):
        while await log.acquire_lease("l", owner, ttl_s=TTL_S) is None:
            await anyio.sleep(0.02)
    return anyio.current_time() - began


@pytest.mark.parametrize("noted", [TTL_S, None], ids=["", "taken by a build before the first release"])
async def test_a_lease_far_in_the_future_ends_after_the_time_that_its_holder_asked_for(
    tmp_path: Path, engine: Engine, noted: float | None
) -> None:
    """The clock was a day ahead when it was taken, and was set right since; whoever took it is gone."""
    log = await engine.events()
    assert await log.acquire_lease("l", "gone", ttl_s=TTL_S)
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        connection.execute("UPDATE leases SET expires = ?, ttl = ?", (time.time() + DAY_S, noted))
    assert TTL_S / 2 < await outlasted(log, "next") < 10 * TTL_S


async def test_a_holder_that_renews_keeps_such_a_lease(tmp_path: Path, engine: Engine) -> None:
    log = await engine.events()
    mine = await log.acquire_lease("l", "me", ttl_s=LONG_TTL_S)
    assert mine is not None
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        connection.execute("UPDATE leases SET expires = ?", (time.time() + DAY_S,))
    for _ in range(20):
        assert await log.acquire_lease("l", "you", ttl_s=LONG_TTL_S) is None
        assert await log.renew_lease(mine, ttl_s=LONG_TTL_S)
        await anyio.sleep(LONG_TTL_S / 10)


async def test_acquiring_for_a_short_time_does_not_shorten_a_long_lease(engine: Engine) -> None:
    log = await engine.events()
    assert await log.acquire_lease("l", "me", ttl_s=60)
    for _ in range(3):
        assert await log.acquire_lease("l", "you", ttl_s=0.01) is None
        await anyio.sleep(0.02)
