"""Files that were refused are remembered until they are ingested."""

import pytest

from backends.ports.events import RecordedEvent
from tests.support.histories import history_of
from toolsets.concept_rag.file_record import CLEARED, REFUSED, FileRefusal, clear, file_of, refusal_of, refuse
from toolsets.concept_rag.streams import file_stream
from toolsets.sourcing.aggregate import Histories, UnreadableEvent

REFUSAL = FileRefusal(path="/a.pdf", content_hash="00", status="failed", kind="damaged", reason="Broken.", revision=3)
STREAM = file_stream("/a.pdf")


def history(*kinds: str) -> tuple[RecordedEvent, ...]:
    return history_of(STREAM, *((kind, REFUSAL.model_dump() if kind == REFUSED else {}) for kind in kinds))


@pytest.mark.parametrize(
    ("kinds", "refused"),
    [((), False), ((REFUSED,), True), ((REFUSED, CLEARED), False), ((REFUSED, CLEARED, REFUSED), True)],
)
def test_the_last_event_decides(kinds: tuple[str, ...], *, refused: bool) -> None:
    assert refusal_of(history(*kinds)) == (REFUSAL if refused else None)
    record = file_of(history(*kinds))
    assert (record is None) == (not kinds)
    assert record is None or (record.refusal, record.cleared, record.version) == (REFUSAL, not refused, len(kinds))


@pytest.mark.parametrize("kinds", [(CLEARED,), ("concept_rag.document_added",), (REFUSED, "other")])
def test_other_events_are_not_passed_over(kinds: tuple[str, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        file_of(history(*kinds))


def test_an_equal_refusal_is_recorded_once() -> None:
    known = Histories({STREAM: history(REFUSED)})
    assert refuse(known, REFUSAL).changes == ()
    (change,) = refuse(known, REFUSAL.model_copy(update={"revision": 4})).changes
    assert (change.stream, [fact.type for fact in change.facts]) == (STREAM, [REFUSED])
    assert len(refuse(Histories({STREAM: history(REFUSED, CLEARED)}), REFUSAL).changes) == 1


def test_only_a_refusal_is_cleared() -> None:
    (change,) = clear(Histories({STREAM: history(REFUSED)}), "/a.pdf")
    assert [fact.type for fact in change.facts] == [CLEARED]
    assert clear(Histories({STREAM: history(REFUSED, CLEARED)}), "/a.pdf") == ()
    assert clear(Histories({STREAM: ()}), "/a.pdf") == ()
