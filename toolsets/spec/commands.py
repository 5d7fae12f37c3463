"""Commands of a toolset: `entrepot TOOLSET COMMAND`."""

from dataclasses import dataclass
from typing import cast

import click

COMMAND_POINTS = "entrepot.commands"
"""The group in which a distribution may name its toolsets' commands, each with the module of the toolset that brings it."""
READ_ONLY = "entrepot.read_only"
"""The key in a click context's `meta` that a `ReadOnlyFlag` sets."""


class ReadOnlyFlag(click.Option):
    """A flag such as `click.option("--dry-run", is_flag=True, cls=ReadOnlyFlag)`: stores are read-only, no file is created.

    The callbacks of groups above the command are called twice, because the line is parsed before stores are chosen.
    """

    def process_value(self, ctx: click.Context, value: object) -> object:
        """Return the value; note that the flag is set."""
        found = cast("object", super().process_value(ctx, value))
        if found:
            ctx.meta[READ_ONLY] = True
        return found


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A click command of a toolset.

    It runs as `entrepot <toolset> <command>`, and as `entrepot <command>` unless a built-in command, a toolset or another
    toolset's command has that name. A distribution may name its commands, then all of them, in the entry-point group
    `entrepot.commands`: a command is then found without importing the other toolsets. The gateway adds the options for
    profile, configuration and data directory.
    """

    command: click.Command
    """A command or a group. A callback may be a coroutine function, which is awaited after the whole line is parsed.

    A callback prints with `click.echo`. It returns an exit code, or None for 0, and may raise click's exceptions. A flag of
    the class `ReadOnlyFlag`, such as `--dry-run`, makes the stores read-only.
    """
    obj: object = None
    """The object that `click.pass_obj` passes to the callbacks."""
    makes_data_dir: bool = False
    """Whether the command creates a missing data directory instead of refusing it."""
