"""The report of `entrepot check`: versions, capabilities, lag, and problems of stores and toolsets."""

import dataclasses
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import JsonValue

from backends.ports.adapter import Health, capabilities_with
from backends.ports.errors import StoreError
from backends.registry import load_adapter
from config.secrets import masked_text
from config.settings import Settings
from gateway.composition import assemble_gateway, check_data_dir_exists
from gateway.data_dir_lock import shared_lock
from gateway.health import toolsets_health
from gateway.package_clash import clashes
from gateway.version import installed_version
from toolsets.spec import ToolsetHealth


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a check; stores and toolsets have their names in the configuration."""

    version: str
    data_dir: str
    shadowing: tuple[str, ...]
    """A sentence for each of our packages that another distribution claims."""
    stores: Mapping[str, Health]
    kinds: Mapping[str, str]
    capabilities: Mapping[str, Mapping[str, object]]
    """The capabilities of each store; empty if its adapter or its options are wrong."""
    toolsets: Mapping[str, ToolsetHealth]

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.shadowing and all(each.ok for each in (*self.stores.values(), *self.toolsets.values()))


async def check(settings: Settings) -> Report:
    """Open every store, read its files from end to end and query every toolset; nothing is created or repaired.

    Raises `Refused` for a data directory that does not exist or cannot be used.
    """
    check_data_dir_exists(settings.data_dir)
    async with AsyncExitStack() as stack:
        stack.enter_context(shared_lock(settings.data_dir))
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        gateway = await stack.enter_async_context(assemble_gateway(settings, scratch=scratch))
        damaged = await gateway.stores.verify()
        stores = {name: _shown(health, damaged.get(name)) for name, health in (await gateway.stores.health()).items()}
        toolsets = await toolsets_health(gateway.served, await gateway.full_stores())
        failures = gateway.stores.failures()
        used = {each.toolset.name: [*dict.fromkeys(each.stores.values())] for each in gateway.assignments}
        return Report(
            version=installed_version(),
            data_dir=str(settings.data_dir),
            shadowing=clashes(),
            stores=stores,
            kinds={name: str(settings.stores[name]["kind"]) for name in stores},
            capabilities={name: _capabilities(settings.stores[name]) for name in stores},
            toolsets={
                name: _naming_stores(health, {store: failures[store] for store in used[name] if store in failures})
                for name, health in toolsets.items()
            },
        )


def _naming_stores(health: ToolsetHealth, failures: Mapping[str, StoreError]) -> ToolsetHealth:
    """Return a toolset's health whose problems name a store instead of repeating why it can never be opened.

    `failures` are those of the stores that the toolset uses: two stores with the same files fail for the same reason.
    """
    problems: list[str] = [*health.problems]
    for store, error in failures.items():
        # An error without a text would be found between any two characters.
        if not error.retryable and (cause := masked_text(str(error))):
            problems = [each.replace(cause, f"its store {store} cannot be opened") for each in problems]
    return dataclasses.replace(health, problems=tuple(dict.fromkeys(problems)))


def _shown(health: Health, damage: StoreError | None) -> Health:
    """Return the health of a store, with secrets in the messages of its driver masked."""
    ok, detail = (health.ok, health.detail) if damage is None else (False, str(damage))
    return Health(ok=ok, detail=masked_text(detail), versions=health.versions)


def _capabilities(table: Mapping[str, JsonValue]) -> Mapping[str, object]:
    options = {key: value for key, value in table.items() if key != "kind"}
    try:
        found = capabilities_with(load_adapter(str(table["kind"])), options)
    except StoreError:  # the store's health names the missing adapter or the wrong option
        return {}
    return {**dataclasses.asdict(found), "ports": sorted(found.ports)}
