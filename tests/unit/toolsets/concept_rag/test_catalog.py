"""What becomes of files: added, kept, joined, updated, moved and removed."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import Micros
from tests.unit.toolsets.concept_rag.library import chunk_facts, content
from toolsets.concept_rag.catalog import (
    Plan,
    PlanOutdated,
    forget,
    other_paths,
    plan_file,
    record_content,
    record_path,
    remove_path,
)
from toolsets.concept_rag.document import Document, UnknownDocument, document_of
from toolsets.concept_rag.numeric_ids import MAX_NUMBER, document_id_of
from toolsets.concept_rag.part import PartsDropped, add_parts, begin, drop_version, parts_of, version_of
from toolsets.concept_rag.streams import document_stream, version_stream
from toolsets.sourcing.aggregate import Decision, Histories, History, NotLoaded

ValueT = TypeVar("ValueT")


@dataclass
class Log:
    """A log in memory that carries decisions out."""

    streams: dict[StreamName, list[RecordedEvent]] = field(default_factory=dict[StreamName, list[RecordedEvent]])
    clock: int = 0

    def histories(self) -> Histories:
        return Histories({name: tuple(events) for name, events in self.streams.items()})

    def decide(self, decide: Callable[[Histories], Decision[ValueT]]) -> ValueT:
        loaded: dict[StreamName, History] = dict(self.histories().loaded)
        while True:
            try:
                decision = decide(Histories(loaded))
                break
            except NotLoaded as missing:
                loaded |= dict.fromkeys(missing.streams, ())
        for change in decision.changes:
            events = self.streams.setdefault(change.stream, [])
            for fact in change.facts:
                self.clock += 1
                number = len(events) + 1
                at = Micros(self.clock)
                events.append(
                    RecordedEvent(
                        EventId(str(self.clock)), change.stream, number, self.clock, fact.type, fact.data, at, 1, {}
                    )
                )
        return decision.value

    def ingest(self, path: str, text: str, moved_on: tuple[str, ...] = ()) -> Plan:
        """Record a file whose content is one chunk of text."""
        plan = self.decide(lambda histories: Decision(plan_file(histories, path, text, moved_on)))
        if plan.action in ("keep", "join"):
            self.decide(lambda histories: record_path(histories, path, text))
            return plan
        chunks = chunk_facts(text)
        edition = content(plan.catalog_id, text, chunks)
        parts = parts_of(plan.catalog_id, edition.token, chunks)
        self.decide(lambda histories: begin(histories, parts))
        self.decide(lambda histories: add_parts(histories, parts))
        self.decide(lambda histories: record_content(histories, path, edition, plan, moved_on))
        return plan

    def document(self, catalog_id: int) -> Document:
        found = document_of(tuple(self.streams[document_stream(catalog_id)]))
        assert found is not None
        return found


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_new_file_becomes_a_document_with_an_id_from_its_content(log: Log) -> None:
    plan = log.ingest("/a", "one")
    assert plan == Plan("add", document_id_of("one"))
    assert 0 < plan.catalog_id <= MAX_NUMBER
    assert log.document(plan.catalog_id).paths == ("/a",)


def test_the_same_content_under_a_second_name_is_one_document_with_two_paths(log: Log) -> None:
    first = log.ingest("/a", "one")
    second = log.ingest("/b", "one")
    assert second == Plan("join", first.catalog_id)
    assert log.ingest("/b", "one") == Plan("keep", first.catalog_id)
    assert log.document(first.catalog_id).paths == ("/a", "/b")


def test_a_changed_file_keeps_the_id_of_its_document(log: Log) -> None:
    first = log.ingest("/a", "one")
    second = log.ingest("/a", "two")
    assert second == Plan("update", first.catalog_id)
    document = log.document(first.catalog_id)
    assert document.content.content_hash == "two"
    assert (document.live, document.paths) == (True, ("/a",))


def test_content_that_a_document_had_before_its_update_becomes_a_document_with_another_id(log: Log) -> None:
    first = log.ingest("/a", "one")
    log.ingest("/a", "two")
    again = log.ingest("/b", "one")
    assert again.action == "add"
    assert again.catalog_id != first.catalog_id


def test_one_of_two_paths_that_changes_becomes_a_document_of_its_own(log: Log) -> None:
    first = log.ingest("/a", "one")
    log.ingest("/b", "one")
    moved = log.ingest("/a", "two")
    assert moved == Plan("add", document_id_of("two"), leaves=first.catalog_id)
    assert log.document(first.catalog_id).paths == ("/b",)
    assert log.document(moved.catalog_id).paths == ("/a",)


def test_two_names_of_one_file_that_changes_stay_one_document(log: Log) -> None:
    first = log.ingest("/a", "one")
    log.ingest("/b", "one")
    assert log.ingest("/b", "two", moved_on=("/a",)) == Plan("update", first.catalog_id)
    assert log.ingest("/a", "two") == Plan("keep", first.catalog_id)


def test_a_file_that_takes_the_content_of_another_document_ends_its_own(log: Log) -> None:
    first, second = log.ingest("/a", "one"), log.ingest("/b", "two")
    assert log.ingest("/a", "two") == Plan("join", second.catalog_id, leaves=first.catalog_id)
    assert not log.document(first.catalog_id).live
    assert log.document(second.catalog_id).paths == ("/b", "/a")


def test_a_document_ends_with_its_last_path(log: Log) -> None:
    plan = log.ingest("/a", "one")
    log.ingest("/b", "one")
    log.decide(lambda histories: remove_path(histories, "/a"))
    assert log.document(plan.catalog_id).paths == ("/b",)
    log.decide(lambda histories: remove_path(histories, "/b"))
    assert not log.document(plan.catalog_id).live
    assert log.decide(lambda histories: remove_path(histories, "/b")) is None


def test_a_forgotten_document_comes_back_with_its_id(log: Log) -> None:
    plan = log.ingest("/a", "one")
    log.decide(lambda histories: forget(histories, plan.catalog_id))
    assert not log.document(plan.catalog_id).live
    with pytest.raises(UnknownDocument):
        log.decide(lambda histories: forget(histories, plan.catalog_id))
    assert log.ingest("/c", "one") == plan
    assert log.document(plan.catalog_id).paths == ("/c",)


def test_a_plan_that_another_run_overtook_changes_nothing(log: Log) -> None:
    plan = log.ingest("/a", "one")
    chunks = chunk_facts("one")
    edition = content(plan.catalog_id, "one", chunks)
    with pytest.raises(PlanOutdated):
        log.decide(lambda histories: record_content(histories, "/b", edition, plan))


def test_a_document_is_not_recorded_on_parts_that_were_dropped(log: Log) -> None:
    chunks = chunk_facts("one")
    edition = content(document_id_of("one"), "one", chunks)
    parts = parts_of(document_id_of("one"), edition.token, chunks)
    plan = Plan("add", document_id_of("one"))
    with pytest.raises(PartsDropped):
        log.decide(lambda histories: record_content(histories, "/a", edition, plan))
    log.decide(lambda histories: begin(histories, parts))
    log.decide(lambda histories: add_parts(histories, parts))
    assert log.decide(lambda histories: drop_version(histories, edition.token, begun_before=Micros(99))) == 1
    with pytest.raises(PartsDropped):
        log.decide(lambda histories: record_content(histories, "/a", edition, plan))
    assert log.ingest("/a", "one") == plan


def test_only_versions_that_no_document_uses_are_dropped(log: Log) -> None:
    plan = log.ingest("/a", "one")
    token = log.document(plan.catalog_id).content.token
    assert log.decide(lambda histories: drop_version(histories, token, begun_before=Micros(99))) == 0
    log.ingest("/a", "two")
    assert log.decide(lambda histories: drop_version(histories, token, begun_before=Micros(0))) == 1
    assert log.decide(lambda histories: drop_version(histories, token, begun_before=Micros(0))) == 0
    version = version_of(tuple(log.streams[version_stream(token)]))
    assert version is not None
    assert version.state == "dropped"


def test_random_moves_leave_each_path_with_the_document_of_its_content() -> None:
    rng = random.Random(7)
    log = Log()
    disk: dict[str, str] = {}
    for _ in range(200):
        path = f"/{rng.randrange(5)}"
        before = dict(disk)
        if rng.random() < 0.2:
            disk.pop(path, None)
            log.decide(lambda histories, path=path: remove_path(histories, path))
        else:
            disk[path] = f"text {rng.randrange(6)}"
            others = log.decide(lambda histories, path=path: Decision(other_paths(histories, path)))
            moved_on = tuple(other for other in others if disk.get(other) != before.get(path)) if others else ()
            log.ingest(path, disk[path], moved_on)
        documents = [document_of(tuple(events)) for name, events in log.streams.items() if "/document/" in name]
        live = [each for each in documents if each is not None and each.live]
        assert {(path, each.content.content_hash) for each in live for path in each.paths} == set(disk.items())
        assert len({each.content.content_hash for each in live}) == len(live)
