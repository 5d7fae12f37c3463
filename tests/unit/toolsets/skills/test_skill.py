"""A skill is learned once, refined, and counted when it is used."""

from dataclasses import replace

import pytest

from backends.ports.events import EventId, RecordedEvent, StreamName
from backends.ports.values import JsonObject, Micros
from toolsets.skills.extraction import ExtractedSkill
from toolsets.skills.skill import (
    LEARNED,
    REFINED,
    USED,
    Lesson,
    Refinement,
    Skill,
    SkillChanged,
    Taught,
    UnknownSkill,
    confidence_after,
    confirmed_by,
    known_skill,
    learn,
    refine,
    skill_of,
    teach,
    use,
    versions_of,
)
from toolsets.skills.streams import CONVERSATIONS, skill_stream
from toolsets.sourcing.aggregate import Change, Histories, History, UnreadableEvent

ID = "11111111-1111-4111-8111-111111111111"
STREAM = skill_stream(ID)
TAUGHT = ExtractedSkill(
    "Blank pages", "It prints blank pages.", "Pull the tape off.", ("On Windows 11",), ("tape",), "printing", "bug", 0.5
)


class Book:
    """A log of one stream, just enough to carry decisions from one to the next."""

    def __init__(self) -> None:
        self.events: History = ()

    def record(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            assert change.stream == STREAM
            for fact in change.facts:
                number = len(self.events) + 1
                at = Micros(number * 1_000)
                self.events += (
                    RecordedEvent(
                        EventId(str(number)), STREAM, number, number, fact.type, fact.data, at, fact.schema, {}
                    ),
                )

    @property
    def histories(self) -> Histories:
        return Histories({STREAM: self.events})

    @property
    def skill(self) -> Skill:
        return known_skill(ID, self.events)


@pytest.fixture
def book() -> Book:
    written = Book()
    written.record(learn(ID, TAUGHT, confirmed=False).changes)
    return written


def refinement(book: Book, **changed: str | float | tuple[str, ...]) -> Refinement:
    skill = book.skill
    same = Refinement(
        skill.resolution, skill.conditions, skill.keywords, skill.confidence, "neutral", ("Changed nothing.",)
    )
    return replace(same, **changed)


def test_what_was_learned_is_the_first_version(book: Book) -> None:
    assert book.skill == Skill(
        skill_id=ID,
        title="Blank pages",
        version=1,
        problem="It prints blank pages.",
        resolution="Pull the tape off.",
        conditions=("On Windows 11",),
        keywords=("tape",),
        product_area="printing",
        issue_type="bug",
        confidence=0.5,
        times_used=0,
        times_confirmed=0,
        created_at=Micros(1_000),
        updated_at=Micros(1_000),
        revision=1,
    )


def test_a_confirmed_resolution_counts_as_confirmed() -> None:
    written = Book()
    written.record(learn(ID, TAUGHT, confirmed=True).changes)
    assert written.skill.times_confirmed == 1


def test_a_refinement_adds_one_to_the_version(book: Book) -> None:
    wanted = refinement(
        book, resolution="1. Open it.\n2. Pull the tape off.", confidence=0.6, judgement="positive", changes=("Added.",)
    )
    decision = refine(book.histories, ID, wanted, seen=book.skill)
    assert decision.value == 2
    book.record(decision.changes)
    skill = book.skill
    assert (skill.version, skill.resolution, skill.confidence) == (2, "1. Open it.\n2. Pull the tape off.", 0.6)
    assert (skill.times_used, skill.times_confirmed) == (1, 1)
    assert (skill.created_at, skill.updated_at) == (Micros(1_000), Micros(2_000))
    assert (skill.conditions, skill.keywords, skill.title) == (("On Windows 11",), ("tape",), "Blank pages")


def test_a_refinement_that_changes_nothing_still_counts(book: Book) -> None:
    book.record(refine(book.histories, ID, refinement(book), seen=book.skill).changes)
    assert (book.skill.version, book.skill.times_used, book.skill.times_confirmed) == (2, 1, 0)
    assert book.events[-1].data == {"confidence": 0.5, "judgement": "neutral", "changes": ["Changed nothing."]}


def test_a_refinement_of_an_older_state_is_refused(book: Book) -> None:
    seen = book.skill
    late = refinement(book, resolution="Late.")
    book.record(refine(book.histories, ID, refinement(book), seen=seen).changes)
    with pytest.raises(SkillChanged):
        refine(book.histories, ID, late, seen=seen)


def test_uses_meanwhile_outdate_a_refinement_only_by_another_confidence(book: Book) -> None:
    seen = book.skill
    book.record(use(book.histories, ID, confirmed=False).changes)
    assert refine(book.histories, ID, refinement(book), seen=seen).value == 2
    book.record(use(book.histories, ID, confirmed=True).changes)
    with pytest.raises(SkillChanged):
        refine(book.histories, ID, refinement(book), seen=seen)


def test_use_is_counted_and_confirmation_raises_the_confidence(book: Book) -> None:
    assert use(book.histories, ID, confirmed=False).value == book.skill
    book.record(use(book.histories, ID, confirmed=False).changes)
    book.record(use(book.histories, ID, confirmed=True).changes)
    skill = book.skill
    assert (skill.times_used, skill.times_confirmed, skill.confidence) == (2, 1, 0.6)
    assert (skill.version, skill.updated_at, skill.revision) == (1, Micros(1_000), 3)


def test_a_conversation_raises_the_confidence_once_whatever_it_did_before() -> None:
    written = Book()
    written.record(learn(ID, TAUGHT, confirmed=True, conversation="a").changes)
    before = written.skill.confidence
    written.record(use(written.histories, ID, confirmed=True, conversation="a").changes)
    assert (written.skill.confidence, written.skill.times_confirmed) == (before, 2)
    praised = refinement(written, confidence=0.6, judgement="positive")
    written.record(refine(written.histories, ID, praised, seen=written.skill, conversation="b").changes)
    written.record(use(written.histories, ID, confirmed=True, conversation="b").changes)
    assert written.skill.confidence == 0.6
    written.record(use(written.histories, ID, confirmed=False, conversation="c").changes)
    written.record(use(written.histories, ID, confirmed=True, conversation="c").changes)
    assert written.skill.confidence == 0.7


def test_the_confidence_does_not_exceed_1(book: Book) -> None:
    for _ in range(8):
        book.record(use(book.histories, ID, confirmed=True).changes)
    assert book.skill.confidence == 1.0


def test_an_unknown_skill_is_neither_refined_nor_used(book: Book) -> None:
    empty = Histories({STREAM: ()})
    with pytest.raises(UnknownSkill):
        refine(empty, ID, refinement(book), seen=book.skill)
    with pytest.raises(UnknownSkill):
        use(empty, ID, confirmed=True)
    assert skill_of(()) is None


def test_events_have_the_documented_types_and_survive_json(book: Book) -> None:
    book.record(refine(book.histories, ID, refinement(book), seen=book.skill).changes)
    book.record(use(book.histories, ID, confirmed=True).changes)
    assert [event.type for event in book.events] == [LEARNED, REFINED, USED]
    assert all(type(value) in {str, float, bool, list} for event in book.events for value in event.data.values())


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (REFINED, {"confidence": 2, "judgement": "neutral", "changes": []}),
        (LEARNED, {"title": "again"}),
        ("skills.lost", {}),
    ],
)
def test_an_event_that_does_not_fit_is_unreadable(book: Book, kind: str, data: JsonObject) -> None:
    strange = RecordedEvent(EventId("x"), STREAM, 2, 2, kind, data, Micros(2), 1, {})
    with pytest.raises(UnreadableEvent):
        skill_of((*book.events, strange))


