"""The toolsets to serve, and the store behind each of their ports."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, JsonValue, ValidationError

from backends.driver_conflicts import check_together
from backends.ports.errors import StoreError
from backends.ports.validation_errors import rule_of
from backends.registry import adapter_names, built_in_names
from config.settings import PORTS, Settings, ToolsetTable
from config.suggestion import did_you_mean
from gateway.errors import Refused
from gateway.plugins import installed, is_shipped, load
from toolsets.spec import Toolset

log = logging.getLogger("entrepot.gateway")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A toolset with its settings and the configured store of each port that it uses."""

    toolset: Toolset
    settings: BaseModel
    stores: Mapping[str, str]


def assignments(settings: Settings, only: Collection[str] | None = None) -> tuple[Assignment, ...]:
    """Return the toolsets to serve (of `only`, if given), sorted by name.

    Every installed toolset is served unless it is disabled; a port that its table does not name uses the store of
    `[defaults]`. A toolset without a table that lacks a store, or cannot be imported, is left out with a warning in the log.
    Raises `Refused` for a toolset that cannot be served as its table says, for a misspelt one that is disabled, for a name in
    `only` that is not enabled, for a store whose `kind` no adapter has, and where the stores of all enabled toolsets cannot be
    open in one process.
    """
    _check_disabled(settings)
    names = enabled(settings)
    if only is not None and (unknown := sorted(set(only) - set(names))):
        hint = did_you_mean(unknown[0], names) or "."
        raise Refused(
            f"No toolset called {', '.join(unknown)} is enabled{hint} Enabled are: {', '.join(names) or 'none'}."
        )
    wanted = [name for name in names if only is None or name in only]
    configured = load(name for name in wanted if name in settings.toolsets)
    found = [_assignment(toolset, settings) for toolset in configured]
    check_libraries(settings)
    for name in wanted:
        if name not in settings.toolsets:
            found.extend(_unconfigured(name, settings))
    _check_kinds(settings, {store for each in found for store in each.stores.values()})
    return tuple(sorted(found, key=lambda each: each.toolset.name))


def check_libraries(settings: Settings) -> None:
    """Raise `Refused` if the stores of all enabled toolsets need drivers that cannot be loaded in one process."""
    if _clash(settings.stores) is None:
        return
    used: set[str] = set()
    for name in enabled(settings):
        try:
            used.update(_assignment(load([name])[0], settings).stores.values())
        except Refused:  # it is not served
            continue
    if (problem := _clash({name: table for name, table in settings.stores.items() if name in used})) is not None:
        raise Refused(f"{problem}.") from problem


def _check_kinds(settings: Settings, stores: Collection[str]) -> None:
    for store in sorted(stores):
        kind = str(settings.stores[store]["kind"])
        # Looking for adapters of other distributions takes milliseconds of the start.
        if kind not in built_in_names() and kind not in (known := adapter_names()):
            hint = did_you_mean(kind, known) or "."
            raise Refused(f"[stores.{store}]: no adapter is called {kind!r}{hint} There are: {', '.join(known)}.")


def _clash(tables: Mapping[str, Mapping[str, JsonValue]]) -> StoreError | None:
    try:
        check_together(tables)
    except StoreError as problem:
        return problem
    return None


def _check_disabled(settings: Settings) -> None:
    """Refuse a disabled toolset that is not installed if one with a similar name is, otherwise name it in the log."""
    known = installed()
    for name, table in settings.toolsets.items():
        if name in known or table.enabled:
            continue
        if hint := did_you_mean(name, known):
            raise Refused(f"[toolsets.{name}] disables a toolset that is not installed{hint}")
        log.warning("[toolsets.%s] disables a toolset that is not installed.", name)


def enabled(settings: Settings) -> Sequence[str]:
    """Return the names of the toolsets that are installed or have a table, and are not disabled, sorted."""
    names = sorted({*installed(), *settings.toolsets})
    return [name for name in names if name not in settings.toolsets or settings.toolsets[name].enabled]


def _unconfigured(name: str, settings: Settings) -> Collection[Assignment]:
    try:
        found = _assignment(load([name])[0], settings)
    except Refused as refused:
        log.warning(
            "The toolset %s is installed but not configured, and it is not served: %s [toolsets.%s] enabled = false "
            "disables it silently.",
            name,
            refused,
            name,
        )
        return ()
    if not is_shipped(name):
        log.info(
            "The toolset %s is installed but not configured; it is served with the default stores. "
            "[toolsets.%s] enabled = false leaves it out.",
            name,
            name,
        )
    return (found,)


def _assignment(toolset: Toolset, settings: Settings) -> Assignment:
    table = settings.toolsets.get(toolset.name, ToolsetTable())
    own, defaults = table.named_stores, settings.defaults.named_stores
    used = toolset.ports | toolset.optional_ports
    if surplus := sorted(set(own) - used):
        raise Refused(
            f"[toolsets.{toolset.name}] names a store for {', '.join(surplus)}, which the toolset does not use."
        )
    stores = {port: own.get(port) or defaults.get(port) for port in PORTS if port in used}
    if missing := sorted(port for port in toolset.ports if not stores[port]):
        raise Refused(f"[toolsets.{toolset.name}] or [defaults] must name a store for: {', '.join(missing)}.")
    return Assignment(toolset, _own_settings(toolset, table), {port: name for port, name in stores.items() if name})


def _own_settings(toolset: Toolset, table: ToolsetTable) -> BaseModel:
    try:
        return toolset.settings.model_validate(table.own)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise Refused(f"toolsets.{toolset.name}.{key} is not a setting{_similar(toolset, key) or '.'}") from None
        raise Refused(f"toolsets.{toolset.name}.{key} {rule_of(first)}.") from None


def _similar(toolset: Toolset, key: str) -> str:
    known = [*toolset.settings.model_fields, *toolset.ports, *toolset.optional_ports, "enabled"]
    return did_you_mean(key, known)
