"""`entrepot call`: a real MCP client on the command line."""

import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import anyio
import click

from gateway.cli.arguments import parse
from gateway.cli.options import Place, place_options
from gateway.errors import Refused, cause_of

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from mcp import Client, StdioServerParameters
    from mcp_types import CallToolResult


@click.command("call")
@click.argument("tool")
@click.argument("words", nargs=-1, metavar="[KEY=VALUE | KEY:=JSON | KEY=@FILE]...")
@click.option("--url", metavar="URL", help="A running server; without it one is started for this call.")
@click.option("--token", metavar="TOKEN", help="The running server's token.", envvar="ENTREPOT_SERVER__TOKEN")
@click.option("--json", "as_json", is_flag=True, help="Print the structured reply as JSON, for programs.")
@place_options
def command(*, tool: str, words: tuple[str, ...], url: str | None, token: str | None, as_json: bool) -> None:
    """Call a tool and print its reply; exit code 1 when the reply is an error."""
    if url is not None and urlsplit(url).scheme not in ("http", "https"):
        raise click.BadParameter("must begin with http:// or https://", param_hint="--url")
    result = anyio.run(_call, Place.here(), tool, words, url, token)
    click.echo(_as_json(result) if as_json else _for_people(result))
    click.get_current_context().exit(1 if result.is_error else 0)


async def _call(place: Place, tool: str, words: Sequence[str], url: str | None, token: str | None) -> "CallToolResult":
    try:
        async with _client(place, url, token) as client:
            return await _on(client, tool, words)
    except Exception as error:  # whatever the client library raises, in groups or not, is told in a sentence
        cause = cause_of(error)
        if isinstance(cause, click.ClickException | Refused):
            raise cause from None
        raise Refused(f"The server did not answer: {str(cause) or type(cause).__name__}.") from error


async def _on(client: "Client", tool: str, words: Sequence[str]) -> "CallToolResult":
    listed = {each.name: each for each in (await client.list_tools()).tools}
    if tool not in listed:
        raise click.UsageError(f"There is no tool {tool}; there are: {', '.join(listed)}.")
    return await client.call_tool(tool, parse(words, listed[tool].input_schema))


@asynccontextmanager
async def _client(place: Place, url: str | None, token: str | None) -> "AsyncGenerator[Client, None]":
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client
    from mcp_types import Implementation

    from gateway.version import installed_version

    me = Implementation(name="entrepot-call", version=installed_version())
    if url is None:
        async with Client(_server(place), client_info=me) as client:
            yield client
        return
    target = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/mcp"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        _heeding_refusals(create_mcp_http_client(headers=headers)) as http,
        Client(streamable_http_client(target, http_client=http), client_info=me) as client,
    ):
        yield client


def _heeding_refusals(http: "AsyncClient") -> "AsyncClient":
    """Return the client, made to tell a wrong token from a server in trouble, which the protocol's library does not."""

    async def heed(response: "Response") -> None:
        if response.status_code == 401:
            raise Refused("The server wants its token: give it with --token or ENTREPOT_SERVER__TOKEN.")

    http.event_hooks["response"].append(heed)
    return http


def _server(place: Place) -> "StdioServerParameters":
    from mcp import StdioServerParameters

    place.load()  # a wrong configuration is better told here than by a server that ends
    # -P and PYTHONPATH: the server finds our packages, and no folder of the same name in the current directory.
    ours = str(Path(__file__).parent.parent.parent)
    environment = {"ENTREPOT_LOG__LEVEL": "warning", **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    words = ["-P", "-m", "gateway.cli.main", *place.arguments(), "serve", "--transport", "stdio"]
    return StdioServerParameters(command=sys.executable, args=words, env=environment)


def _as_json(result: "CallToolResult") -> str:
    if result.structured_content is None:
        return json.dumps(_texts(result), ensure_ascii=False)
    return json.dumps(result.structured_content, ensure_ascii=False, indent=2)


def _for_people(result: "CallToolResult") -> str:
    """Return the reply's message, then what else it holds."""
    if not isinstance(result.structured_content, Mapping):
        return "\n".join(_texts(result))
    fields = dict(cast("Mapping[str, object]", result.structured_content))
    message = fields.pop("message", None)
    fields.pop("success", None)
    lines = [message] if isinstance(message, str) else []
    return "\n".join([*lines, *([json.dumps(fields, ensure_ascii=False, indent=2)] if fields else [])])


def _texts(result: "CallToolResult") -> list[str]:
    return [content.text for content in result.content if content.type == "text"]
