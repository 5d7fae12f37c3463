"""The life cycle of a server: checks, stores, background work, one transport, shutdown."""

import gc
import json
import logging
import os
import sys
from collections.abc import Collection
from contextlib import ExitStack

from config.settings import ServerSettings, Settings
from config.unused_variables import unused_variables
from gateway import logs
from gateway.composition import Gateway, assemble_gateway, background, create_data_dir, open_stores, warm_up
from gateway.data_dir_lock import shared_lock
from gateway.errors import Refused
from gateway.package_clash import clashes
from gateway.plugins import packages
from gateway.startup import Startup, end_within
from toolsets.replies import counted

log = logging.getLogger("entrepot.gateway")

NEW_OBJECTS = 10_000
"""How many objects are created before garbage is looked for among them: those of a few replies with hundreds of rows.

Few objects of a call are in cycles, and none of these holds a body, so the rest of 600 calls takes about 3 MB.
"""


async def serve(settings: Settings, only: Collection[str] | None = None) -> None:
    """Serve the enabled toolsets (of `only`, if given) until the client disconnects or a signal arrives.

    Raises `Refused` if it must not or cannot start.
    """
    # Objects created during the start stay alive; collecting garbage among them would take a seventh of the start.
    gc.disable()
    # Importing the protocol's library takes most of a start, so everything that can be refused is refused before it.
    kinds = (str(table.get("kind")) for table in settings.stores.values())
    logs.configure(settings.log.level, settings.log.format, packages(kinds))
    for problem in clashes():
        raise Refused(problem)
    for sentence in unused_variables(os.environ):
        log.warning("%s", sentence)
    stdio = settings.server.transport == "stdio"
    # Left last, because engines finish their files when the inner block is left.
    with Startup(watched=0 if stdio else None) as start, ExitStack() as staying:
        async with assemble_gateway(settings, only) as gateway:
            create_data_dir(settings.data_dir)
            staying.enter_context(shared_lock(settings.data_dir))
            await open_stores(gateway)
            async with background(gateway.served):
                await (_serve_stdio if stdio else _serve_http)(gateway, start)


async def _serve_stdio(gateway: Gateway, start: Startup) -> None:
    from gateway.mcp_server import SurfaceServer, listeners
    from gateway.transports import stdio

    streams = listeners()
    server = SurfaceServer(gateway.unified, streams)
    _started(start)
    if os.isatty(0):
        sys.stderr.write(
            "entrepot waits for an MCP client on standard input; clients start it themselves. "
            "To serve HTTP: entrepot serve --transport http. Ctrl-C ends it.\n"
        )
        sys.stderr.flush()

    def closing(seconds: float) -> None:
        # Computing threads cannot be cancelled. Acknowledged writes are in the log, and engines survive a kill.
        end_within(seconds, 0)
        streams.close()

    await stdio.serve(server, max_message_bytes=gateway.settings.server.max_body_bytes, closing=closing)


async def _serve_http(gateway: Gateway, start: Startup) -> None:
    from gateway.mcp_server import listeners
    from gateway.refusals import Refusals
    from gateway.security.bind import address, bind
    from gateway.transports.http import application
    from gateway.transports.listener import listen

    server = gateway.settings.server
    await warm_up(gateway)
    with bind(server) as listening:
        host, port = address(listening)
        streams = listeners()
        refusals = Refusals(gateway.routes)
        app = application(gateway, streams, host, refusals)
        _started(start)
        _announce(gateway, host, port)
        await listen(app, listening, refusals, max_connections=server.max_connections, closing=streams.close)


def _started(start: Startup) -> None:
    """End the start: from here on garbage is collected, except among the objects that the start has created."""
    start.over()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    gc.enable()


def _announce(gateway: Gateway, host: str, port: int) -> None:
    """Print to stderr where the server listens, what it serves, and the entry for a client's configuration."""
    from gateway.security.bind import is_every_address

    say = sys.stderr.write
    base = _url(host, port)
    say(f"entrepot listens on {base}\n")
    for surface in gateway.surfaces:
        say(f"  {base}{surface.path:<24} {surface.title}: {counted(len(surface.tools), 'tool', 'tools')}\n")
    server = gateway.settings.server
    if is_every_address(host) and not server.allowed_hosts:
        say("Other machines are refused until server.allowed_hosts has the name by which they reach this one.\n")
    entry: dict[str, object] = {"type": "http", "url": f"{_reachable(host, port, server)}{gateway.unified.path}"}
    if server.token is not None:
        entry["headers"] = {"Authorization": "Bearer <server.token>"}
    say("Paste into a client's configuration:\n")
    say(f"  {json.dumps({'mcpServers': {'entrepot': entry}})}\n")
    sys.stderr.flush()


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _reachable(host: str, port: int, server: ServerSettings) -> str:
    """Return the base URL for a client; a server on all addresses uses an allowed name, or this machine."""
    from gateway.security.bind import is_every_address

    if not is_every_address(host):
        return _url(host, port)
    named = next((name for name in server.allowed_hosts), "127.0.0.1" if ":" not in host else "[::1]")
    name = named.removesuffix(":*")
    return f"http://{name}" if name.rpartition("]")[2].count(":") else f"http://{name}:{port}"
