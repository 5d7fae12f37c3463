"""`entrepot contracts`: run the contract suite of the installed wheel."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

import click

from gateway.cli.options import Place, place_options


@click.command("contracts", context_settings={"ignore_unknown_options": True})
@click.option("--backend", metavar="KIND", help="Hold this adapter to the port promises.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- PYTEST_ARGS]...")
@place_options
def command(backend: str | None, pytest_arguments: tuple[str, ...]) -> None:
    """Check that a profile or an adapter keeps every promise."""
    place = Place.here()
    words = [*(("--profile", place.profile) if place.profile else ()), *(("--backend", backend) if backend else ())]
    # By name: the suite stands above the gateway and imports it, so the gateway must not import the suite.
    try:
        run = cast("Callable[[Sequence[str]], int]", import_module("contracts.run").main)
    except ModuleNotFoundError as error:
        raise click.ClickException(f'The suite needs {error.name}: pip install "entrepot[contracts]".') from None
    click.get_current_context().exit(run([*words, *pytest_arguments]))
