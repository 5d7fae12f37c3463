"""`entrepot TOOLSET NAME ...`, or `entrepot NAME ...` where only one toolset has it: the commands that toolsets bring."""

from collections.abc import Awaitable, Callable

import anyio
import click

from backends.ports.errors import StoreError
from gateway.cli.options import Place, place_options
from gateway.composition import assembled, check_there
from gateway.errors import Refused
from gateway.occupancy import in_use
from gateway.plugins import installed


def group_of(toolset: str) -> click.Command | None:
    """Return the command that hands words on to a toolset's commands; None if no toolset has that name."""
    return _taking_words(toolset, _run) if toolset in installed() else None


def command_of(name: str) -> click.Command:
    """Return the command that finds the enabled toolset with a command of this name; it is wrong usage if none has."""
    return _taking_words(name, _run_whoever_has)


class _WithDashes(click.Command):
    """A command that is told where `--` stood: what comes after it is no option of its own either."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # The parser takes the first one away.
        at = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:at], *args[at : at + 1], *args[at:]])


def _taking_words(name: str, run: Callable[[Place, str, tuple[str, ...]], Awaitable[int]]) -> click.Command:
    @click.command(name, _WithDashes, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WORDS]...")
    @place_options
    def command(words: tuple[str, ...]) -> None:
        code = anyio.run(run, Place.here(), name, words)
        click.get_current_context().exit(code)

    return command


async def _run_whoever_has(place: Place, name: str, words: tuple[str, ...]) -> int:
    async with assembled(place.load().settings) as gateway:
        having = [
            served.toolset.name
            for served in gateway.served
            if any(command.name == name for command in served.running.commands)
        ]
    if len(having) > 1:
        raise click.UsageError(f"Several toolsets have a command {name!r}; say which: entrepot {having[0]} {name}.")
    if not having:
        raise click.UsageError(f"No such command {name!r}.")
    return await _run(place, having[0], (name, *words))


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
        check_there(settings.data_dir)
        with in_use(settings.data_dir):
            try:
                return await commands[words[0]].run(words[1:], click.echo)
            except StoreError as error:
                raise Refused(str(error)) from error
