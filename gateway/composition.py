"""Assembles a running gateway from settings, stores and toolsets."""

import logging
import random
import tempfile
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import JsonValue

from backends.driver_conflicts import conflicting_with
from backends.ports.adapter import Stores
from backends.ports.errors import StoreError, Undecodable
from backends.stores import OpenStores
from config.settings import Settings
from gateway.assignment import Assignment, assignments
from gateway.errors import Refused
from gateway.plugins import is_shipped
from gateway.surfaces import Served, Surface, routes, surfaces
from toolsets.clock import system_now
from toolsets.spec import BackgroundTask, RouteSpec, Services

log = logging.getLogger("entrepot.gateway")

WARM_UP_S = 10.0
"""How long the start of an HTTP server waits for models to be loaded; a remote one may be slow to answer."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """The served toolsets with their stores, surfaces and routes."""

    settings: Settings
    assignments: tuple[Assignment, ...]
    stores: OpenStores
    served: tuple[Served, ...]
    surfaces: tuple[Surface, ...]
    routes: tuple[RouteSpec, ...]

    @property
    def unified(self) -> Surface:
        """The surface of all toolsets."""
        return self.surfaces[0]

    async def full_stores(self) -> Mapping[str, Sequence[str]]:
        """Return a sentence for each store without room left to write, by the toolsets that use it."""
        found = await self.stores.full_stores()
        return {
            each.toolset.name: sentences
            for each in self.assignments
            if (sentences := [found[name] for name in sorted({*each.stores.values()} & found.keys())])
        }


@asynccontextmanager
async def assemble_gateway(
    settings: Settings, only: Collection[str] | None = None, *, scratch: Path | None = None
) -> AsyncGenerator[Gateway, None]:
    """Connect the enabled toolsets (of `only`, if given) to their stores without opening any; leaving closes all stores.

    With `scratch`, for a command that only reads, files missing from the data directory are created in `scratch` instead. Raises
    `Refused` for a toolset that is not installed, wrong settings of a toolset, and tools that cannot be published.
    """
    assigned = assignments(settings, only)
    stores = OpenStores(_used(settings, assigned), settings.data_dir, scratch=scratch)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_close, stores)
        served = [
            Served(
                each.toolset,
                await stack.enter_async_context(each.toolset.assemble(_services(each, stores, settings.data_dir))),
                shipped=is_shipped(each.toolset.name),
            )
            for each in assigned
        ]
        yield Gateway(settings, assigned, stores, tuple(served), surfaces(served), routes(served))


async def open_stores(gateway: Gateway) -> None:
    """Open every store of every enabled toolset, and let each toolset check what it keeps there.

    An engine that does not answer is logged, and calls that need it try again; so is an event that cannot be decoded, which
    concerns one toolset. Raises `Refused` for a store that must not be used as it is; nothing is overwritten.
    """
    for ready in (gateway.stores.open_all, *(each.running.open for each in gateway.served)):
        if ready is None:
            continue
        try:
            await ready()
        except Undecodable as error:
            log.warning("A toolset is not ready; its calls and `/readyz` report the cause: %s", error)
        except StoreError as error:
            if not error.retryable:
                raise Refused(str(error)) from error
            log.warning("A store did not answer; it is retried in the background: %s", error)


async def warm_up(gateway: Gateway) -> None:
    """Embed a text with every embedder in use, so that no call waits for libraries and models to be loaded.

    It takes at most ten seconds. An embedder that does not answer is retried by the calls that need it.
    """
    names = sorted({each.stores["embedder"] for each in gateway.assignments if "embedder" in each.stores})
    with anyio.move_on_after(WARM_UP_S):
        for name in names:
            try:
                await (await gateway.stores.stores(embedder=name).embedder()).embed(("ready?",))
            except StoreError as error:
                log.warning("The embedder %s did not answer; it is retried by the calls that need it: %s", name, error)


@asynccontextmanager
async def background(served: Sequence[Served]) -> AsyncGenerator[None, None]:
    """Run the toolsets' background tasks until the block is left."""
    async with anyio.create_task_group() as group:
        for each in served:
            for task in each.running.background:
                group.start_soon(_watched, task, name=f"{each.toolset.name}: {task.name}")
        yield
        group.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class OtherStores:
    """The stores of a toolset in other settings: all of them, and the toolset's view of them."""

    assignment: Assignment
    opened: OpenStores
    stores: Stores


@asynccontextmanager
async def other_stores(
    settings: Settings, toolset: str, *, beside: Settings | None = None
) -> AsyncGenerator[OtherStores, None]:
    """Return the stores of a toolset in other settings, opened on first use; leaving closes them.

    With `beside` they can be open together with the toolset's stores in those settings: a store whose driver conflicts
    with theirs is opened in another process.
    Raises `Refused` if the settings do not have the toolset, or their data directory cannot be used.
    """
    [assigned] = assignments(settings, [toolset])
    create_data_dir(settings.data_dir)
    tables = _used(settings, [assigned])
    conflicting = (
        frozenset[str]() if beside is None else conflicting_with(tables, _used(beside, assignments(beside, [toolset])))
    )
    opened = OpenStores(tables, settings.data_dir, in_subprocess=conflicting)
    try:
        yield OtherStores(assigned, opened, opened.stores(**assigned.stores))
    finally:
        await _close(opened)


def check_data_dir_exists(data_dir: Path) -> None:
    """Raise `Refused` for a data directory that does not exist, such as a mistyped one, or cannot be used."""
    if not data_dir.exists():
        raise Refused(
            f"There is no data directory {data_dir}. Correct --data-dir or ENTREPOT_DATA_DIR; a new one is created when the "
            "server starts."
        )
    create_data_dir(data_dir)


def create_data_dir(data_dir: Path) -> None:
    """Create the data directory if it is missing. Raises `Refused` if files cannot be read and written in it."""
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


def _used(settings: Settings, assigned: Iterable[Assignment]) -> dict[str, dict[str, JsonValue]]:
    names = {name for each in assigned for name in each.stores.values()}
    return {name: table for name, table in settings.stores.items() if name in names}


def _services(assigned: Assignment, stores: OpenStores, data_dir: Path) -> Services:
    return Services(
        stores=stores.stores(**assigned.stores),
        now=system_now,
        rng=random.SystemRandom(),
        settings=assigned.settings,
        directory=data_dir / assigned.toolset.name,
    )


async def _watched(task: BackgroundTask) -> None:
    try:
        await task.run()
    except Exception:  # a task should handle its own errors; one that does not must not end the server
        log.exception("The background task %s ended with an error; restart the server to run it again", task.name)


async def _close(stores: OpenStores) -> None:
    # Shielded, so that engines can finish their files while the server is being stopped.
    with anyio.CancelScope(shield=True):
        await stores.close()
