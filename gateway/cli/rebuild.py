"""`entrepot rebuild`: rebuild a toolset's stores from its events, or fill those of another profile."""

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import anyio
import click

from config.sources import profiles
from gateway.cli.options import CommonOptions, check_known, common_options
from gateway.errors import Refused
from gateway.plugins import installed
from gateway.rebuild import Rebuild, Reporter
from toolsets.replies import counted
from toolsets.reports import Progress, RebuildReport

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


@click.command("rebuild")
@click.option("--toolset", metavar="NAME", help="Only this toolset [default: every one that has events].")
@click.option("--to", metavar="PROFILE", help="Fill this profile's stores instead, and switch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON, for programs.")
@common_options
def command(*, toolset: str | None, to: str | None, as_json: bool) -> None:
    """Rebuild stores beside the live ones, compare, then switch; damaged files are moved aside first.

    The exit code is 1 if a toolset could not be rebuilt; its stores then stay as they are.
    """
    options = CommonOptions.current()
    settings = options.load().settings
    check_known("--to", "profile", to, profiles())
    check_known("--toolset", "toolset", toolset, sorted(installed()))
    target = None if to is None else options.load({"profile": to}).settings
    with reporting() as reporter:
        found = anyio.run(Rebuild(settings, toolset, target, reporter).run)
    if as_json:
        click.echo(json.dumps({name: asdict(report) for name, report in found.reports.items()}))
    elif found.reports:
        click.echo("\n".join(_sentence(name, report) for name, report in found.reports.items()))
    if found.stopped:
        raise Refused("\n".join(found.stopped))


@contextmanager
def reporting() -> Generator[Reporter]:
    """Report to stderr, with bars on a terminal and with lines otherwise."""
    if not sys.stderr.isatty():
        yield _ProgressLines()
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        yield _ProgressBars(bars)


class _ProgressBars:
    """A bar for each toolset on stderr."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars

    def notice(self, text: str) -> None:
        click.echo(text, err=True)

    def progress(self, toolset: str) -> Progress:
        bar = self._bars.add_task(toolset, total=None)

        async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
            self._bars.update(bar, completed=done, total=total, description=message or toolset)

        return advance


class _ProgressLines:
    """A line on stderr for each tenth of the work and each of its parts."""

    def notice(self, text: str) -> None:
        click.echo(text, err=True)

    def progress(self, toolset: str) -> Progress:
        reported: tuple[str | None, int] | None = None

        async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
            nonlocal reported
            reached = (message, int(10 * done / total) if total else 0)
            if reached != reported:
                reported = reached
                part = f", {message}" if message else ""
                click.echo(f"{toolset}{part}: {done:,g}{f' of {total:,g}' if total else ''}", err=True)

        return advance


def records(nodes: int, edges: int, vectors: int) -> str:
    """Return how many records there are of each sort."""
    parts = (
        counted(nodes, "node", "nodes"),
        counted(edges, "edge", "edges"),
        counted(vectors, "vector", "vectors"),
    )
    return ", ".join(parts)


def _sentence(name: str, report: RebuildReport) -> str:
    differs = report.former_digest not in (None, report.digest)
    return (
        f"{name}: generation {report.generation} from {counted(report.events, 'event', 'events')}: "
        f"{records(report.nodes, report.edges, report.vectors)} ({report.embedded} computed again), digest {report.digest}"
        + (f"; the former generation differed: {report.former_digest}" if differs else "")
    )
