"""The commands of toolsets: `entrepot TOOLSET NAME ...`, or `entrepot NAME ...` if only one toolset has the command."""

import copy
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from inspect import isawaitable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import anyio
import click

from backends.ports.errors import StoreError
from config.suggestion import did_you_mean
from gateway.assignment import enabled
from gateway.cli.options import Place, place_options
from gateway.composition import Gateway, assembled, check_there, prepare
from gateway.data_dir_lock import in_use
from gateway.errors import Refused
from gateway.plugins import installed, may_bring
from gateway.registry import Served
from toolsets.spec import CommandSpec


def command_of(name: str, built_in: Sequence[str]) -> click.Command:
    """Return the command that runs a toolset's commands, or the only toolset command of that name.

    The toolsets that may have it are assembled when it runs, because options after the name may choose the configuration. If
    no toolset and no command has the name, it is a usage error that suggests a similar name, `built_in` included.
    """

    @click.command(name, _KeepingDashes, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WORDS]...")
    @place_options
    def command(words: tuple[str, ...]) -> None:
        ctx = click.get_current_context()
        ctx.exit(anyio.run(_run, ctx.parent, Place.here(), name, words, built_in))

    return command


def brought_commands(place: Place) -> str:
    """Return a sentence about the commands of the enabled toolsets, opening nothing. Raises `ConfigError` and `Refused`."""

    async def found() -> list[str]:
        async with assembled(place.load().settings) as gateway:
            names = {
                each.toolset.name: [str(spec.command.name) for spec in each.running.commands] for each in gateway.served
            }
        return [f"{' and '.join(sorted(commands))} ({toolset})" for toolset, commands in names.items() if commands]

    brought = anyio.run(found)
    return f"Toolsets bring commands of their own: {', '.join(brought)}." if brought else "No toolset brings a command."


class _KeepingDashes(click.Command):
    """A command whose words keep the first `--`, which the parser would remove."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:at], *args[at : at + 1], *args[at:]])


async def _run(
    parent: click.Context | None, place: Place, name: str, words: tuple[str, ...], built_in: Sequence[str]
) -> int:
    settings = place.load().settings
    toolset = name in installed()
    # Where none may bring it, all are asked for what resembles it.
    asked = [name] if toolset else sorted({*may_bring(name)} & {*enabled(settings)}) or None
    async with AsyncExitStack() as stack:
        spare = Path(stack.enter_context(TemporaryDirectory())) if _is_dry(words) else None
        wanted = settings.data_dir
        if spare is not None and not wanted.exists():
            settings = settings.model_copy(update={"data_dir": spare})
        gateway = await stack.enter_async_context(assembled(settings, asked, spare=spare))
        command = _group(gateway.served[0]) if toolset else _single(gateway, name, built_in)
        with command.make_context(name, list(words), parent) as ctx:
            outcome = cast("object", command.invoke(ctx))
            invoked = ctx.invoked_subcommand if toolset else name
        if isawaitable(outcome):
            # Only now, after the line was parsed: wrong usage and --help need no data directory.
            specs = [spec for served in gateway.served for spec in served.running.commands]
            makes_one = any(spec.makes_data_dir for spec in specs if spec.command.name == invoked)
            (prepare if makes_one else check_there)(settings.data_dir if makes_one else wanted)
            with in_use(settings.data_dir):
                outcome = await _awaited(cast("Awaitable[object]", outcome))
        return outcome if isinstance(outcome, int) else 0


def _is_dry(words: Sequence[str]) -> bool:
    """Return whether the line has the flag `--dry-run`."""
    return "--dry-run" in (words[: words.index("--")] if "--" in words else words)


async def _awaited(outcome: Awaitable[object]) -> object:
    try:
        return await outcome
    except StoreError as error:
        raise Refused(str(error)) from error


def _group(served: Served) -> click.Group:
    """Return the group of a toolset's commands, which shows its help if no command is given."""

    def help_without_word() -> None:
        ctx = click.get_current_context()
        if ctx.invoked_subcommand is None:
            click.echo(ctx.get_help())

    name = served.toolset.name
    commands = {str(spec.command.name): _bound(spec) for spec in served.running.commands}
    text = f"Commands of the toolset {name}."
    if not commands:
        text = f"The toolset {name} brings no commands; `entrepot tools` lists its tools."
    return place_options(
        click.Group(name, commands, callback=help_without_word, help=text, invoke_without_command=True)
    )


def _single(gateway: Gateway, name: str, built_in: Sequence[str]) -> click.Command:
    found = {
        served.toolset.name: _bound(spec)
        for served in gateway.served
        for spec in served.running.commands
        if spec.command.name == name
    }
    if len(found) > 1:
        raise click.UsageError(
            f"Several toolsets have a command {name!r}; name the toolset: entrepot {min(found)} {name}."
        )
    if not found:
        brought = [str(spec.command.name) for each in gateway.served for spec in each.running.commands]
        known = [*built_in, *installed(), *brought]
        raise click.UsageError(f"No such command {name!r}{did_you_mean(name, known) or '.'}")
    return next(iter(found.values()))


def _bound(spec: CommandSpec) -> click.Command:
    command = _with_place(spec.command)
    command.context_settings = {**command.context_settings, "obj": spec.obj}
    return command


def _with_place(command: click.Command) -> click.Command:
    """Return a copy whose help has the options of place, which are parsed before it is found, and so below it."""
    found = copy.copy(command)
    found.params = [*command.params]
    if isinstance(found, click.Group):
        found.commands = {name: _with_place(each) for name, each in found.commands.items()}
    return place_options(found)
