"""The installed toolsets: plugins found by entry point, each imported only if it is enabled."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

import pluggy

from backends.registry import ENTRY_POINTS as ADAPTER_POINTS
from backends.registry import built_in_names
from config.suggestion import did_you_mean
from gateway.errors import Refused
from toolsets.spec import COMMAND_POINTS, ENTRY_POINTS, PROJECT, Toolset, ToolsetHooks


def installed() -> Mapping[str, EntryPoint]:
    """Return the entry points of the installed toolsets by name. Raises `Refused` if two distributions claim a name."""
    return _installed(tuple(sys.path))


def may_provide(command: str) -> tuple[str, ...]:
    """Return the installed toolsets that may provide a command of this name, which is found out without importing any.

    A distribution that names a command in its metadata names all commands of its toolsets there; the toolsets of any
    other distribution have to be asked.
    """
    points = _points(tuple(sys.path), COMMAND_POINTS)
    providing = {point.value for point in points if point.name == command}
    naming = {_distribution(point) for point in points}
    return tuple(
        name for name, point in installed().items() if point.value in providing or _distribution(point) not in naming
    )


def named_commands(*, shipped: bool = False) -> frozenset[str]:
    """Return the commands that distributions name in their metadata, or those of the toolsets that come with Entrepot."""
    points = _points(tuple(sys.path), COMMAND_POINTS)
    return frozenset(point.name for point in points if not shipped or _is_ours(point))


def _distribution(point: EntryPoint) -> str | None:
    return None if point.dist is None else point.dist.name


@cache
def _points(_path: tuple[str, ...], group: str) -> Sequence[EntryPoint]:
    # Cached by search path: looking through all distributions takes tens of milliseconds.
    return sorted(entry_points(group=group), key=lambda each: each.name)


@cache
def _installed(path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in _points(path, ENTRY_POINTS):
        former = found.setdefault(point.name, point)
        if former.value != point.value:
            raise Refused(
                f"Two toolsets are called {point.name}: {former.value} and {point.value}; uninstall one of them."
            )
    return found


def packages(kinds: Iterable[str]) -> frozenset[str]:
    """Return the top-level packages of the installed toolsets, and of the adapters if any of `kinds` is not a shipped one.

    Nothing is imported. Raises `Refused` as `installed` does.
    """
    points = [*installed().values()]
    if not {*kinds} <= {*built_in_names()}:
        points += _points(tuple(sys.path), ADAPTER_POINTS)
    return frozenset(point.module.partition(".")[0] for point in points)


def is_shipped(name: str) -> bool:
    """Return whether a toolset comes with Entrepot. No other distribution can own the package `toolsets`."""
    point = installed().get(name)
    return point is not None and _is_ours(point)


def _is_ours(point: EntryPoint) -> bool:
    return point.module.startswith("toolsets.")


def load(names: Iterable[str]) -> tuple[Toolset, ...]:
    """Import the plugins of these names and return their toolsets, sorted by name.

    Raises `Refused` for a name that is not installed, a plugin that cannot be imported, a misspelt hook,
    and a plugin whose toolset has another name than its entry point.
    """
    known = installed()
    manager = plugin_manager()
    for name in sorted(names):
        if name not in known:
            have = ", ".join(known) or "none"
            hint = did_you_mean(name, known) or "."
            raise Refused(f"The toolset {name} is configured but not installed{hint} Installed are: {have}.")
        manager.register(_imported(known[name]), name=name)
    return collected(manager)


def plugin_manager() -> pluggy.PluginManager:
    """Return a manager with our hooks and without plugins."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(ToolsetHooks)
    return manager


def collected(manager: pluggy.PluginManager) -> tuple[Toolset, ...]:
    """Return the toolset of every registered plugin, sorted by name. Raises `Refused` as `load` does."""
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise Refused(f"A plugin implements a hook that does not exist: {error}.") from None
    return tuple(_toolset(manager, name) for name, _ in sorted(manager.list_name_plugin()))


def _toolset(manager: pluggy.PluginManager, name: str) -> Toolset:
    others = [plugin for other, plugin in manager.list_name_plugin() if other != name]
    answers = cast("Sequence[object]", manager.subset_hook_caller("entrepot_toolset", others)())
    if len(answers) != 1 or not isinstance(answers[0], Toolset):
        raise Refused(f"The plugin {name} must implement the hook entrepot_toolset and return one Toolset.")
    toolset = answers[0]
    if toolset.name != name:
        raise Refused(
            f"The plugin {name} returns a toolset called {toolset.name}; its entry point must have that name."
        )
    return toolset


def _imported(point: EntryPoint) -> object:
    try:
        return cast("object", point.load())
    except ImportError as error:
        raise Refused(f"The toolset {point.name} cannot be imported: {error}.") from error
