"""`entrepot serve`: run the server on standard input and output, or on HTTP."""

from importlib.util import find_spec

import anyio
import click

from gateway.cli.options import CommonOptions, check_known, common_options
from gateway.plugins import installed


@click.command("serve")
@click.option("--transport", type=click.Choice(["stdio", "http"]), help="How clients connect [default: stdio].")
@click.option("--host", help="The address to bind with HTTP [default: 127.0.0.1].")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="The port with HTTP [default: 8765; 0 chooses a free one]."
)
@click.option("--toolsets", metavar="A,B", help="Serve only these of the enabled toolsets.")
@common_options
def command(transport: str | None, host: str | None, port: int | None, toolsets: str | None) -> None:
    """Serve the enabled toolsets to MCP clients."""
    flags = {"server.transport": transport, "server.host": host, "server.port": port}
    if host == "":
        raise click.BadParameter("the host is empty", param_hint="--host")
    settings = CommonOptions.current().load(flags).settings
    only = None if toolsets is None else [name.strip() for name in toolsets.split(",") if name.strip()]
    if only == []:
        raise click.BadParameter("name at least one toolset", param_hint="--toolsets")
    for name in only or ():
        check_known("--toolsets", "toolset", name, sorted(installed()))
    from gateway.server import serve

    anyio.run(serve, settings, only, backend_options={"use_uvloop": find_spec("uvloop") is not None})
