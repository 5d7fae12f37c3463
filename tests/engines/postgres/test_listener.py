"""Waiters are woken by appends of other connections."""

import asyncio

import pytest

from backends.engines.postgres import events as log_module
from contracts.ports.event_records import batch, event, write
from tests.engines.postgres.conftest import Opening


async def test_an_append_of_another_process_wakes_a_waiter(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without polling."""
    monkeypatch.setattr(log_module, "POLL_S", 3_600)
    one, two = await (await opening()).events(), await (await opening()).events()
    async with asyncio.timeout(10):
        waiting = asyncio.create_task(one.wait(0, timeout_s=3_600))
        while not waiting.done():
            await two.append([write("news/kind/1", event())], batch=batch())
        assert await waiting
