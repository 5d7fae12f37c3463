"""The command `entrepot`: which commands there are, and how every one of them ends."""

import atexit
import gc
import logging
import os
import signal
import sys
from importlib import import_module
from types import FrameType
from typing import cast

# Before numpy is imported anywhere: its default is a thread per core for products that take microseconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click

from config.errors import ConfigError
from gateway.cli.options import place_options
from gateway.errors import Refused, cause_of
from gateway.version import installed_version

COMMANDS = {
    "call": "gateway.cli.call",
    "check": "gateway.cli.check",
    "config": "gateway.cli.config",
    "contracts": "gateway.cli.contracts",
    "rebuild": "gateway.cli.rebuild",
    "serve": "gateway.cli.serve",
    "tools": "gateway.cli.tools",
}


class Commands(click.Group):
    """Imports a command when it is asked for; a name that is none of ours is a toolset with commands of its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return our own commands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one of our commands, else the commands of a toolset, else what finds the toolset that has the command."""
        if cmd_name in COMMANDS:
            return cast("click.Command", import_module(COMMANDS[cmd_name]).command)
        from gateway.cli.toolset import command_of, group_of

        return group_of(cmd_name) or command_of(cmd_name)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Toolsets may bring commands of their own: entrepot TOOLSET --help.",
)
@click.version_option(installed_version(), prog_name="entrepot", message="%(prog)s %(version)s")
@place_options
def entrepot() -> None:
    """One MCP server for knowledge tools, over storage that you choose."""


def main() -> None:
    """Run the command line and exit: 0 fine, 1 trouble, 2 wrong usage, 130 interrupted. What is not fine is told on stderr."""
    signal.signal(signal.SIGTERM, _interrupted)
    # Else the interpreter's last collections go through all that was ever imported, for longer than all else that ends.
    atexit.register(gc.freeze)
    sys.exit(_exit_code())


def _interrupted(_: int, frame: FrameType | None) -> None:
    """End as with Ctrl-C, which lets go of what is open, also where that is ignored because a script runs us."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _exit_code() -> int:
    try:
        return int(entrepot.main(standalone_mode=False) or 0)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 every command ends here, whatever happened
        return _told(cause_of(error))


def _told(error: BaseException) -> int:
    """Tell people what happened and return the exit code."""
    match error:
        case click.ClickException():
            error.show()
            return error.exit_code
        case ConfigError() | Refused():
            click.echo(f"entrepot: {error}", err=True)
        case click.Abort() | KeyboardInterrupt():
            click.echo("entrepot: interrupted. Nothing that was stored is lost; run the command again.", err=True)
            return 130
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else the interpreter complains while it flushes stdout
        case OSError():
            click.echo(f"entrepot: {error}", err=True)
        case _:
            logging.getLogger("entrepot").debug("unforeseen", exc_info=error)
            click.echo(
                f"entrepot: something unforeseen went wrong ({type(error).__name__}: {error}). "
                "Set ENTREPOT_LOG__LEVEL=debug to see where.",
                err=True,
            )
    return 1


if __name__ == "__main__":
    main()
