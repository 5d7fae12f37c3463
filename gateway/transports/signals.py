"""SIGINT and SIGTERM, for both transports."""

import signal
from collections.abc import Callable

import anyio


async def call_on_stop(stop: Callable[[], None]) -> None:
    """Call `stop` at each SIGINT and SIGTERM, until cancelled."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
        async for _ in received:
            stop()
