"""Lineage: each store records which log it follows and how far, so that a lost or restored log is noticed."""

import random
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from backends.ports.errors import Conflict, Unusable
from backends.ports.events import EventLog
from toolsets.ids import uuid4
from toolsets.sourcing.projection import PORT_NAMES, ProjectionPort
from toolsets.sourcing.projection_store import StoreMeta

LOG_IDENTITY_NAME = "log/identity"
"""The checkpoint with the identity of the log: a restored backup has the same one, a new log has another."""
FOLLOWS = "follows"
"""The meta key of a store's lineage."""
REBUILD_REMEDY: Final = (
    "Put the right log back. Only if it is lost for good, run `entrepot rebuild`, which builds the stores from the log "
    "as it is."
)
"""The remedy for stores that do not fit a log with events."""
NO_EVENTS_REMEDY: Final = (
    "The log has no events to build it from: put the right log back, or start with an empty data directory and empty "
    "stores."
)
"""The remedy for stores that do not fit a log without events."""


class OtherLog(Unusable):
    """A store was built from another log than the present one, or from events that this log does not have."""


class _Followed(BaseModel):
    model_config = ConfigDict(frozen=True)

    log: str
    position: int
    own: int | None = None
    """The position of the last event under the projector's prefix; builds before the first release did not record it."""
    event: str | None = None
    """The id of that event."""


async def log_identity(log: EventLog, rng: random.Random) -> str:
    """Return the identity of the log, chosen on first use."""
    saved = await log.load_checkpoint(LOG_IDENTITY_NAME)
    if saved is None:
        try:
            saved = await log.save_checkpoint(LOG_IDENTITY_NAME, uuid4(rng), expected=0)
        except Conflict:
            return await log_identity(log, rng)
    return str(saved.value)


async def followed_to(meta: StoreMeta) -> int | None:
    """Return the last position under the prefix that was recorded in a store, None if there is none."""
    followed = await _read_followed(meta)
    return None if followed is None else followed.own


async def record_lineage(log: EventLog, meta: StoreMeta, prefix: str, rng: random.Random) -> None:
    """Record in a store which log it follows, and the last position under `prefix` that it may contain."""
    own = await log.head(prefix)
    followed = _Followed(
        log=await log_identity(log, rng), position=await log.head(), own=own, event=await _event_at(log, prefix, own)
    )
    await meta.set_meta(FOLLOWS, followed.model_dump_json())


async def advance_lineage(
    log: EventLog, port: ProjectionPort, meta: StoreMeta, prefix: str, rng: random.Random
) -> None:
    """Record as `record_lineage` does. Raises `OtherLog` as `check_lineage` does, and then leaves the evidence as it is."""
    await check_lineage(log, port, meta, prefix, rng)
    await record_lineage(log, meta, prefix, rng)


async def check_lineage(
    log: EventLog,
    port: ProjectionPort,
    meta: StoreMeta,
    prefix: str,
    rng: random.Random,
    *,
    remedy: str = REBUILD_REMEDY,
) -> None:
    """Raise `OtherLog` for a store that was built from another log, is ahead of this one, or has events that it lacks.

    That happens if the log was lost, or replaced by an older backup. Such a store would keep records that the log does not
    have, and would refuse later writes as outdated. Only the events under `prefix` count, so that a toolset without events
    never blocks a restore. The lineage left by a killed process may be five seconds old.
    """
    followed = await _read_followed(meta)
    if followed is None or followed.own == 0:
        return
    if followed.log != await log_identity(log, rng):
        raise OtherLog(f"The {PORT_NAMES[port]} was built from another event log than the present one. {remedy}")
    known, head = (
        (followed.position, await log.head()) if followed.own is None else (followed.own, await log.head(prefix))
    )
    if known > head:
        raise OtherLog(
            f"The {PORT_NAMES[port]} has followed the event log to position {known}, but the log ends at {head}: an older "
            f"copy of it was restored. {remedy}"
        )
    if followed.event not in (None, await _event_at(log, prefix, known)):
        raise OtherLog(
            f"The {PORT_NAMES[port]} has followed the event log to position {known}, where the log now has another event: an "
            f"older copy of it was restored and has grown since. {remedy}"
        )


async def _read_followed(meta: StoreMeta) -> _Followed | None:
    try:
        return _Followed.model_validate_json(await meta.get_meta(FOLLOWS) or "")
    except ValidationError:
        return None


async def _event_at(log: EventLog, prefix: str, position: int) -> str | None:
    """Return the id of the event under `prefix` at a position, None if there is none."""
    if not position:
        return None
    events = await log.read_all(prefix, after=position - 1, limit=1)
    return str(events[0].id) if events and events[0].position == position else None
