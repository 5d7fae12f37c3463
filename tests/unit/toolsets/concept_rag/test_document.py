"""A document is what its events say of it, in the order in which they are valid."""

import pytest

from backends.ports.events import RecordedEvent
from backends.ports.values import JsonObject
from tests.support.histories import Fact, history_of
from tests.unit.toolsets.concept_rag.library import chunk_facts, content
from toolsets.concept_rag.document import (
    ADDED,
    FORGOTTEN,
    PATH_ADDED,
    PATH_REMOVED,
    UPDATED,
    Document,
    Edition,
    UnknownDocument,
    document_of,
    live_document,
)
from toolsets.concept_rag.numeric_ids import concept_id_of
from toolsets.concept_rag.streams import document_stream
from toolsets.sourcing.aggregate import Histories, UnreadableEvent


def edition(path: str, concept: str) -> JsonObject:
    return Edition(path=path, content=content(7, concept, chunk_facts("text"), concepts=(concept,))).model_dump(
        mode="json"
    )


def history(*events: Fact) -> tuple[RecordedEvent, ...]:
    return history_of(document_stream(7), *events)


def folded(*events: Fact) -> Document:
    document = document_of(history(*events))
    assert document is not None
    return document


ADD = (ADDED, edition("/a", "relay"))
UPDATE = (UPDATED, edition("/a", "coil"))
FORGET: Fact = (FORGOTTEN, {})


def test_without_events_there_is_no_document() -> None:
    assert document_of(()) is None


def test_paths_are_kept_once_and_in_their_order() -> None:
    joined = folded(ADD, (PATH_ADDED, {"path": "/b"}), (PATH_ADDED, {"path": "/a"}))
    assert (joined.paths, joined.version, joined.live) == (("/a", "/b"), 3, True)
    assert folded(ADD, (PATH_ADDED, {"path": "/b"}), (PATH_REMOVED, {"path": "/a"})).paths == ("/b",)


def test_an_update_replaces_the_content_and_remembers_what_there_was() -> None:
    document = folded(ADD, UPDATE)
    assert (document.catalog_id, document.added_at, document.updated_at) == (7, 1, 2)
    assert [concept.name for concept in document.content.concepts] == ["coil"]
    assert document.ever_concepts == {concept_id_of("relay"), concept_id_of("coil")}


def test_a_forgotten_document_has_no_paths_and_comes_back_with_its_past() -> None:
    forgotten = folded(ADD, FORGET)
    assert (forgotten.live, forgotten.paths, forgotten.content.content_hash) == (False, (), "relay")
    back = folded(ADD, FORGET, (ADDED, edition("/c", "coil")))
    assert (back.live, back.paths, back.added_at) == (True, ("/c",), 3)
    assert len(back.ever_concepts) == 2


INVALID: list[tuple[Fact, ...]] = [
    (UPDATE,),
    (FORGET,),
    ((PATH_ADDED, {"path": "/a"}),),
    (ADD, ADD),
    (ADD, FORGET, UPDATE),
    (ADD, FORGET, (PATH_REMOVED, {"path": "/a"})),
    (ADD, ("concept_rag.document_burnt", {})),
    ((ADDED, {"path": "/a"}),),
]


@pytest.mark.parametrize("events", INVALID)
def test_an_event_that_is_not_valid_is_not_passed_over(events: tuple[Fact, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        document_of(history(*events))


@pytest.mark.parametrize("events", [(), (ADD, FORGET)])
def test_a_document_that_is_not_live_is_unknown(events: tuple[Fact, ...]) -> None:
    with pytest.raises(UnknownDocument) as unknown:
        live_document(Histories({document_stream(7): history(*events)}), 7)
    assert unknown.value.catalog_id == 7


def test_what_is_searched_is_the_title_the_summary_and_the_primary_concepts() -> None:
    assert folded(ADD).content.searched == "Title of relay. Summary of relay. relay"
