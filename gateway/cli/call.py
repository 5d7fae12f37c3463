"""`entrepot call`: call a tool and print its reply."""

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import anyio
import click

from config.suggestion import did_you_mean
from gateway.cli.arguments import parse
from gateway.cli.options import CommonOptions, common_options, sets_log_level
from gateway.client import ServerEnded, own_server, running_server
from gateway.errors import Refused, cause_of
from gateway.logs import escaped
from gateway.plugins import installed

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult


@click.command("call")
@click.argument("tool")
@click.argument("words", nargs=-1, metavar="[KEY=VALUE | KEY:=JSON | KEY=@FILE]...")
@click.option("--url", metavar="URL", help="A running server; without it one is started for this call.")
@click.option("--token", metavar="TOKEN", help="The running server's token.", envvar="ENTREPOT_SERVER__TOKEN")
@click.option("--json", "as_json", is_flag=True, help="Print the structured reply as JSON, for programs.")
@common_options
def command(*, tool: str, words: tuple[str, ...], url: str | None, token: str | None, as_json: bool) -> None:
    """Call a tool and print its reply; exit code 1 when the reply is an error."""
    if url is None:
        options = CommonOptions.current()
        loaded = options.load()  # reports a wrong configuration here instead of through a server that ends
        server = own_server(options.arguments(), quiet=not sets_log_level(loaded))
    elif _is_url(url):
        CommonOptions.current().check_unused(
            "--profile", "--config", "--data-dir", reason="the server behind --url has its own"
        )
        server = running_server(url, token)
    else:
        raise click.BadParameter("must be http:// or https:// with a host", param_hint="--url")
    result = anyio.run(_call, server, tool, words)
    click.echo(_as_json(result) if as_json else _for_people(result))
    click.get_current_context().exit(1 if result.is_error else 0)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port  # a wrong one is an error only now
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


async def _call(server: "AbstractAsyncContextManager[Client]", tool: str, words: Sequence[str]) -> "CallToolResult":
    try:
        async with server as client:
            return await _reply(client, tool, words)
    except Exception as error:  # any error of the client library, in groups or not, becomes a sentence
        cause = cause_of(error)
        if isinstance(cause, click.ClickException | Refused):
            raise cause from None
        if isinstance(cause, ServerEnded):
            raise click.exceptions.Exit(1) from None
        raise Refused(f"The server did not answer: {str(cause) or type(cause).__name__}.") from error


async def _reply(client: "Client", tool: str, words: Sequence[str]) -> "CallToolResult":
    listed = {each.name: each for each in (await client.list_tools()).tools}
    if tool not in listed:
        prefixed = [name for name in (f"{toolset}_{tool}" for toolset in installed()) if name in listed]
        hint = f"; here it is {' or '.join(prefixed)}." if prefixed else did_you_mean(tool, listed)
        every = f". There are: {', '.join(listed)}."
        raise click.UsageError(f"There is no tool {tool}{hint or every}")
    return await client.call_tool(tool, parse(words, listed[tool].input_schema))


def _as_json(result: "CallToolResult") -> str:
    if result.structured_content is None:
        return json.dumps(_texts(result), ensure_ascii=False)
    return json.dumps(result.structured_content, ensure_ascii=False, indent=2)


def _for_people(result: "CallToolResult") -> str:
    """Return the reply's message, its other fields, and a line for each image."""
    if not isinstance(result.structured_content, Mapping):
        return "\n".join([*_texts(result), *_images(result)])
    fields = dict(cast("Mapping[str, object]", result.structured_content))
    message = fields.pop("message", None)
    fields.pop("success", None)
    lines = [escaped(line) for line in message.splitlines()] if isinstance(message, str) else []
    shown = [json.dumps(fields, ensure_ascii=False, indent=2)] if fields else []
    return "\n".join([*lines, *shown, *_images(result)])


def _texts(result: "CallToolResult") -> list[str]:
    return [content.text for content in result.content if content.type == "text"]


def _images(result: "CallToolResult") -> list[str]:
    """Return a line for each image with its type and its decoded size."""
    images = [content for content in result.content if content.type == "image"]
    return [f"[{each.mime_type}, {len(b64decode(each.data)):,} bytes]" for each in images]
