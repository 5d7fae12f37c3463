"""Lineage: each store records which log it follows and how far, so that a lost or restored log is noticed."""

import random
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from backends.ports.errors import Conflict, Unusable
from backends.ports.events import EventLog
from toolsets.ids import uuid4
from toolsets.sourcing.projection import PORTS, ProjectionPort
from toolsets.sourcing.projection_store import StoreMeta

IDENTITY = "log/identity"
"""The checkpoint with the identity of the log: a restored backup has the same one, a new log has another."""
FOLLOWS = "follows"
"""The meta key of a store's lineage."""
REBUILD: Final = (
    "Put the right log back. Only if it is lost for good, run `entrepot rebuild`, which builds the stores from the log "
    "as it is."
)
NO_EVENTS: Final = (
    "The log has no events to build it from: put the right log back, or start with an empty data directory and empty "
    "stores."
)
"""The remedy if the log has events, and if it has none."""


class _Followed(BaseModel):
    model_config = ConfigDict(frozen=True)

    log: str
    position: int
    own: int | None = None
    """The position of the last event under the projector's prefix; version 0.1 did not record it."""


async def log_identity(log: EventLog, rng: random.Random) -> str:
    """Return the identity of the log, chosen on first use."""
    saved = await log.load_checkpoint(IDENTITY)
    if saved is None:
        try:
            saved = await log.save_checkpoint(IDENTITY, uuid4(rng), expected=0)
        except Conflict:
            return await log_identity(log, rng)
    return str(saved.value)


async def note_lineage(log: EventLog, meta: StoreMeta, prefix: str, rng: random.Random) -> None:
    """Record in a store which log it follows, and the last position under `prefix` that it may contain."""
    followed = _Followed(log=await log_identity(log, rng), position=await log.head(), own=await log.head(prefix))
    await meta.set_meta(FOLLOWS, followed.model_dump_json())


async def check_lineage(
    log: EventLog, port: ProjectionPort, meta: StoreMeta, prefix: str, rng: random.Random, *, remedy: str = REBUILD
) -> None:
    """Raise `Unusable` for a store that was built from another log, or is ahead of this one.

    That happens if the log was lost, or replaced by an older backup. Such a store would keep records that the log does not
    have, and would refuse later writes as outdated. Only the events under `prefix` count, so that a toolset without events
    never blocks a restore. The lineage left by a killed process may be five seconds old.
    """
    try:
        followed = _Followed.model_validate_json(await meta.get_meta(FOLLOWS) or "")
    except ValidationError:
        return
    if followed.own == 0:
        return
    if followed.log != await log_identity(log, rng):
        raise Unusable(f"The {PORTS[port]} was built from another event log than the present one. {remedy}")
    known, head = (
        (followed.position, await log.head()) if followed.own is None else (followed.own, await log.head(prefix))
    )
    if known > head:
        raise Unusable(
            f"The {PORTS[port]} has followed the event log to position {known}, but the log ends at {head}: an older "
            f"copy of it was put back. {remedy}"
        )
