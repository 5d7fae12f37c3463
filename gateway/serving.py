"""A server's whole life: checks, stores, background work, one transport, and the end."""

import gc
import json
import sys
from collections.abc import Collection
from contextlib import ExitStack

from config.settings import Settings
from gateway import logs
from gateway.composition import Gateway, assembled, background, open_stores, prepare
from gateway.errors import Refused
from gateway.occupancy import in_use
from gateway.shadowing import shadowing


async def serve(settings: Settings, only: Collection[str] | None = None) -> None:
    """Serve the enabled toolsets (of `only`, if given) until the client leaves or a signal comes.

    Raises `Refused` where it must not or cannot start.
    """
    # What a start makes, stays: looking for garbage in it would take a seventh of the whole start.
    gc.disable()
    # The protocol library takes most of a start: what is refused is refused before it is imported.
    logs.configure(settings.log.level, settings.log.format)
    for problem in shadowing():
        raise Refused(problem)
    # Left last: engines finish their files when the inner block is left.
    with ExitStack() as staying:
        async with assembled(settings, only) as gateway:
            prepare(settings.data_dir)
            staying.enter_context(in_use(settings.data_dir))
            await open_stores(gateway)
            async with background(gateway.served):
                await (_serve_stdio if settings.server.transport == "stdio" else _serve_http)(gateway)


async def _serve_stdio(gateway: Gateway) -> None:
    from gateway.surfaces import SurfaceServer, listeners
    from gateway.transports import stdio

    streams = listeners()
    server = SurfaceServer(gateway.unified, streams)
    _started()
    await stdio.serve(server, max_message_bytes=gateway.settings.server.max_body_bytes, closing=streams.close)


async def _serve_http(gateway: Gateway) -> None:
    from gateway.security.bind import address, bind
    from gateway.surfaces import listeners
    from gateway.transports.http import application
    from gateway.transports.listening import listen

    server = gateway.settings.server
    with bind(server) as listening:
        host, port = address(listening)
        streams = listeners()
        app = application(gateway, streams, server.host)
        _started()
        _announce(gateway, f"http://{host}:{port}")
        await listen(app, listening, closing=streams.close)


def _started() -> None:
    """Collect garbage from here on, passing over all that the start has made."""
    gc.freeze()
    gc.enable()


def _announce(gateway: Gateway, base: str) -> None:
    """Tell people on stderr where the server listens, what it serves and what to paste into a client's configuration."""
    from gateway.security.bind import is_every_address

    say = sys.stderr.write
    say(f"entrepot listens on {base}\n")
    for surface in gateway.surfaces:
        say(f"  {base}{surface.path:<24} {surface.title}: {len(surface.tools)} tools\n")
    server = gateway.settings.server
    if is_every_address(server.host) and not server.allowed_hosts:
        say("Other machines are refused until server.allowed_hosts has the name by which they reach this one.\n")
    entry: dict[str, object] = {"type": "http", "url": f"{base}{gateway.unified.path}"}
    if server.token is not None:
        entry["headers"] = {"Authorization": "Bearer <server.token>"}
    say("Paste into a client's configuration:\n")
    say(f"  {json.dumps({'mcpServers': {'entrepot': entry}})}\n")
    sys.stderr.flush()
