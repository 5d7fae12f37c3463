"""MCP clients: for a running server, and for one that is started for a single call."""

import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gateway.errors import Refused
from gateway.version import installed_version

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from mcp import Client
    from mcp_types import Implementation


@asynccontextmanager
async def running_server(url: str, token: str | None) -> "AsyncGenerator[Client]":
    """Connect to a server over HTTP; a URL without a path means `/mcp`.

    Raises `Refused` if the server requires another token, and errors of the client library in exception groups.
    """
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    target = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/mcp"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        _refusing(create_mcp_http_client(headers=headers)) as http,
        Client(streamable_http_client(target, http_client=http), client_info=_implementation()) as client,
    ):
        yield client


@asynccontextmanager
async def own_server(words: Sequence[str]) -> "AsyncGenerator[Client]":
    """Start `entrepot` with these words before `serve`, connect to it over stdio, and stop it at the end."""
    from mcp import Client, StdioServerParameters

    command = ["-P", "-m", "gateway.cli.main", *words, "serve", "--transport", "stdio"]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(_environment()))
    async with Client(server, client_info=_implementation()) as client:
        yield client


def _environment() -> Mapping[str, str]:
    # -P and PYTHONPATH: the server finds our packages, and no folder of the same name in the current directory.
    ours = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    return {"ENTREPOT_LOG__LEVEL": "warning", **os.environ, "PYTHONPATH": path}


def _implementation() -> "Implementation":
    from mcp_types import Implementation

    return Implementation(name="entrepot-call", version=installed_version())


def _refusing(http: "AsyncClient") -> "AsyncClient":
    """Return the client, raising `Refused` for a wrong token; the protocol's library reports it as any failure."""

    async def refuse(response: "Response") -> None:
        if response.status_code == 401:
            raise Refused("The server wants its token: give it with --token or ENTREPOT_SERVER__TOKEN.")

    http.event_hooks["response"].append(refuse)
    return http
