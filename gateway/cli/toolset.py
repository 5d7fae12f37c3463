"""The commands of toolsets: `entrepot TOOLSET NAME ...`, or `entrepot NAME ...` if only one toolset has the command."""

import copy
from collections.abc import Awaitable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from inspect import isawaitable, iscoroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import anyio
import click

from backends.ports.errors import StoreError
from config.suggestion import did_you_mean
from gateway.assignment import enabled
from gateway.cli.options import CommonOptions, common_options
from gateway.composition import Gateway, assemble_gateway, check_data_dir_exists, create_data_dir
from gateway.data_dir_lock import shared_lock
from gateway.errors import Refused
from gateway.plugins import installed, may_provide, named_commands
from gateway.surfaces import Served
from toolsets.spec import READ_ONLY, CommandSpec


def command_of(name: str, built_in: Sequence[str]) -> click.Command:
    """Return the command that runs a toolset's commands, or the only toolset command of that name.

    The toolsets that may have it are assembled when it runs, because options after the name may choose the configuration. If
    no toolset and no command has the name, it is a usage error that suggests a similar name, `built_in` included.
    """

    @click.command(name, _KeepingDashes, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[WORDS]...")
    @common_options
    def command(words: tuple[str, ...]) -> None:
        ctx = click.get_current_context()
        line = _CommandLine(cast("click.Context", ctx.parent), name, words, built_in)
        ctx.exit(anyio.run(_run, line, CommonOptions.current()))

    return command


def provided_commands(options: CommonOptions) -> str:
    """Return a sentence about the commands of the enabled toolsets, opening nothing. Raises `ConfigError` and `Refused`."""

    async def found() -> list[str]:
        async with assemble_gateway(options.load().settings) as gateway:
            names = {
                each.toolset.name: [str(spec.command.name) for spec in each.running.commands] for each in gateway.served
            }
        return [f"{' and '.join(sorted(commands))} ({toolset})" for toolset, commands in names.items() if commands]

    provided = anyio.run(found)
    return (
        f"Commands of the enabled toolsets: {', '.join(provided)}." if provided else "No enabled toolset has a command."
    )


class _KeepingDashes(click.Command):
    """A command whose words keep the first `--`, which the parser would remove."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:at], *args[at : at + 1], *args[at:]])


@dataclass(frozen=True, slots=True)
class _CommandLine:
    """A command line of toolsets: the name of a toolset or of a command, and the words after it."""

    parent: click.Context
    name: str
    words: tuple[str, ...]
    built_in: Sequence[str]

    @property
    def names_toolset(self) -> bool:
        """Return whether the name is that of a toolset, whose commands follow; a shipped command keeps its name."""
        return self.name in installed() and self.name not in named_commands(shipped=True)

    @property
    def is_read_only(self) -> bool:
        """Return whether a flag on the line, which was parsed, makes the stores read-only."""
        return READ_ONLY in self.parent.meta

    def invoked(self, gateway: Gateway) -> tuple[object, CommandSpec | None]:
        """Return what the command's callback returns, and the command; parsing ends here, with --help or wrong usage."""
        command = _group(gateway.served[0]) if self.names_toolset else self._single(gateway)
        with command.make_context(self.name, list(self.words), self.parent) as ctx:
            outcome = cast("object", command.invoke(ctx))
            name = ctx.invoked_subcommand if self.names_toolset else self.name
        specs = [spec for served in gateway.served for spec in served.running.commands]
        return outcome, next((spec for spec in specs if spec.command.name == name), None)

    def _single(self, gateway: Gateway) -> click.Command:
        """Return the command of this name. Raises `click.UsageError` unless exactly one toolset has it."""
        specs = [(served.toolset.name, spec) for served in gateway.served for spec in served.running.commands]
        found = {toolset: _bound(spec) for toolset, spec in specs if spec.command.name == self.name}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            toolset = min(found)
            hint = f"name the toolset: entrepot {toolset} {self.name}."
            raise click.UsageError(f"Several toolsets have a command {self.name!r}; {hint}", self.parent)
        known = [*self.built_in, *installed(), *(str(spec.command.name) for _, spec in specs)]
        raise click.UsageError(f"No such command {self.name!r}{did_you_mean(self.name, known) or '.'}", self.parent)


async def _run(line: _CommandLine, options: CommonOptions) -> int:
    settings = options.load().settings
    # If no toolset is known to provide it, all are asked, so that a similar name can be suggested.
    asked = [line.name] if line.names_toolset else sorted({*may_provide(line.name)} & {*enabled(settings)}) or None
    async with assemble_gateway(settings, asked) as gateway:
        outcome, spec = line.invoked(gateway)
        if not isawaitable(outcome) or not line.is_read_only:
            return await _finished(outcome, settings.data_dir, spec)
        if iscoroutine(outcome):
            outcome.close()
    with TemporaryDirectory() as directory:
        scratch = Path(directory)
        looked_at = settings if settings.data_dir.exists() else settings.model_copy(update={"data_dir": scratch})
        async with assemble_gateway(looked_at, asked, scratch=scratch) as gateway:
            outcome, spec = line.invoked(gateway)
            return await _finished(outcome, looked_at.data_dir if _makes_data_dir(spec) else settings.data_dir, spec)


async def _finished(outcome: object, data_dir: Path, spec: CommandSpec | None) -> int:
    """Wait for what a command returned, if it is to be awaited, and return the exit code."""
    if isawaitable(outcome):
        # A coroutine is closed here if the directory is refused before it runs.
        with closing(outcome) if iscoroutine(outcome) else nullcontext():
            # Only now, after the line was parsed: wrong usage and --help need no data directory.
            (create_data_dir if _makes_data_dir(spec) else check_data_dir_exists)(data_dir)
            with shared_lock(data_dir):
                outcome = await _awaited(cast("Awaitable[object]", outcome))
    return outcome if isinstance(outcome, int) else 0


def _makes_data_dir(spec: CommandSpec | None) -> bool:
    return spec is not None and spec.makes_data_dir


async def _awaited(outcome: Awaitable[object]) -> object:
    try:
        return await outcome
    except StoreError as error:
        raise Refused(str(error)) from error


def _group(served: Served) -> click.Group:
    """Return the group of a toolset's commands."""
    name = served.toolset.name
    commands = {str(spec.command.name): _bound(spec) for spec in served.running.commands}
    text = f"Commands of the toolset {name}."
    if not commands:
        text = f"The toolset {name} has no commands; `entrepot tools` lists its tools."
    return common_options(click.Group(name, commands, help=text))


def _bound(spec: CommandSpec) -> click.Command:
    command = _with_common_options(spec.command)
    command.context_settings = {**command.context_settings, "obj": spec.obj}
    return command


def _with_common_options(command: click.Command) -> click.Command:
    """Return a copy whose help has the common options, which are parsed before the command is found."""
    found = copy.copy(command)
    found.params = [*command.params]
    if isinstance(found, click.Group):
        found.commands = {name: _with_common_options(each) for name, each in found.commands.items()}
    return common_options(found)
