"""File records: files that could not be ingested and are not parsed again until they change. All functions are pure."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from backends.ports.values import Micros
from toolsets.concept_rag.streams import file_stream
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories, History, UnreadableEvent, event_data

REFUSED = "concept_rag.file_refused"
CLEARED = "concept_rag.file_cleared"


class FileRefusal(BaseModel):
    """Why a file was not ingested."""

    model_config = ConfigDict(frozen=True)

    path: str
    content_hash: str
    status: Literal["failed", "skipped"]
    kind: str
    reason: str
    revision: int
    """Revision of the parsers; another revision may be able to read the file."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file after all its events; `refusal` is the latest one."""

    refusal: FileRefusal
    at: Micros
    cleared: bool
    version: int


def file_of(history: History) -> FileRecord | None:
    """Return the record of a file; None if there are no events. Raises `UnreadableEvent`."""
    record: FileRecord | None = None
    for event in history:
        if event.type == REFUSED:
            record = FileRecord(event_data(FileRefusal, event), event.at, cleared=False, version=event.version)
        elif event.type == CLEARED and record is not None:
            record = FileRecord(record.refusal, event.at, cleared=True, version=event.version)
        else:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")
    return record


def refusal_of(history: History) -> FileRefusal | None:
    """Return why a file is not ingested; None if it has no refusal."""
    record = file_of(history)
    return None if record is None or record.cleared else record.refusal


def refuse(histories: Histories, refusal: FileRefusal) -> Decision[None]:
    """Decide to record that a file cannot be ingested; an equal refusal is not recorded again."""
    stream = file_stream(refusal.path)
    if refusal_of(histories[stream]) == refusal:
        return Decision(None)
    return Decision(None, (Change(stream, (Fact(REFUSED, refusal.model_dump()),)),))


def clear(histories: Histories, path: str) -> tuple[Change, ...]:
    """Return the change that clears a file's refusal; empty if it has none."""
    stream = file_stream(path)
    return () if refusal_of(histories[stream]) is None else (Change(stream, (Fact(CLEARED, {}),)),)