def test_a_stream_begins_with_what_was_learned() -> None:
    strange = RecordedEvent(
        EventId("x"), StreamName(STREAM), 1, 1, USED, {"confirmed": True, "confidence": 0.5}, Micros(2), 1, {}
    )
    with pytest.raises(UnreadableEvent):
        skill_of((strange,))


KEY = ("digest",)
CLAIM = CONVERSATIONS.stream(KEY)
OTHER = "22222222-2222-4222-8222-222222222222"


def lesson(*, duplicate_of: str | None = None, confirmed: bool = False) -> Lesson:
    return Lesson(OTHER, TAUGHT, KEY, confirmed, duplicate_of)


def claimed_by(skill_id: str) -> History:
    [fact] = CONVERSATIONS.take(KEY, skill_id).facts
    return (RecordedEvent(EventId("c"), CLAIM, 1, 9, fact.type, fact.data, Micros(1), fact.schema, {}),)


def test_a_new_lesson_becomes_a_skill_that_holds_its_conversation() -> None:
    decision = teach(Histories({CLAIM: ()}), lesson())
    assert decision.value == Taught(OTHER, created=True)
    assert [change.stream for change in decision.changes] == [skill_stream(OTHER), CLAIM]


def test_a_conversation_that_taught_a_skill_counts_for_it_whatever_the_skill_says_by_now(book: Book) -> None:
    book.record(refine(book.histories, ID, refinement(book), seen=book.skill).changes)
    decision = teach(Histories({CLAIM: claimed_by(ID), STREAM: book.events}), lesson(duplicate_of=OTHER))
    assert decision.value == Taught(ID, created=False)
    assert [(change.stream, change.facts[0].type) for change in decision.changes] == [(STREAM, USED)]


