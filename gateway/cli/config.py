"""`entrepot config explain`: every effective setting and its source."""

import json
from dataclasses import asdict

import click

from config.errors import ConfigError
from gateway.cli.commands import print_error
from gateway.cli.options import CommonOptions, common_options
from gateway.effective_settings import EffectiveSettings, effective_settings, given_settings


@click.group("config")
@common_options
def command() -> None:
    """Look at the configuration."""


@command.command("explain")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@common_options
def explain_command(*, as_json: bool) -> None:
    """Show every setting with its value and source, those of engines and toolsets included; secrets are masked.

    If one is wrong, the others that a source sets are shown all the same, and the problem last.
    """
    found = _found(CommonOptions.current())
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found.values]))
    else:
        rows = [(each.key, json.dumps(each.value), each.source) for each in found.values]
        # Never wrapped or cut to the width of a terminal, so that paths can be copied.
        widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:2]]
        for key, value, source in rows:
            click.echo(f"{key:{widths[0]}}  {value:{widths[1]}}  {source}")
    if found.problem is not None:
        print_error(found.problem)
        click.get_current_context().exit(1)


def _found(options: CommonOptions) -> EffectiveSettings:
    try:
        return effective_settings(options.load())
    except ConfigError as problem:
        return EffectiveSettings(given_settings(options.read()), str(problem))
