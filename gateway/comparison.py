"""Comparison of the live stores with those of another profile; kept separate because it changes nothing, unlike rebuilds."""

from collections.abc import Mapping
from contextlib import AsyncExitStack

from backends.ports.errors import StoreError
from config.settings import Settings
from gateway.assignment import check_libraries
from gateway.composition import assemble_gateway, check_data_dir_exists, other_stores
from gateway.errors import Refused
from gateway.rebuild import Reporter
from toolsets.reports import Comparable, ComparisonReport


async def compare(
    settings: Settings, target: Settings, toolset: str | None, reporter: Reporter
) -> Mapping[str, ComparisonReport]:
    """Compare the stores of each toolset, or of one, with its stores in `target`, and return a report for each.

    Servers may use either meanwhile. Raises `Refused` if nothing can be compared; the message says why.
    """
    check_libraries(settings)
    check_libraries(target)
    check_data_dir_exists(settings.data_dir)
    found: dict[str, ComparisonReport] = {}
    async with assemble_gateway(settings, None if toolset is None else [toolset]) as gateway:
        able = {each.toolset.name: each.running.rebuild for each in gateway.served}
        for name, stores in able.items():
            if not isinstance(stores, Comparable):
                continue
            async with AsyncExitStack() as stack:
                other = await stack.enter_async_context(other_stores(target, name, beside=settings))
                try:
                    found[name] = await stores.compare(reporter.progress(name), other.stores)
                except StoreError as problem:
                    raise Refused(f"{name} cannot be compared: {problem}") from problem
    if not found:
        raise Refused("No such toolset has stores that can be compared.")
    return found
