"""Parts of a version: how chunks are divided, and what identifies a version."""

from itertools import chain

import pytest

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from tests.unit.toolsets.concept_rag.library import chunk_facts
from toolsets.concept_rag.part import (
    MAX_CHARACTERS,
    MAX_CHUNKS,
    PART_ADDED,
    PartState,
    part_of,
    parts_of,
    version_of,
    version_token,
)
from toolsets.sourcing.aggregate import UnreadableEvent


def event(number: int, kind: str, data: JsonObject) -> RecordedEvent:
    return RecordedEvent(
        EventId(str(number)), StreamName("concept_rag/part/x-0"), number, number, kind, data, Micros(number), 1, {}
    )


def test_the_parts_hold_every_chunk_once_in_order_and_stay_small() -> None:
    chunks = chunk_facts(*(f"chunk {number}" for number in range(2 * MAX_CHUNKS + 1)), "x" * MAX_CHARACTERS, "last")
    parts = parts_of(7, "token", chunks)
    assert tuple(chain.from_iterable(part.chunks for part in parts)) == chunks
    assert [part.number for part in parts] == list(range(len(parts)))
    assert all(len(part.chunks) <= MAX_CHUNKS for part in parts)
    assert all(
        len(part.chunks) == 1 or sum(len(chunk.text) for chunk in part.chunks) <= MAX_CHARACTERS for part in parts
    )


def test_a_token_depends_on_the_document_and_on_every_chunk() -> None:
    one = chunk_facts("a", "b")
    tokens = {
        version_token(1, one),
        version_token(2, one),
        version_token(1, chunk_facts("a", "c")),
        version_token(1, chunk_facts("a", "b", concepts=("relay",))),
        version_token(1, ()),
    }
    assert len(tokens) == 5
    assert version_token(1, chunk_facts("a", "b")) == version_token(1, one)


def test_a_token_does_not_depend_on_places_which_earlier_events_lack() -> None:
    (chunk,) = chunk_facts("a")
    placed = chunk.model_copy(update={"start": 3, "end": 4})
    assert version_token(1, (placed,)) == version_token(1, (chunk,))
    (part,) = parts_of(1, "token", (placed,))
    data = part.model_dump(mode="json")
    assert part_of((event(1, PART_ADDED, data),)) == PartState(part, 1, dropped=False)
    for name in ("start", "end"):
        del data["chunks"][0][name]
    read = part_of((event(1, PART_ADDED, data),))
    assert read is not None
    assert read.part.chunks == (chunk,)


def test_events_that_no_part_begins_with_are_refused() -> None:
    with pytest.raises(UnreadableEvent, match="part_dropped"):
        part_of((event(1, "concept_rag.part_dropped", {}),))
    with pytest.raises(UnreadableEvent, match="version_committed"):
        version_of((event(1, "concept_rag.version_committed", {}),))
