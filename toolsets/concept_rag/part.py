"""Parts: the chunks of one version of a document, about 50 per stream, and the life cycle of a version.

All functions are pure.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict

from backends.ports.events import RecordedEvent
from backends.ports.values import Micros
from toolsets.concept_rag.sections import SectionKind
from toolsets.concept_rag.streams import part_stream, version_stream
from toolsets.sourcing.aggregate import (
    Change,
    Decision,
    Fact,
    Histories,
    History,
    UnreadableEvent,
    event_data,
)

PART_ADDED = "concept_rag.part_added"
PART_DROPPED = "concept_rag.part_dropped"
VERSION_BEGUN = "concept_rag.version_begun"
VERSION_COMMITTED = "concept_rag.version_committed"
VERSION_SUPERSEDED = "concept_rag.version_superseded"
VERSION_DROPPED = "concept_rag.version_dropped"

MAX_CHUNKS: Final = 50
MAX_CHARACTERS: Final = 100_000
"""The most chunks and characters of a part, which keep its event far below the size limits of logs and messages."""

VersionState: TypeAlias = Literal["begun", "committed", "superseded", "dropped"]
_STATES: Final[dict[str, VersionState]] = {
    VERSION_BEGUN: "begun",
    VERSION_COMMITTED: "committed",
    VERSION_SUPERSEDED: "superseded",
    VERSION_DROPPED: "dropped",
}


class PartsDropped(Exception):
    """The parts of a version were dropped before its document was recorded; they must be added again."""


class ChunkFact(BaseModel):
    """A chunk as it is recorded."""

    model_config = ConfigDict(frozen=True)

    ordinal: int
    """From 0 within the document."""
    text: str
    page: int
    last_page: int
    kind: SectionKind
    headings: tuple[str, ...]
    concepts: tuple[tuple[int, float], ...]
    """Ids of the concepts that it names, each with the share of words that belong to the name, densest first."""
    start: int | None = None
    end: int | None = None
    """The place of `text` in the document's text (see `chunks.document_text`), in characters; None in earlier events."""


class Part(BaseModel):
    """Some chunks of a version of a document."""

    model_config = ConfigDict(frozen=True)

    catalog_id: int
    token: str
    number: int
    """From 0 within the version."""
    chunks: tuple[ChunkFact, ...]


class _Begun(BaseModel):
    model_config = ConfigDict(frozen=True)

    catalog_id: int
    parts: int


@dataclass(frozen=True, slots=True)
class PartState:
    """A part after all its events."""

    part: Part
    version: int
    dropped: bool


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A version of a document's content after all its events: its status and its number of parts.

    `begun`: its document is not recorded yet and may never be; `superseded`: its parts are still to be dropped.
    """

    token: str
    catalog_id: int
    parts: int
    state: VersionState
    changed_at: Micros
    version: int


def version_token(catalog_id: int, chunks: Sequence[ChunkFact]) -> str:
    """Return the token of a document's version, a function of the document's id and all its chunks, except their places."""
    digest = hashlib.sha256(str(catalog_id).encode())
    for chunk in chunks:
        digest.update(orjson.dumps(chunk.model_dump(exclude={"start", "end"})))
    return digest.hexdigest()[:32]


def parts_of(catalog_id: int, token: str, chunks: Sequence[ChunkFact]) -> tuple[Part, ...]:
    """Return the parts of a document's version."""
    return tuple(
        Part(catalog_id=catalog_id, token=token, number=number, chunks=some)
        for number, some in enumerate(_groups(chunks))
    )


def _groups(chunks: Sequence[ChunkFact]) -> Iterator[tuple[ChunkFact, ...]]:
    group: list[ChunkFact] = []
    characters = 0
    for chunk in chunks:
        if group and (len(group) == MAX_CHUNKS or characters + len(chunk.text) > MAX_CHARACTERS):
            yield tuple(group)
            group, characters = [], 0
        group.append(chunk)
        characters += len(chunk.text)
    if group:
        yield tuple(group)


def part_of(history: History) -> PartState | None:
    """Return the part of a stream, dropped or not; None if there are no events. Raises `UnreadableEvent`."""
    part: Part | None = None
    for event in history:
        if event.type == PART_ADDED:
            part = event_data(Part, event)
        elif event.type != PART_DROPPED or part is None:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")
    if part is None:
        return None
    return PartState(part, history[-1].version, history[-1].type == PART_DROPPED)


def version_of(history: History) -> DocumentVersion | None:
    """Return the version of a stream; None if there are no events. Raises `UnreadableEvent`."""
    begun: _Begun | None = None
    for event in history:
        if event.type == VERSION_BEGUN:
            begun = event_data(_Begun, event)
        elif event.type not in _STATES or begun is None:
            raise UnreadableEvent(f"{event.type} is not valid after the previous event of {event.stream}")
    if begun is None:
        return None
    last: RecordedEvent = history[-1]
    token = last.stream.rpartition("/")[2]
    return DocumentVersion(token, begun.catalog_id, begun.parts, _STATES[last.type], last.at, last.version)


def begin(histories: Histories, parts: Sequence[Part]) -> Decision[None]:
    """Decide to begin a version, so that its parts are dropped if its document is never recorded."""
    first = parts[0]
    stream = version_stream(first.token)
    before = version_of(histories[stream])
    if before is not None and before.state != "dropped":
        return Decision(None)
    begun = _Begun(catalog_id=first.catalog_id, parts=len(parts))
    return Decision(None, (Change(stream, (Fact(VERSION_BEGUN, begun.model_dump()),)),))


def add_parts(histories: Histories, parts: Sequence[Part]) -> Decision[int]:
    """Decide to add the parts that are missing or were dropped; the value is their number."""
    streams = [part_stream(part.token, part.number) for part in parts]
    histories.need(streams)
    changes: list[Change] = []
    for stream, part in zip(streams, parts, strict=True):
        before = part_of(histories[stream])
        if before is None or before.dropped:
            changes.append(Change(stream, (Fact(PART_ADDED, part.model_dump(mode="json")),)))
    return Decision(len(changes), tuple(changes))


def commit_version(histories: Histories, token: str) -> Change:
    """Return the change that marks a version as used by its document. Raises `PartsDropped` if any of its parts is missing."""
    stream = version_stream(token)
    before = version_of(histories[stream])
    if before is None or before.state == "dropped":
        raise PartsDropped(token)
    return Change(stream, () if before.state == "committed" else (Fact(VERSION_COMMITTED, {}),))


def supersede_version(histories: Histories, token: str) -> tuple[Change, ...]:
    """Return the change that marks a version as superseded; its parts are dropped later."""
    stream = version_stream(token)
    before = version_of(histories[stream])
    used = before is not None and before.state == "committed"
    return (Change(stream, (Fact(VERSION_SUPERSEDED, {}),)),) if used else ()


def drop_version(histories: Histories, token: str, *, begun_before: Micros) -> Decision[int]:
    """Decide to drop all parts of an unused version together; the value is their number.

    A version that was begun at `begun_before` or later may still be recorded and is kept.
    """
    stream = version_stream(token)
    before = version_of(histories[stream])
    if before is None or before.state in ("committed", "dropped"):
        return Decision(0)
    if before.state == "begun" and before.changed_at >= begun_before:
        return Decision(0)
    streams = [part_stream(token, number) for number in range(before.parts)]
    histories.need(streams)
    live = [each for each in streams if (part := part_of(histories[each])) is not None and not part.dropped]
    dropped = (Change(each, (Fact(PART_DROPPED, {}),)) for each in live)
    return Decision(len(live), (Change(stream, (Fact(VERSION_DROPPED, {}),)), *dropped))
