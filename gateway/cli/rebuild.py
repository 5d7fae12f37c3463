"""`entrepot rebuild`: build a toolset's stores again from its events, or fill another profile's."""

import json
from collections.abc import Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import click
from filelock import FileLock, Timeout

from backends.ports.errors import StoreError, Unusable
from backends.trial import Unexamined
from config.settings import Settings
from gateway.cli.aside import set_aside
from gateway.cli.options import Place, place_options
from gateway.composition import assembled, check_there, other_stores
from gateway.errors import Refused
from gateway.occupancy import alone
from toolsets.spec import Progress, Rebuildable, RebuildReport

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

MOST_REPLACED = 8
"""How many stores of a profile may be found damaged; a disk that damages more makes a rebuild pointless."""


@click.command("rebuild")
@click.option("--toolset", metavar="NAME", help="Only this toolset [default: every one that has events].")
@click.option("--to", metavar="PROFILE", help="Fill this profile's stores instead, and switch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON, for programs.")
@place_options
def command(*, toolset: str | None, to: str | None, as_json: bool) -> None:
    """Build stores again beside the live ones, compare, then switch; damaged files are moved aside first."""
    reports = anyio.run(_rebuild, Place.here(), toolset, to)
    if as_json:
        click.echo(json.dumps({name: asdict(report) for name, report in reports.items()}))
    else:
        click.echo("\n".join(_sentence(name, report) for name, report in reports.items()))


async def _rebuild(place: Place, toolset: str | None, to: str | None) -> dict[str, RebuildReport]:
    settings = place.load().settings
    check_there(settings.data_dir)
    moved: list[Path] = []
    try:
        with _only(settings.data_dir), ExitStack() as until_filled:
            return await _whole(place, settings, toolset, to, moved, until_filled)
    except (Refused, OSError) as problem:
        said = str(problem).rstrip(".")
        if moved:
            raise Refused(f"{said}. {_unfilled(moved)}") from problem
        if isinstance(problem, _Stopped):
            raise Refused(f"{said}. What it had not switched is as it was") from problem
        raise
    except anyio.get_cancelled_exc_class():
        if moved:
            click.echo(_unfilled(moved), err=True)
        raise


def _unfilled(moved: list[Path]) -> str:
    return (
        f"Damaged files were moved to {', '.join(map(str, moved))}, and what is in their place is not filled yet: mend "
        "what stopped the rebuild and run it again, or start the server, which fills it too."
    )


async def _whole(
    place: Place, settings: Settings, toolset: str | None, to: str | None, moved: list[Path], until_filled: ExitStack
) -> dict[str, RebuildReport]:
    """Rebuild, and move damaged files aside until none is left; add the folders that they are in to `moved`."""
    while len(moved) < MOST_REPLACED:
        try:
            reports = await _attempt(place, settings, toolset, to)
        except StoreError as problem:
            # All stores are closed here. From the first move on nobody is to find what is not filled yet.
            if not moved:
                until_filled.enter_context(alone(settings.data_dir))
            moved.append(set_aside(problem.replaceable))
            click.echo(f"{problem}\nMoved to {moved[-1]}; building it again.", err=True)
        else:
            # What was moved was not read: the digest of an empty store would say nothing.
            return {n: replace(report, former_digest=None) for n, report in reports.items()} if moved else reports
    raise Refused(f"Stores were found damaged {MOST_REPLACED} times; check the disk.")


class _Stopped(Refused):
    """A toolset's rebuild could not be finished."""


@contextmanager
def _only(data_dir: Path) -> Generator[None]:
    """Keep other rebuilds of a data directory away, that none moves what another has just made. Raises `Refused`."""
    try:
        with FileLock(data_dir / "rebuild.lock", timeout=0):
            yield
    except Timeout as problem:
        raise Refused(f"Another rebuild of {data_dir} is running; wait for its end.") from problem


async def _attempt(place: Place, settings: Settings, toolset: str | None, to: str | None) -> dict[str, RebuildReport]:
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        async with assembled(settings, None if toolset is None else [toolset]) as gateway:
            # Stores are not opened here: a rebuild is the way out when one of them cannot be.
            able = {each.toolset.name: each.running.rebuild for each in gateway.served if each.running.rebuild}
            if not able:
                raise Refused("No such toolset keeps its stores from events; there is nothing to rebuild.")
            _stop_at(await gateway.stores.examine(), settings, apart=to is not None)
            return {name: await _one(rebuildable, name, place, to, bars) for name, rebuildable in able.items()}


def _stop_at(found: Mapping[str, StoreError], settings: Settings, *, apart: bool = False) -> None:
    """Raise what makes a rebuild useless: events that are damaged, or files in which it would build, unless it is apart."""
    logs = {table.events for table in settings.enabled.values()}
    for name, problem in found.items():
        if name in logs and isinstance(problem, Unusable) and not problem.replaceable:
            raise _Stopped(f"There is nothing to rebuild from: {problem}")
        if problem.replaceable and not apart:
            raise problem
        if isinstance(problem, Unexamined) and not apart:
            raise _Stopped(f"Nothing was built, since not all that is there could be looked through: {problem}")


async def _one(rebuildable: Rebuildable, name: str, place: Place, to: str | None, bars: "Bars") -> RebuildReport:
    async with AsyncExitStack() as stack:
        target = None
        if to is not None:
            settings = place.load({"profile": to}).settings
            house, target = await stack.enter_async_context(other_stores(settings, name))
            _stop_at(await house.examine(), settings)
        try:
            return await rebuildable.rebuild(_bar(bars, name), target)
        except StoreError as problem:
            if problem.replaceable:
                raise
            raise _Stopped(f"The rebuild of {name} stopped: {problem}") from problem


def _bar(bars: "Bars", name: str) -> Progress:
    bar = bars.add_task(name, total=None)

    async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
        bars.update(bar, completed=done, total=total, description=message or name)

    return advance


def _sentence(name: str, report: RebuildReport) -> str:
    differs = report.former_digest not in (None, report.digest)
    return (
        f"{name}: generation {report.generation} from {report.events} events: {report.nodes} nodes, {report.edges} edges, "
        f"{report.vectors} vectors ({report.embedded} computed again), digest {report.digest}"
        + (f"; the former generation differed: {report.former_digest}" if differs else "")
    )
