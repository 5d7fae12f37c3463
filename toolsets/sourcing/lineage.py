"""Lineage: a store notes which log it follows and how far, so that one that knows more than its log is found out."""

import random
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from backends.ports.errors import Conflict, Unusable
from backends.ports.events import EventLog
from toolsets.ids import uuid4
from toolsets.sourcing.targets import Target

IDENTITY = "log/identity"
"""The checkpoint that says which log this is; a restored backup has the same, a new log another."""
FOLLOWS = "follows"
"""The store's note on what it has seen."""
LATER: Final = (
    "Put the right log back; only where it is lost for ever, run `entrepot rebuild`, which makes the stores from the log "
    "as it is."
)
NOTHING: Final = (
    "There are no events to make it from: put the right log back, or begin anew in an empty data directory and with "
    "empty stores."
)
"""What helps, where the log has some events, and where it has none."""


class _Followed(BaseModel):
    model_config = ConfigDict(frozen=True)

    log: str
    position: int


async def log_identity(log: EventLog, chance: random.Random) -> str:
    """Return which log this is, deciding it on first use."""
    saved = await log.load_checkpoint(IDENTITY)
    if saved is None:
        try:
            saved = await log.save_checkpoint(IDENTITY, uuid4(chance), expected=0)
        except Conflict:
            return await log_identity(log, chance)
    return str(saved.value)


async def note_lineage(log: EventLog, target: Target, chance: random.Random) -> None:
    """Let a store note which log it follows and where that ends now: it may hold anything up to there."""
    followed = _Followed(log=await log_identity(log, chance), position=await log.head())
    await target.notes.set_meta(FOLLOWS, followed.model_dump_json())


async def check_lineage(log: EventLog, target: Target, chance: random.Random, *, way_out: str = LATER) -> None:
    """Raise `Unusable` for a store that was made from another log, or from more of this one than there is now.

    That happens when the log was restored from an older backup, or lost. Such a store would keep what the log
    denies, and refuse what is written from now on as too old. A process that was killed leaves a note up to five
    seconds old.
    """
    try:
        followed = _Followed.model_validate_json(await target.notes.get_meta(FOLLOWS) or "")
    except ValidationError:
        return
    if followed.log != await log_identity(log, chance):
        raise Unusable(f"The {target.port} store was made from another event log than the present one. {way_out}")
    head = await log.head()
    if followed.position > head:
        raise Unusable(
            f"The {target.port} store has followed the event log to position {followed.position}, but the log ends at "
            f"{head}: an older copy of it was put back. {way_out}"
        )
