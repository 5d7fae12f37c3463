"""A concept is created under a free name, changed in what differs, and ended once."""

from itertools import count

import pytest

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import Micros
from toolsets.knowledge import concept as concepts
from toolsets.knowledge.concept import Certainty, Concept, Edit, NameTaken, Placement, Rescore, UnknownConcept
from toolsets.knowledge.streams import NAMES, concept_stream
from toolsets.sourcing.aggregate import Change, Decision, Histories, History, NotLoaded, UnreadableEvent

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
HAND, COMPUTED = Certainty(90.0, by_hand=True), Certainty(40.0, by_hand=False)


class Book:
    """A log in a dictionary, just enough to carry decisions from one to the next."""

    def __init__(self) -> None:
        self.streams: dict[StreamName, History] = {}
        self.clock = count(1)

    def decide_on(self) -> Histories:
        class Everything(dict[StreamName, History]):
            def __contains__(self, stream: object) -> bool:
                return True

            def __missing__(self, stream: StreamName) -> History:
                return ()

        return Histories(Everything(self.streams))

    def record(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            for fact in change.facts:
                before = self.streams.get(change.stream, ())
                at = Micros(next(self.clock))
                event = RecordedEvent(
                    EventId(str(at)), change.stream, len(before) + 1, at, fact.type, fact.data, at, fact.schema, {}
                )
                self.streams[change.stream] = (*before, event)

    def do(self, decision: Decision[str] | Decision[Concept]) -> tuple[Change, ...]:
        self.record(decision.changes)
        return decision.changes

    def create(self, concept_id: str, name: str, area: str | None = None, certainty: Certainty = HAND) -> None:
        self.do(concepts.create(self.decide_on(), concept_id, name, f"About {name}.", Placement(area), certainty))

    def update(self, concept_id: str, edit: Edit, rescore: Rescore | None = None) -> tuple[Change, ...]:
        return self.do(concepts.update(self.decide_on(), concept_id, edit, rescore))

    def delete(self, concept_id: str) -> None:
        self.do(concepts.delete(self.decide_on(), concept_id))

    def concept(self, concept_id: str) -> Concept:
        found = concepts.concept_of(self.streams[concept_stream(concept_id)])
        assert found is not None
        return found


def computed(_before: Concept, _edit: Edit) -> float:
    return COMPUTED.score


def test_a_new_concept_is_what_was_filed() -> None:
    book = Book()
    book.create(ONE, "Loops", "Programming")
    concept = book.concept(ONE)
    assert (concept.id, concept.name, concept.explanation, concept.version) == (ONE, "Loops", "About Loops.", 1)
    assert (concept.placement, concept.certainty) == (Placement("Programming"), HAND)
    assert len(concept.explanations) == 1


def test_a_name_is_taken_within_its_area_and_topic_only() -> None:
    book = Book()
    book.create(ONE, "Loops", "Programming")
    with pytest.raises(NameTaken) as taken:
        book.create(TWO, "Loops", "Programming")
    assert taken.value.holder == ONE
    book.create(TWO, "Loops")


def test_every_explanation_is_remembered_oldest_first() -> None:
    book = Book()
    book.create(ONE, "Loops")
    for text in ("second", "third"):
        book.update(ONE, Edit(explanation=text))
    assert [past.explanation for past in book.concept(ONE).explanations] == ["About Loops.", "second", "third"]


def test_an_update_that_changes_nothing_records_nothing() -> None:
    book = Book()
    book.create(ONE, "Loops", "Programming")
    assert (
        book.update(ONE, Edit(name="Loops", explanation="About Loops.", area="Programming", certainty_score=HAND.score))
        == ()
    )


def test_a_rename_takes_the_new_name_and_frees_the_old_one() -> None:
    book = Book()
    book.create(ONE, "Loops")
    book.update(ONE, Edit(name="Iteration"))
    book.create(TWO, "Loops")
    with pytest.raises(NameTaken):
        book.update(TWO, Edit(name="Iteration"))


def test_moving_to_another_area_moves_the_claim() -> None:
    book = Book()
    book.create(ONE, "Loops")
    book.update(ONE, Edit(area="Programming"))
    assert NAMES.holder(book.streams[NAMES.stream(("Loops", "Programming", None))]) == ONE
    assert NAMES.holder(book.streams[NAMES.stream(("Loops", None, None))]) is None


def test_a_new_subtopic_leaves_the_claim_alone() -> None:
    book = Book()
    book.create(ONE, "Loops")
    assert [change.stream for change in book.update(ONE, Edit(subtopic="Basics"))] == [concept_stream(ONE)]


def test_a_deleted_concept_is_gone_and_its_name_is_free() -> None:
    book = Book()
    book.create(ONE, "Loops")
    book.delete(ONE)
    with pytest.raises(UnknownConcept):
        book.delete(ONE)
    with pytest.raises(UnknownConcept):
        book.update(ONE, Edit(name="x"))
    book.create(TWO, "Loops")


def test_a_score_set_by_hand_stays_until_it_is_set_again() -> None:
    book = Book()
    book.create(ONE, "Loops")
    book.update(ONE, Edit(explanation="new"), computed)
    assert book.concept(ONE).certainty == HAND
    book.update(ONE, Edit(certainty_score=5.0), computed)
    assert book.concept(ONE).certainty.score == 5.0


def test_a_computed_score_accompanies_a_change_and_makes_none() -> None:
    book = Book()
    book.create(ONE, "Loops", certainty=Certainty(10.0, by_hand=False))
    assert book.update(ONE, Edit(explanation="About Loops."), computed) == ()
    book.update(ONE, Edit(explanation="new"), computed)
    assert book.concept(ONE).certainty == COMPUTED


def test_moving_a_concept_is_no_review_of_it() -> None:
    book = Book()
    book.create(ONE, "Loops")
    before = book.concept(ONE)
    book.update(ONE, Edit(area="Programming"))
    moved = book.concept(ONE)
    assert moved.reviewed_at == before.reviewed_at
    assert moved.modified_at > before.modified_at
    book.update(ONE, Edit(explanation="new"))
    assert book.concept(ONE).reviewed_at > before.reviewed_at


def test_a_decision_asks_for_the_streams_it_needs() -> None:
    with pytest.raises(NotLoaded) as asked:
        concepts.update(Histories(), ONE, Edit(name="x"))
    assert asked.value.streams == (concept_stream(ONE),)


def test_a_fact_of_a_later_version_is_not_guessed_at() -> None:
    event = RecordedEvent(EventId("e"), concept_stream(ONE), 1, 1, "knowledge.concept_created", {}, Micros(0), 2, {})
    with pytest.raises(UnreadableEvent, match="schema 2"):
        concepts.concept_of((event,))
