"""A toolset and its hook: what it needs, and what it brings when it runs."""

import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pluggy
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.capabilities import PortName
from backends.ports.values import Micros
from toolsets.reports import Rebuildable
from toolsets.spec.commands import CommandSpec
from toolsets.spec.routes import RouteSpec
from toolsets.spec.surface import ResourceSpec, ResourceTemplateSpec, ToolSpec

PROJECT = "entrepot"
ENTRY_POINTS = "entrepot.toolsets"

SettingsT = TypeVar("SettingsT", bound=BaseModel)

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class DefaultFrom:
    """Annotates a field of a toolset's settings whose default an environment variable decides, unless it is empty.

    The field's `default_factory` reads the variable; `entrepot config explain` names it as the source.
    """

    variable: str


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """Work in the background, started after opening and cancelled at closing; it handles its own errors and backs off."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolsetHealth:
    """Whether a toolset can do its work now.

    `lag` counts pending projections, None if unknown. `problems` and `notes` are sentences for the operator; a note does
    not make the toolset unhealthy: work in progress, files that cannot be read.
    """

    ok: bool
    lag: int | None = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningToolset:
    """A toolset connected to its stores."""

    tools: tuple[ToolSpec, ...] = ()
    resources: tuple[ResourceSpec, ...] = ()
    resource_templates: tuple[ResourceTemplateSpec, ...] = ()
    routes: tuple[RouteSpec, ...] = ()
    commands: tuple[CommandSpec, ...] = ()
    background: tuple[BackgroundTask, ...] = ()
    open: Callable[[], Awaitable[None]] | None = None
    """Prepare the stores before anything is served. Raises `StoreError`; permanent ones but `Undecodable` abort the start."""
    health: Callable[[], Awaitable[ToolsetHealth]] | None = None
    rebuild: Rebuildable | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """The dependencies of a toolset, which tests can replace."""

    stores: Stores
    now: Callable[[], Micros]
    rng: random.Random
    """Random source for ids and jitter."""
    settings: BaseModel
    """An instance of the toolset's own `settings` model."""
    directory: Path | None = None
    """The toolset's own directory in the data directory, which it creates before use; None if it may keep no files."""

    def settings_as(self, model: type[SettingsT]) -> SettingsT:
        """Return the settings as an instance of the toolset's own model. Raises `TypeError` for another one's."""
        if not isinstance(self.settings, model):
            raise TypeError(f"the settings are a {type(self.settings).__name__}, not a {model.__name__}")
        return self.settings


@dataclass(frozen=True, slots=True)
class Toolset:
    """A toolset before it runs.

    `assemble` is cheap and opens nothing: the first call or background task opens the stores, so that tools can be listed,
    and can reply that they are unavailable, while an engine is down. The context manager that it returns starts nothing;
    leaving it finishes pending work.
    """

    name: str
    """`[a-z][a-z0-9_]*`: a table of the configuration, a path, a prefix of tools and a command."""
    title: str
    instructions: str
    """A few lines for the model: which tool to use when. They begin with the toolset's name, since others may follow."""
    settings: type[BaseModel]
    ports: frozenset[PortName]
    """The ports that must have a store."""
    assemble: Callable[[Services], AbstractAsyncContextManager[RunningToolset]]
    optional_ports: frozenset[PortName] = frozenset()
    """The ports that it uses if the configuration names a store for them, such as a language model. It gets no others."""


class ToolsetHooks:
    """The hooks of Entrepot, group `entrepot.toolsets`."""

    @hookspec
    def entrepot_toolset(self) -> Toolset:
        """Return the toolset of this plugin."""
        raise NotImplementedError
