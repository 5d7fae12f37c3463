"""`entrepot rebuild`: build a toolset's stores again from its events, or fill another profile's."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import anyio
import click

from backends.ports.errors import StoreError
from gateway.cli.options import Place, place_options
from gateway.composition import assembled, open_stores, other_stores
from gateway.errors import Refused
from toolsets.spec import Progress, Rebuildable, RebuildReport

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


@click.command("rebuild")
@click.option("--toolset", metavar="NAME", help="Only this toolset [default: every one that has events].")
@click.option("--to", metavar="PROFILE", help="Fill this profile's stores instead, and switch nothing.")
@place_options
def command(toolset: str | None, to: str | None) -> None:
    """Build stores again beside the live ones, compare, then switch."""
    same = anyio.run(_rebuild, Place.here(), toolset, to)
    click.get_current_context().exit(0 if same else 1)


async def _rebuild(place: Place, toolset: str | None, to: str | None) -> bool:
    from rich.console import Console
    from rich.progress import Progress as Bars

    settings = place.load().settings
    same = True
    with Bars(console=Console(stderr=True), transient=True) as bars:
        async with assembled(settings, None if toolset is None else [toolset]) as gateway:
            await open_stores(gateway)
            able = {each.toolset.name: each.running.rebuild for each in gateway.served if each.running.rebuild}
            if not able:
                raise Refused("No such toolset keeps its stores from events; there is nothing to rebuild.")
            for name, rebuildable in able.items():
                report = await _one(rebuildable, name, place, to, bars)
                same = _tell(name, report) and same
    return same


async def _one(rebuildable: Rebuildable, name: str, place: Place, to: str | None, bars: "Bars") -> RebuildReport:
    async with AsyncExitStack() as stack:
        target = None
        if to is not None:
            settings = place.load({"profile": to}).settings
            target = await stack.enter_async_context(other_stores(settings, name))
        try:
            return await rebuildable.rebuild(_bar(bars, name), target)
        except StoreError as error:
            raise Refused(f"The rebuild of {name} stopped, and the live stores are as they were: {error}") from error


def _bar(bars: "Bars", name: str) -> Progress:
    bar = bars.add_task(name, total=None)

    async def advance(done: float, total: float | None = None, message: str | None = None) -> None:
        bars.update(bar, completed=done, total=total, description=message or name)

    return advance


def _tell(name: str, report: RebuildReport) -> bool:
    """Print what was done and return whether the digests, where there are two, agree."""
    click.echo(
        f"{name}: generation {report.generation} from {report.events} events: {report.nodes} nodes, {report.edges} edges, "
        f"{report.vectors} vectors ({report.embedded} computed again), digest {report.digest}"
    )
    if report.former_digest in (None, report.digest):
        return True
    click.echo(f"{name}: the former generation had digest {report.former_digest}: it had lost or kept what events deny")
    return False
