"""Runs the HTTP application on a socket until a signal arrives, and ends with exit code 0."""

import asyncio
import logging
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.refusals import Refusal, Refusals
from gateway.transports.connections import HttpConnection, connection_limit, sweep
from gateway.transports.signals import call_on_stop

log = logging.getLogger("entrepot.http")

GRACE_S = 4
"""How long running calls may take to finish; a second signal ends them at once. The rest is closed within another second."""
BACKLOG = 100
"""Connections waiting to be accepted; all are accepted at once, so fewer than the reserved descriptors."""
KEEP_ALIVE_S = 30
"""How long an idle connection is kept. Common clients reuse one for 5 s; closing it then makes their next request fail."""
_ENDING = Refusal(503, "server_ending", "The server is shutting down.")


class _Uvicorn(uvicorn.Server):
    """A server that does not handle signals: uvicorn raises them again at its end, which would determine the exit code."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture nothing."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down in order even if forced; uvicorn would leave its tasks and the lifespan unfinished."""
        await super().shutdown(sockets)
        if self.force_exit:
            for task in self.server_state.tasks:
                task.cancel()
            await self.lifespan.shutdown()


class _EndOfServer:
    """Answers 503 to a request that is cut short by the shutdown; uvicorn would log a traceback."""

    def __init__(self, app: ASGIApp, refusals: Refusals) -> None:
        self._app = app
        self._refusals = refusals

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
            log.info("A request was interrupted by the shutdown of the server")
            if not started:
                await self._refusals.response(scope["path"], _ENDING)(scope, receive, send)


async def listen(
    app: ASGIApp, listening: socket.socket, refusals: Refusals, *, max_connections: int, closing: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM; then `closing` is called to end the streams that never end by themselves.

    At most `max_connections` are open at once, fewer if the process cannot open enough files. `refusals` words the replies
    to requests that do not reach `app` or are cut short.
    """

    class Bounded(HttpConnection):
        pass

    Bounded.max_connections = connection_limit(max_connections)
    Bounded.refusals = refusals

    server = _Uvicorn(
        uvicorn.Config(
            _EndOfServer(app, refusals),
            log_config=None,
            access_log=False,
            http=Bounded,
            loop="none",
            ws="none",
            lifespan="on",
            backlog=BACKLOG,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=GRACE_S,
        )
    )

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        closing()

    async with anyio.create_task_group() as group:
        group.start_soon(call_on_stop, stop)
        group.start_soon(sweep, server.server_state.connections, Bounded)
        await server.serve(sockets=[listening])
        group.cancel_scope.cancel()
