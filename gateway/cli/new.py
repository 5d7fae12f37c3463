"""`entrepot new`: write the skeleton of a toolset's or an adapter's package."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path, PurePosixPath
from typing import cast, get_args

import click

from backends.ports.capabilities import PortName
from backends.registry import adapter_names
from gateway.cli.options import NAMED_PATH, common_options
from gateway.errors import Refused
from gateway.plugins import installed, named_commands
from gateway.skeletons.package import Skeleton, adapter, toolset

_INTO = click.option("--into", type=NAMED_PATH, metavar="DIR", help="The directory to create [default: ./NAME].")


@click.group("new")
@common_options
def command() -> None:
    """Write the skeleton of a package for a new toolset or adapter."""


@command.command("toolset")
@click.argument("name")
@_INTO
@common_options
def new_toolset(name: str, into: Path | None) -> None:
    """Write a package with a small working toolset and its tests."""
    root = click.get_current_context().find_root()
    built_in = cast("click.Group", root.command).list_commands(root)
    skeleton = _named(toolset, name)
    _check_free(name, {*installed(), *named_commands(), *built_in}, "a toolset or a command")
    directory = _write(skeleton, into, name)
    click.echo(f'Next: cd {directory} && pip install -e ".[test]" && pytest')


@command.command("adapter")
@click.argument("name")
@click.option(
    "--port",
    type=click.Choice(get_args(PortName)),
    default="vectors",
    show_default=True,
    help="The port that it offers.",
)
@_INTO
@common_options
def new_adapter(name: str, port: PortName, into: Path | None) -> None:
    """Write a package with an adapter that opens; the contract suite names its missing parts."""
    skeleton = _named(partial(adapter, port=port), name)
    _check_free(name, adapter_names(), "an adapter")
    directory = _write(skeleton, into, name)
    click.echo(f'Next: cd {directory} && pip install -e ".[test]" && entrepot contracts --backend {name}')


def _named(make: Callable[[str], Skeleton], name: str) -> Skeleton:
    try:
        return make(name)
    except Refused as refused:
        raise click.BadParameter(str(refused), param_hint="NAME") from None


def _check_free(name: str, taken: Collection[str], what: str) -> None:
    if name in taken:
        raise Refused(f"There is already {what} called {name}; choose another name. Nothing was written.")


def _write(skeleton: Skeleton, into: Path | None, name: str) -> Path:
    directory = Path(name) if into is None else into
    written = skeleton.write(directory)
    click.echo("\n".join(str(PurePosixPath(directory) / path) for path in written))
    return directory
