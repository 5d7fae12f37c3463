"""Which signals stop a transport."""

import os
import signal
from collections.abc import Generator

import anyio
import pytest

from gateway.transports.signals import call_on_stop


@pytest.fixture
def ignored_ctrl_c() -> Generator[None]:
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, former)


async def stops(*numbers: signal.Signals) -> int:
    """Return how many of these signals stop a transport."""
    stopped: list[bool] = []
    async with anyio.create_task_group() as group:
        group.start_soon(call_on_stop, lambda: stopped.append(True))
        await anyio.wait_all_tasks_blocked()
        for number in numbers:
            os.kill(os.getpid(), number)
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    return len(stopped)


async def test_both_signals_stop_a_transport() -> None:
    assert await stops(signal.SIGINT, signal.SIGTERM) == 2


@pytest.mark.usefixtures("ignored_ctrl_c")
async def test_sigint_stays_ignored() -> None:
    assert await stops(signal.SIGTERM, signal.SIGINT) == 1
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
