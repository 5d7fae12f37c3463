"""`entrepot contracts`: run the contract suite of the installed wheel."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

import click

from backends.registry import adapter_names
from config.sources import profiles
from gateway.cli.options import CommonOptions, check_known, common_options

EXIT_CODES = {0: 0, 1: 1, 2: 130, 4: 2, 5: 2}
"""Our exit codes by those of pytest, for success, failure, interruption, wrong usage and no selected test; others give 1."""


@click.command("contracts", context_settings={"ignore_unknown_options": True})
@click.option("--backend", metavar="KIND", help="Test this adapter against the promises of its ports.")
@click.option(
    "--promise",
    metavar="ID",
    multiple=True,
    help="Test only this promise, group or area: vectors:keyword, vectors; repeatable.",
)
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- PYTEST_ARGS]...")
@common_options
def command(backend: str | None, promise: tuple[str, ...], pytest_arguments: tuple[str, ...]) -> None:
    """Check that a profile or an adapter keeps every promise.

    After `--` come options of pytest and the suite's own: --suite ports|tools, --transport, --engine PORT=KIND, --column NAME,
    --store-option KEY=VALUE, --report FILE.
    """
    options = CommonOptions.current()
    options.check_unused("--config", "--data-dir", reason="the suite runs on engines and directories of its own")
    check_known("--profile", "profile", options.profile, profiles())
    check_known("--backend", "adapter", backend, adapter_names())
    chosen = [("--profile", options.profile), ("--backend", backend), *(("--promise", each) for each in promise)]
    words = [word for option, value in chosen if value for word in (option, value)]
    # Imported by name: the suite is a layer above the gateway, which must not depend on it.
    try:
        run = cast("Callable[[Sequence[str]], int]", import_module("contracts.run").main)
    except ModuleNotFoundError as error:
        raise click.ClickException(f'The suite needs {error.name}: pip install "entrepot[contracts]".') from None
    click.get_current_context().exit(EXIT_CODES.get(run([*words, *pytest_arguments]), 1))
