"""Purging: what a database leaves behind is removed for ever, its stores first and its streams last."""

import logging
from collections.abc import Sequence
from contextlib import suppress

import anyio

from backends.ports.adapter import Stores
from backends.ports.errors import StoreError
from backends.ports.graph import Graph
from backends.ports.vectors import Vectors
from toolsets.memory.catalogue import Catalogue
from toolsets.memory.database import Database
from toolsets.memory.projections import COLLECTION, MemoryProjector
from toolsets.memory.streams import Space
from toolsets.sourcing.sites import generation_namespace, published
from toolsets.sourcing.targets import INCARNATION

LOOK_S = 5.0
"""How often it is looked for what another process was stopped at."""

_logger = logging.getLogger(__name__)


async def check_purgeable(stores: Stores, database: Database) -> None:
    """Ask every store that a purge of a database needs, and change nothing. Raises the stores' errors."""
    for space in {database.space, *await left_behind(stores, database)}:
        for graph, vectors in await _generations(stores, space):
            await graph.get_meta(INCARNATION)
            await vectors.get_meta(INCARNATION)


async def left_behind(stores: Stores, database: Database) -> Sequence[Space]:
    """Return what was decided to be purged of a name and was not carried out to its end. Raises the log's errors."""
    log = await stores.events()
    return [space for space in database.purged if await log.count(space.prefix)]


async def purge(stores: Stores, space: Space) -> None:
    """Remove stores and streams of a database; repeatable. Raises the stores' errors.

    Its key is never used again, so that no record left by a late writer is met by a later database of the name. The
    event that decided the purge stands after all that goes, so that the log never ends before what stores have seen.
    """
    for graph, vectors in await _generations(stores, space):
        await graph.drop()
        await vectors.drop(COLLECTION)
    await (await stores.events()).purge(space.prefix)


async def finish_purges(stores: Stores, catalogue: Catalogue) -> None:
    """Remove what was decided to be removed for ever and is still there, whatever has become of its name; until cancelled.

    At the start at once; later what whoever decided it has not removed by the next look.
    """
    seen: frozenset[Space] | None = None
    done: set[Space] = set()
    while True:
        with suppress(StoreError):
            known = (await catalogue.all()).values()
            decided = frozenset(space for database in known for space in database.purged)
            due = decided if seen is None else decided & seen
            done |= {space for space in due - done if await _finished(stores, space)}
            seen = decided
        await anyio.sleep(LOOK_S)


async def _finished(stores: Stores, space: Space) -> bool:
    """Carry a purge out to its end; say whether there is nothing left to do."""
    try:
        if await (await stores.events()).count(space.prefix):
            await purge(stores, space)
    except StoreError as error:
        _logger.warning("a deleted database is not purged yet: %s", error)
        return not error.retryable
    return True


async def _generations(stores: Stores, space: Space) -> Sequence[tuple[Graph, Vectors]]:
    """Open the generations that may hold something: the live one, the one before, and one that is being built."""
    projector = MemoryProjector(space)
    live = (await published(await stores.events(), projector)).generation
    spaces = [generation_namespace(projector, generation) for generation in range(max(1, live - 1), live + 2)]
    return [(await stores.graph(space), await stores.vectors(space)) for space in spaces]
