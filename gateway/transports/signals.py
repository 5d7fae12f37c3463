"""SIGINT and SIGTERM, for both transports."""

import signal
from collections.abc import Callable

import anyio


async def call_on_stop(stop: Callable[[], None]) -> None:
    """Call `stop` at each SIGINT and SIGTERM, until cancelled; SIGINT stays ignored if a script has set it so."""
    ends = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    with anyio.open_signal_receiver(*ends) as received:
        async for _ in received:
            stop()
