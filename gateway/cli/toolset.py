"""`entrepot TOOLSET NAME ...`: the commands that toolsets bring."""

import anyio
import click

from backends.ports.errors import StoreError
from gateway.cli.options import Place, place_options
from gateway.composition import assembled, prepare
from gateway.errors import Refused
from gateway.plugins import installed


def group_of(toolset: str) -> click.Command | None:
    """Return the command that hands words on to a toolset's commands; None if no toolset has that name."""
    if toolset not in installed():
        return None

    @click.command(toolset, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="COMMAND [WORDS]...")
    @place_options
    def command(words: tuple[str, ...]) -> None:
        code = anyio.run(_run, Place.here(), toolset, words)
        click.get_current_context().exit(code)

    return command


async def _run(place: Place, toolset: str, words: tuple[str, ...]) -> int:
    settings = place.load().settings
    async with assembled(settings, [toolset]) as gateway:
        commands = {command.name: command for served in gateway.served for command in served.running.commands}
        if not words or words[0] in ("-h", "--help"):
            for name, command in sorted(commands.items()):
                click.echo(f"{name:<20} {command.summary}")
            if not commands:
                click.echo(f"The toolset {toolset} brings no commands; `entrepot tools` lists its tools.")
            return 0
        if words[0] not in commands:
            known = ", ".join(sorted(commands)) or "none"
            raise click.UsageError(f"The toolset {toolset} has no command {words[0]}; it has: {known}.")
        prepare(settings.data_dir)
        try:
            return await commands[words[0]].run(words[1:], click.echo)
        except StoreError as error:
            raise Refused(str(error)) from error
