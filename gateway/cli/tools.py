"""`entrepot tools`: the tools that clients are offered, and the part of a model's context that they take."""

import json
from collections.abc import Mapping
from typing import cast

import anyio
import click

from config.settings import Settings
from gateway.cli.options import CommonOptions, common_options
from toolsets.replies import counted

BYTES_PER_TOKEN = 4
"""A rule of thumb for English and JSON; models differ."""


@click.command("tools")
@click.option("--json", "as_json", is_flag=True, help="Print tools/list as JSON, for programs.")
@common_options
def command(*, as_json: bool) -> None:
    """List the tools that would be served."""
    listed = anyio.run(_listed, CommonOptions.current().load().settings)
    text = json.dumps({"tools": list(listed.values())}, separators=(",", ":"), ensure_ascii=False)
    click.echo(text) if as_json else _show(listed, len(text.encode()))


async def _listed(settings: Settings) -> Mapping[str, Mapping[str, object]]:
    from gateway.composition import assemble_gateway
    from gateway.mcp_server import wire_tool

    async with assemble_gateway(settings) as gateway:
        return {
            name: wire_tool(name, tool).model_dump(mode="json", by_alias=True, exclude_none=True)
            for name, tool in gateway.unified.tools.items()
        }


def _show(listed: Mapping[str, Mapping[str, object]], size: int) -> None:
    # Never wrapped or cut to the width of a terminal, so that names can be copied.
    rows = [(name, str(tool["title"]), _hints(tool["annotations"])) for name, tool in listed.items()]
    names, titles = (max(map(len, column)) for column in ([row[at] for row in rows] or [""] for at in (0, 1)))
    for name, title, hints in rows:
        click.echo(f"{name:{names}}  {title:{titles}}  {hints}")
    click.echo(
        f"{counted(len(listed), 'tool', 'tools')}; tools/list has {size:,} bytes, about {size // BYTES_PER_TOKEN:,} tokens"
    )


def _hints(annotations: object) -> str:
    words = {"readOnlyHint": "read-only", "destructiveHint": "overwrites or deletes", "idempotentHint": "idempotent"}
    held = cast("Mapping[str, object]", annotations)
    return ", ".join(word for hint, word in words.items() if held.get(hint)) or "adds"
