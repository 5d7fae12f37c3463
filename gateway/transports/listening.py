"""Runs the HTTP application on a socket until a signal comes, and ends with exit code 0."""

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio
import uvicorn
from starlette.types import ASGIApp

from gateway.transports.signals import call_on_stop

GRACE_S = 5
"""How long calls under way may still finish; a second signal ends them at once."""


class _Uvicorn(uvicorn.Server):
    """Leaves the signals to us: on its own it would raise them again at the end, and the exit code would be theirs."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture nothing."""
        yield


async def listen(app: ASGIApp, listening: socket.socket, *, closing: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; `closing` is called first, to end the streams that would never end by themselves."""
    server = _Uvicorn(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            http="httptools",
            loop="none",
            ws="none",
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
    )

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        closing()

    async with anyio.create_task_group() as group:
        group.start_soon(call_on_stop, stop)
        await server.serve(sockets=[listening])
        group.cancel_scope.cancel()