def test_a_duplicate_counts_as_used_and_its_conversation_leads_to_it_from_then_on(book: Book) -> None:
    decision = teach(Histories({CLAIM: (), STREAM: book.events}), lesson(duplicate_of=ID, confirmed=True))
    assert decision.value == Taught(ID, created=False)
    assert [change.stream for change in decision.changes] == [STREAM, CLAIM]
    book.record(decision.changes[:1])
    assert (book.skill.times_used, book.skill.times_confirmed) == (1, 1)


def test_a_duplicate_that_is_missing_from_the_log_is_ignored() -> None:
    decision = teach(Histories({CLAIM: (), STREAM: ()}), lesson(duplicate_of=ID))
    assert decision.value == Taught(OTHER, created=True)


def test_every_version_is_shown_as_it_last_stood(book: Book) -> None:
    book.record(use(book.histories, ID, confirmed=True).changes)
    book.record(refine(book.histories, ID, refinement(book), seen=book.skill).changes)
    book.record(use(book.histories, ID, confirmed=False).changes)
    first, second = versions_of(book.events)
    assert (first.skill.version, first.skill.times_used, first.changes) == (1, 1, ("Learned from a conversation.",))
    assert second.skill == book.skill
    assert second.changes == refinement(book).changes
    assert versions_of(()) == ()


def test_confidence_is_round_and_bounded() -> None:
    assert [confidence_after(0.5, judgement) for judgement in ("positive", "negative", "neutral")] == [0.6, 0.3, 0.5]
    assert confidence_after(0.7, "positive") == 0.8
    assert (confidence_after(1.0, "positive"), confidence_after(0.1, "negative")) == (1.0, 0.0)


def test_many_uses_are_folded_as_if_one_by_one(book: Book) -> None:
    for number in range(6):
        book.record(use(book.histories, ID, confirmed=number % 2 == 1, conversation=str(number)).changes)
    skill = book.skill
    assert (skill.times_used, skill.times_confirmed, skill.confidence, skill.revision) == (6, 3, 0.8, 7)
    assert confirmed_by(book.events) == {"1", "3", "5"}
    spoilt = replace(book.events[3], data={"confidence": 0.5})
    with pytest.raises(UnreadableEvent, match="confirmed"):
        skill_of((*book.events[:3], spoilt, *book.events[4:]))
