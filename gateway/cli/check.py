"""`entrepot check`: open every store, read what is in its files, and tell the operator what is wrong."""

import dataclasses
import json
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import click
from pydantic import JsonValue

from backends.ports.adapter import Health, capabilities_with
from backends.ports.errors import StoreError
from backends.registry import load_adapter
from config.settings import Settings
from gateway.cli.options import Place, place_options
from gateway.composition import assembled, check_there
from gateway.health import toolsets_health
from gateway.occupancy import in_use
from gateway.shadowing import shadowing
from gateway.version import installed_version
from toolsets.spec import ToolsetHealth


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; stores and toolsets by their names in the configuration, what stores are and can do too."""

    version: str
    data_dir: str
    shadowing: tuple[str, ...]
    stores: Mapping[str, Health]
    kinds: Mapping[str, str]
    capabilities: Mapping[str, Mapping[str, object]]
    toolsets: Mapping[str, ToolsetHealth]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.shadowing and all(each.ok for each in (*self.stores.values(), *self.toolsets.values()))


@click.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@place_options
def command(*, as_json: bool) -> None:
    """Open every store and read its files; show versions, capabilities, lag and problems. Exit code 1 on trouble."""
    report = anyio.run(_check, Place.here().load().settings)
    click.echo(json.dumps({"ok": report.ok, **_plain(report)}) if as_json else "\n".join(_lines(report)))
    click.get_current_context().exit(0 if report.ok else 1)


async def _check(settings: Settings) -> Report:
    check_there(settings.data_dir)
    async with AsyncExitStack() as stack:
        stack.enter_context(in_use(settings.data_dir))
        spare = Path(stack.enter_context(TemporaryDirectory()))
        gateway = await stack.enter_async_context(assembled(settings, spare=spare))
        damaged = await gateway.stores.examine()
        stores = {
            name: Health(ok=False, detail=str(damaged[name]), versions=health.versions) if name in damaged else health
            for name, health in (await gateway.stores.health()).items()
        }
        kinds = {name: str(settings.stores[name]["kind"]) for name in stores}
        return Report(
            version=installed_version(),
            data_dir=str(settings.data_dir),
            shadowing=shadowing(),
            stores=stores,
            kinds=kinds,
            capabilities={name: _capabilities(settings.stores[name]) for name in stores},
            toolsets=await toolsets_health(gateway.served),
        )


def _capabilities(table: Mapping[str, JsonValue]) -> Mapping[str, object]:
    options = {key: value for key, value in table.items() if key != "kind"}
    try:
        found = capabilities_with(load_adapter(str(table["kind"])), options)
    except StoreError:  # the store's own line says that there is no such adapter, or which option is wrong
        return {}
    return {**dataclasses.asdict(found), "ports": sorted(found.ports)}


def _plain(report: Report) -> dict[str, object]:
    return json.loads(json.dumps(dataclasses.asdict(report), default=list))


def _lines(report: Report) -> list[str]:
    lines = [f"entrepot {report.version}, data in {report.data_dir}", *report.shadowing]
    for name, store in report.stores.items():
        versions = ", ".join(f"{what} {version}" for what, version in store.versions.items())
        lines.append(f"{_mark(ok=store.ok)} store {name} ({report.kinds[name]}): {store.detail} {versions}".rstrip())
        can = ", ".join(f"{name}={value}" for name, value in report.capabilities[name].items())
        lines.extend([f"     can: {can}"] if can else [])
    for name, toolset in report.toolsets.items():
        lines.append(f"{_mark(ok=toolset.ok)} toolset {name}: {toolset.lag} projections to be made")
        lines.extend(f"     {problem}" for problem in toolset.problems)
    return lines


def _mark(*, ok: bool) -> str:
    return "ok  " if ok else "BAD "
