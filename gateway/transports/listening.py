"""Runs the HTTP application on a socket until a signal comes, and ends with exit code 0."""

import asyncio
import logging
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.transports.signals import call_on_stop

log = logging.getLogger("entrepot.http")

GRACE_S = 4
"""How long calls under way may still finish; a second signal ends them at once. Closing the rest fits in a second more."""


class _Uvicorn(uvicorn.Server):
    """Leaves the signals to us: on its own it would raise them again at the end, and the exit code would be theirs."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture nothing."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End everything in order when told to hurry, too, where uvicorn would leave tasks lying."""
        await super().shutdown(sockets)
        if self.force_exit:
            for task in self.server_state.tasks:
                task.cancel()
            await self.lifespan.shutdown()


class _Cut:
    """Answers 503 to a request that the end of the server cuts short, where uvicorn would log a traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            log.info("A request was cut short by the end of the server")
            if not started:
                await PlainTextResponse("The server is ending", 503)(scope, receive, send)


async def listen(app: ASGIApp, listening: socket.socket, *, closing: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; `closing` is called first, to end the streams that would never end by themselves."""
    server = _Uvicorn(
        uvicorn.Config(
            _Cut(app),
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
