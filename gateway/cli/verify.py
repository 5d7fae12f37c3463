"""`entrepot verify`: compare a profile's stores with the live ones, before a server moves to them."""

import json
from dataclasses import asdict

import anyio
import click

from config.sources import profiles
from gateway.cli.options import CommonOptions, check_known, common_options
from gateway.cli.rebuild import records, reporting
from gateway.comparison import compare
from gateway.plugins import installed
from toolsets.replies import counted
from toolsets.reports import ComparisonReport, Difference


@click.command("verify")
@click.option(
    "--to", metavar="PROFILE", required=True, help="The profile whose stores are compared with the live ones."
)
@click.option("--toolset", metavar="NAME", help="Only this toolset [default: every one that has events].")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON, for programs.")
@common_options
def command(*, to: str, toolset: str | None, as_json: bool) -> None:
    """Bring another profile's stores up to the log and compare them with the live ones; servers may run meanwhile.

    The exit code is 1 if anything differs.
    """
    options = CommonOptions.current()
    settings = options.load().settings
    check_known("--to", "profile", to, profiles())
    check_known("--toolset", "toolset", toolset, sorted(installed()))
    target = options.load({"profile": to}).settings
    with reporting() as reporter:
        reports = anyio.run(compare, settings, target, toolset, reporter)
    if as_json:
        click.echo(json.dumps({name: {"equal": each.equal, **asdict(each)} for name, each in reports.items()}))
    else:
        click.echo("\n".join(line for name, report in reports.items() for line in _lines(name, report)))
    click.get_current_context().exit(0 if all(each.equal for each in reports.values()) else 1)


def _lines(name: str, report: ComparisonReport) -> list[str]:
    held = f"{records(report.nodes, report.edges, report.vectors)}, position {report.position}"
    if report.equal:
        return [f"ok   {name}: {held}, digest {report.other_digest}"]
    number = counted(report.differing, "record differs", "records differ")
    lines = [f"BAD  {name}: {held}: {number}; digest {report.digest}, there {report.other_digest}"]
    return [*lines, *(f"     {_sentence(each)}" for each in report.differences)]


def _sentence(found: Difference) -> str:
    where = " ".join(part for part in (found.record, found.group, found.id) if part)
    part = f"{found.part}: " if found.part else ""
    return f"{part}{where}: {found.found} there"
