"""The subcommands of `entrepot`, their errors and exit codes."""

import logging
import os
from collections.abc import Sequence
from importlib import import_module
from typing import cast

# Before numpy is imported anywhere: its default is a thread per core for products that take microseconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click

from backends.ports.errors import StoreError
from config.errors import ConfigError
from config.secrets import masked_text
from gateway.cli.options import CommonOptions, common_options
from gateway.errors import INTERRUPTED_CODE, Refused, cause_of, print_interrupted
from gateway.logs import cut, escaped
from gateway.version import installed_version

COMMANDS = {
    "call": "gateway.cli.call",
    "check": "gateway.cli.check",
    "config": "gateway.cli.config",
    "contracts": "gateway.cli.contracts",
    "new": "gateway.cli.new",
    "rebuild": "gateway.cli.rebuild",
    "serve": "gateway.cli.serve",
    "tools": "gateway.cli.tools",
    "verify": "gateway.cli.verify",
}


MAX_SENTENCE = 4_000
"""The most characters of an error that are printed; a driver's may quote whole statements."""

_RANGE = "a valid integer range"
"""How click names a number within bounds."""


class Commands(click.Group):
    """Imports a command on demand; any other name belongs to a toolset."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the built-in commands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the built-in command of that name, or a command that looks it up among the toolsets."""
        if cmd_name in COMMANDS:
            return cast("click.Command", import_module(COMMANDS[cmd_name]).command)
        from gateway.cli.toolset import command_of

        return command_of(cmd_name, sorted(COMMANDS))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write which commands the enabled toolsets have, or why that is unknown if the configuration is wrong."""
        from gateway.cli.toolset import provided_commands

        try:
            epilog = provided_commands(CommonOptions.current())
        except (ConfigError, Refused, click.UsageError) as error:
            problem = error.format_message() if isinstance(error, click.UsageError) else str(error)
            epilog = f"The commands of toolsets are not known: {cut(masked_text(problem), MAX_SENTENCE)}"
        formatter.write_paragraph()
        formatter.write_text(f"{epilog} entrepot TOOLSET --help shows those of any toolset.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(installed_version(), prog_name="entrepot", message="%(prog)s %(version)s")
@common_options
def entrepot() -> None:
    """One MCP server for knowledge tools, over storage that you choose."""


def run() -> int:
    """Run the command line and return its exit code; errors are printed to stderr."""
    try:
        return int(entrepot.main(prog_name="entrepot", standalone_mode=False) or 0)
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:  # noqa: BLE001 every command ends here
        return _report(cause_of(error))


def _report(error: BaseException) -> int:
    """Print what happened and return the exit code."""
    match error:
        case click.BadParameter(message=message) if _RANGE in message:
            sentence = message.replace(_RANGE, "a whole number")
            click.BadParameter(sentence, error.ctx, error.param, error.param_hint).show()
            return error.exit_code
        case click.UsageError() if (hint := _hint(error)) is not None:
            click.UsageError(error.message.rstrip(".") + hint, error.ctx).show()
            return error.exit_code
        case click.ClickException():
            error.show()
            return error.exit_code
        case ConfigError() | Refused() | StoreError():
            print_error(str(error))
        case click.Abort() | KeyboardInterrupt():
            print_interrupted()
            return INTERRUPTED_CODE
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else the interpreter complains while it flushes stdout
        case OSError():
            print_error(str(error))
        case _:
            logging.getLogger("entrepot").debug("unforeseen", exc_info=error)
            print_error(
                f"an unexpected error occurred ({type(error).__name__}: {error}). "
                "Set ENTREPOT_LOG__LEVEL=debug to see where."
            )
    return 1


def _hint(error: click.UsageError) -> str | None:
    """Return our hint instead of click's for an option or a command that does not exist; None for another error."""
    # Only from click 8.4 on there is a class for commands.
    names = cast("Sequence[str] | None", getattr(error, "possibilities", None))
    return f"; did you mean {names[0]}?" if names else None


def print_error(sentence: str) -> None:
    """Print an error to stderr, with secrets masked and control characters escaped."""
    lines = cut(masked_text(sentence), MAX_SENTENCE).splitlines()
    for line in lines:
        click.echo(f"entrepot: {escaped(line)}", err=True)
