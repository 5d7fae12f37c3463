"""MCP clients: for a running server, and for one that is started for a single call."""

import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from backends.kit.child_process import child_command
from gateway.errors import Refused
from gateway.version import installed_version

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from mcp import Client
    from mcp_types import Implementation

END_S = 1.0
"""How long to wait for the rest of the stderr of a server that has ended."""


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


class ServerEnded(Exception):
    """The server that was started for a call ended by itself, and has said why on stderr."""


@asynccontextmanager
async def own_server(words: Sequence[str], *, quiet: bool) -> "AsyncGenerator[Client]":
    """Start `entrepot` with these words before `serve`, connect to it over stdio, and stop it at the end.

    Its stderr is passed on; if it is `quiet`, it logs only from warnings. Raises `ServerEnded`, and errors of the client
    library in exception groups.
    """
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *arguments = child_command("-m", "gateway.cli.main", *words, "serve", "--transport", "stdio")
    server = StdioServerParameters(command=program, args=arguments, env=dict(_environment(quiet=quiet)))
    with _StderrRelay() as stderr:
        try:
            async with Client(stdio_client(server, stderr.file), client_info=_implementation()) as client:
                yield client
        except Exception:
            if stderr.end():
                raise ServerEnded from None
            raise


class _StderrRelay:
    """Passes what a server writes to stderr on to ours, and notes whether an error is among it."""

    def __enter__(self) -> Self:
        self._reads, writes = os.pipe()
        self.file = os.fdopen(writes, "w")
        self._has_error = False
        self._thread = Thread(target=self._relay, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> bool:
        """Pass on what is left, and return whether a line begins as every error of the command does; repeatable."""
        self.file.close()
        self._thread.join(END_S)  # a child of the server may hold its stderr open
        return self._has_error

    def _relay(self) -> None:
        with os.fdopen(self._reads, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self._has_error = self._has_error or line.startswith("entrepot: ")
                sys.stderr.write(line)
                sys.stderr.flush()


def _environment(*, quiet: bool) -> Mapping[str, str]:
    # -P and PYTHONPATH: the server finds our packages, and no folder of the same name in the current directory.
    ours = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    level = {"ENTREPOT_LOG__LEVEL": "warning"} if quiet else {}
    return {**level, **os.environ, "PYTHONPATH": path}


def _implementation() -> "Implementation":
    from mcp_types import Implementation

    return Implementation(name="entrepot-call", version=installed_version())


def _refusing(http: "AsyncClient") -> "AsyncClient":
    """Return the client, raising `Refused` for a wrong token; the protocol's library reports it as any failure."""

    async def refuse(response: "Response") -> None:
        if response.status_code == 401:
            raise Refused("The server requires a token: pass it with --token or ENTREPOT_SERVER__TOKEN.")

    http.event_hooks["response"].append(refuse)
    return http
