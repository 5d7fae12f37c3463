"""From settings to running parts: the only place that knows all of them."""

import logging
import random
import tempfile
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import JsonValue, ValidationError

from backends.opening import StoreHouse
from backends.ports.adapter import Stores
from backends.ports.errors import StoreError
from backends.ports.values import Micros
from config.settings import Settings, ToolsetTable
from gateway.errors import Refused
from gateway.plugins import load
from gateway.registry import Served, Surface, routes, surfaces
from toolsets.spec import BackgroundTask, RouteSpec, Services, Toolset

log = logging.getLogger("entrepot.gateway")


@dataclass(frozen=True, slots=True)
class Gateway:
    """Everything that runs, joined."""

    settings: Settings
    stores: StoreHouse
    served: tuple[Served, ...]
    surfaces: tuple[Surface, ...]
    routes: tuple[RouteSpec, ...]

    @property
    def unified(self) -> Surface:
        """The surface of all toolsets."""
        return self.surfaces[0]


@asynccontextmanager
async def assembled(
    settings: Settings, only: Collection[str] | None = None, *, spare: Path | None = None
) -> AsyncGenerator[Gateway, None]:
    """Join the enabled toolsets (of `only`, if given) to their stores, opening none; leaving closes all.

    With `spare` files that are missing in the data directory are made there, for a command that only looks.
    Raises `Refused` for a toolset that is not there, wrong settings of a toolset, and tools that cannot be served.
    """
    tables = _chosen(settings, only)
    house = StoreHouse(_used(settings, tables.values()), settings.data_dir, spare=spare)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_closed, house)
        served = [
            Served(toolset, await stack.enter_async_context(toolset.assemble(_services(toolset, tables, house))))
            for toolset in load(tables)
        ]
        yield Gateway(settings, house, tuple(served), surfaces(served), routes(served))


async def open_stores(gateway: Gateway) -> None:
    """Open every store of every enabled toolset, and let each toolset look at what it keeps there.

    An engine that does not answer is reported and tried again by the calls that need it. Raises
    `Refused` for a store that must not be used as it is; nothing is overwritten.
    """
    for ready in (gateway.stores.open_all, *(each.running.open for each in gateway.served)):
        if ready is None:
            continue
        try:
            await ready()
        except StoreError as error:
            if not error.retryable:
                raise Refused(str(error)) from error
            log.warning("A store does not answer; the tools that need it say so until it is back: %s", error)


@asynccontextmanager
async def background(served: Sequence[Served]) -> AsyncGenerator[None, None]:
    """Run the toolsets' background tasks until the block is left."""
    async with anyio.create_task_group() as group:
        for each in served:
            for task in each.running.background:
                group.start_soon(_watched, task, name=f"{each.toolset.name}: {task.name}")
        yield
        group.cancel_scope.cancel()


@asynccontextmanager
async def other_stores(settings: Settings, toolset: str) -> AsyncGenerator[tuple[StoreHouse, Stores], None]:
    """Return the stores that other settings give a toolset, and all of them, opened as they are needed; leaving closes them.

    Raises `Refused` where those settings do not have the toolset, or their data directory cannot be used.
    """
    table = _chosen(settings, [toolset])[toolset]
    prepare(settings.data_dir)
    house = StoreHouse(_used(settings, [table]), settings.data_dir)
    try:
        yield house, house.stores(**_named(table))
    finally:
        await _closed(house)


def check_there(data_dir: Path) -> None:
    """Raise `Refused` for a data directory that is not there, as one that is mistyped, or cannot be used."""
    if not data_dir.exists():
        raise Refused(
            f"There is no data directory {data_dir}. Correct --data-dir or ENTREPOT_DATA_DIR; one that is new is made "
            "when the server starts."
        )
    prepare(data_dir)


def prepare(data_dir: Path) -> None:
    """Make the data directory if it is missing. Raises `Refused` where files cannot be read and written in it."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        next(data_dir.iterdir(), None)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as error:
        raise Refused(
            f"The data directory {data_dir} cannot be used: {error.strerror or error}. "
            "Choose another with --data-dir or ENTREPOT_DATA_DIR, or change its permissions."
        ) from None


def _chosen(settings: Settings, only: Collection[str] | None) -> dict[str, ToolsetTable]:
    enabled = settings.enabled
    if only is not None and (unknown := sorted(set(only) - set(enabled))):
        raise Refused(
            f"No toolset called {', '.join(unknown)} is enabled; enabled are: {', '.join(enabled) or 'none'}."
        )
    return {name: table for name, table in enabled.items() if only is None or name in only}


def _used(settings: Settings, tables: Collection[ToolsetTable]) -> dict[str, dict[str, JsonValue]]:
    names = {name for table in tables for name in _named(table).values()}
    return {name: table for name, table in settings.stores.items() if name in names}


def _named(table: ToolsetTable) -> dict[str, str | None]:
    return {
        "graph": table.graph,
        "vectors": table.vectors,
        "events": table.events,
        "embedder": table.embedder,
        "language": table.language,
    }


def _services(toolset: Toolset, tables: dict[str, ToolsetTable], house: StoreHouse) -> Services:
    table = tables[toolset.name]
    chosen = _named(table)
    if missing := sorted(port for port in toolset.ports if chosen[port] is None):
        raise Refused(f"[toolsets.{toolset.name}] must name a store for: {', '.join(missing)}.")
    try:
        own = toolset.settings.model_validate(table.own)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        said = "is not a setting" if first["type"] == "extra_forbidden" else f"is wrong: {first['msg']}"
        raise Refused(f"toolsets.{toolset.name}.{key} {said}.") from None
    return Services(
        stores=house.stores(**chosen),
        now=lambda: Micros(time.time_ns() // 1_000),
        random=random.SystemRandom(),
        settings=own,
    )


async def _watched(task: BackgroundTask) -> None:
    try:
        await task.run()
    except Exception:  # a task that breaks its promise to handle its errors must not take the calls down with it
        log.exception("The background task %s ended with an error; restart the server to have it again", task.name)


async def _closed(house: StoreHouse) -> None:
    # Shielded: a server that is told to stop still lets its engines finish their files.
    with anyio.CancelScope(shield=True):
        await house.close()
