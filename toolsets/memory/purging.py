"""Purging: what a database leaves behind is removed for ever, its stores first and its streams last."""

from backends.ports.adapter import Stores
from backends.ports.events import EventLog
from toolsets.memory.database import Database
from toolsets.memory.projections import COLLECTION
from toolsets.sourcing.sites import generation_namespace, published
from toolsets.sourcing.sourced import Sourced


async def purged_by_half(log: EventLog, database: Database) -> bool:
    """Say whether a purge was decided and not carried out to its end."""
    return database.condition == "purged" and await log.count(database.space.prefix) > 0


async def purge(stores: Stores, sourced: Sourced, database: Database) -> None:
    """Remove stores and streams of a database; repeatable. Raises the stores' errors.

    Its key is never used again, so that no record left by a late writer is met by a later database of the name. The
    event that decided the purge stands after all that goes, so that the log never ends before what stores have seen.
    """
    log = await stores.events()
    projector = sourced.sites.projector
    live = (await published(log, projector)).generation
    for generation in range(max(1, live - 1), live + 2):
        space = generation_namespace(projector, generation)
        await (await stores.graph(space)).drop()
        await (await stores.vectors(space)).drop(COLLECTION)
    await log.purge(database.space.prefix)
