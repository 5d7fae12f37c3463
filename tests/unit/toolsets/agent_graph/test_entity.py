"""An entity is what its events say, and each decision adds only what is new."""

from collections.abc import Mapping

import pytest

from backends.ports.events import Expected, StreamName
from backends.ports.values import Json, JsonObject, Micros
from tests.support.histories import Fact, facts_in, history_of
from toolsets.agent_graph.entity import (
    FIRST_UTILITY,
    MAKER,
    Draft,
    Entity,
    TooManyAliases,
    UnknownEntity,
    create,
    enrich,
    entity_of,
    known_entity,
    last_form,
    live_in,
    record_reads,
    reward,
    settle_type,
    survivor,
)
from toolsets.agent_graph.facts import ACCESSED, CREATED, ENRICHED, MERGED, REWARDED, TYPED
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key
from toolsets.sourcing.aggregate import Histories, History, UnreadableEvent


def begun(**changed: Json) -> Fact:
    fact: JsonObject = {
        "channel": "c",
        "name": "Redis",
        "type": "technology",
        "confidence": 0.5,
        "source": "t1",
        **changed,
    }
    return CREATED, fact


def life(entity_id: str, *facts: Fact) -> Mapping[StreamName, History]:
    return {entity_stream(entity_id): history_of(entity_stream(entity_id), *facts)}


def folded(*facts: Fact) -> Entity:
    entity = entity_of(history_of(entity_stream("ent_1"), *facts))
    assert entity is not None
    return entity


INTO_2 = (MERGED, {"into": "ent_2"})


def test_an_entity_gathers_what_its_events_add() -> None:
    entity = folded(
        begun(aliases=["KV"]),
        (ENRICHED, {"aliases": ["kv", "store"], "description": "Fast.", "sources": ["t2", "t1"]}),
        (ACCESSED, {"count": 3, "last": 90}),
        (REWARDED, {"reward": 1, "utility": 0.55}),
    )
    assert (entity.id, entity.aliases, entity.sources) == ("ent_1", ("KV", "store"), ("t1", "t2"))
    assert (entity.description, entity.accesses, entity.accessed_at, entity.utility) == ("Fast.", 3, 90, 0.55)
    assert (entity.created_at, entity.updated_at, entity.version) == (1, 4, 4)
    assert folded(begun()).utility == FIRST_UTILITY


@pytest.mark.parametrize(
    "facts", [(INTO_2,), (begun(), begun()), (begun(), INTO_2, (ACCESSED, {"count": 1, "last": 1}))]
)
def test_an_event_that_is_not_valid_is_not_passed_over(facts: tuple[Fact, ...]) -> None:
    with pytest.raises(UnreadableEvent):
        entity_of(history_of(entity_stream("ent_1"), *facts))


def test_a_merged_entity_has_its_last_form_and_its_survivor() -> None:
    histories = Histories(
        {
            **life("ent_1", begun(), INTO_2),
            **life("ent_2", begun(), (MERGED, {"into": "ent_3"})),
            **life("ent_3", begun(name="Valkey")),
            **life("ent_4"),
        }
    )
    form = last_form(histories[entity_stream("ent_1")])
    assert form is not None
    assert (form.into, known_entity("ent_1", histories[entity_stream("ent_1")]).into) == (None, "ent_2")
    final = survivor(histories, "ent_1")
    assert final is not None
    assert final.id == "ent_3"
    assert survivor(histories, "ent_4") is None


@pytest.mark.parametrize(
    ("entity_id", "channel", "message"),
    [
        ("ent_1", "c", "ent_1 was merged into ent_3; use that id"),
        ("ent_1", None, "ent_1 was merged into ent_3; use that id"),
        ("ent_1", "other", "ent_1"),
        ("ent_3", "other", "ent_3"),
        ("ent_4", None, "ent_4"),
        ("\ud800" + "x" * 300, None, "?" + "x" * 99),
    ],
)
def test_what_the_caller_may_not_see_is_unknown(entity_id: str, channel: str | None, message: str) -> None:
    histories = Histories(
        {
            **life("ent_1", begun(), (MERGED, {"into": "ent_3"})),
            **life("ent_3", begun()),
            **life("ent_4"),
            **life("\ud800" + "x" * 300),
        }
    )
    with pytest.raises(UnknownEntity) as unknown:
        live_in(histories, entity_id, channel)
    assert (unknown.value.code, unknown.value.message) == ("Entity not found", message)
    assert live_in(histories, "ent_3", "c").id == "ent_3"


KEY = name_key("c", "technology", "REDIS")
DRAFT = Draft("c", "Redis", "technology", ("redis", "KV"), confidence=0.9, source="t9")


def claimed(entity_id: str, *facts: Fact) -> Histories:
    (fact,) = NAMES.take(KEY, entity_id).facts
    stream = NAMES.stream(KEY)
    return Histories({stream: history_of(stream, (fact.type, fact.data)), **life(entity_id, *facts)})


def test_a_name_that_is_free_makes_an_entity_that_claims_it() -> None:
    decision = create(Histories({NAMES.stream(KEY): ()}), "ent_9", DRAFT)
    assert (decision.value.id, decision.value.is_new) == ("ent_9", True)
    claim, begin = decision.changes
    assert claim == NAMES.take(KEY, "ent_9")
    assert (begin.stream, begin.expected) == (entity_stream("ent_9"), Expected.NEW)
    assert begin.facts[0].data["aliases"] == ["KV"], "without the name itself in another case"


def test_a_name_that_is_taken_enriches_its_entity() -> None:
    decision = create(claimed("ent_1", begun()), "ent_9", DRAFT)
    assert (decision.value.id, decision.value.is_new) == ("ent_1", False)
    assert facts_in(decision.changes) == [(ENRICHED, {"aliases": ["KV"]})]


def test_an_entity_is_enriched_with_what_it_lacks_only() -> None:
    entity = folded(begun(aliases=["KV"]), (ENRICHED, {"description": "Fast."}))
    assert enrich(entity, DRAFT) == ()
    assert enrich(entity, Draft("c", "Redis", "technology", description="Slow.", source="t1", mention=True)) == ()
    said = Draft("c", "Redis", "technology", ("store",), source="t2", mention=True)
    assert facts_in(enrich(entity, said)) == [(ENRICHED, {"aliases": ["store"], "sources": ["t2"]})]


def test_too_many_aliases_are_refused_by_hand_and_cut_from_a_text() -> None:
    entity, many = folded(begun()), tuple(f"{n:04} {'x' * 500}" for n in range(600))
    with pytest.raises(TooManyAliases):
        enrich(entity, Draft("c", "Redis", "technology", many))
    ((_, data),) = facts_in(enrich(entity, Draft("c", "Redis", "technology", many, source="t1", mention=True)))
    aliases = data["aliases"]
    assert isinstance(aliases, list)
    assert 400 < len(aliases) < 600


@pytest.mark.parametrize(
    ("draft", "fact", "may"),
    [
        (Draft("c", "R", "technology"), begun(), True),
        (Draft("c", "R", "project"), begun(), True),
        (Draft("c", "R", "person"), begun(), False),
        (Draft("c", "R", "project"), begun(confidence=0.8), False),
        (Draft("c", "R", "project"), begun(source=MAKER), False),
        (Draft("c", "R", "person", type_is_guessed=True), begun(confidence=0.9), True),
    ],
)
def test_a_draft_may_mean_an_entity_of_its_type_or_one_of_a_guessed_type(
    draft: Draft, fact: Fact, *, may: bool
) -> None:
    assert draft.may_mean(folded(fact)) is may


def test_a_certain_type_replaces_a_guess_and_moves_the_claims() -> None:
    project = name_key("c", "project", "redis")
    free = Histories({NAMES.stream(project): ()})
    draft = Draft("c", "Redis", "project", confidence=0.9)
    typed, released, taken = settle_type(free, folded(begun()), draft)
    assert facts_in((typed,)) == [(TYPED, {"type": "project", "confidence": 0.9})]
    assert released == NAMES.release(name_key("c", "technology", "redis"), "ent_1")
    assert taken == NAMES.take(project, "ent_1")
    (other,) = NAMES.take(project, "ent_7").facts
    held = Histories({NAMES.stream(project): history_of(NAMES.stream(project), (other.type, other.data))})
    assert settle_type(held, folded(begun()), draft) == ()
    assert settle_type(free, folded(begun(confidence=0.9)), draft) == ()
    assert settle_type(free, folded(begun()), Draft("c", "Redis", "person")) == ()
    assert len(settle_type(free, folded(begun()), Draft("c", "Redis", "technology"))) == 1


def test_reads_of_a_merged_entity_are_recorded_for_its_survivor() -> None:
    histories = Histories({**life("ent_1", begun(), INTO_2), **life("ent_2", begun()), **life("ent_3")})
    decision = record_reads(histories, [("ent_1", 2, Micros(50)), ("ent_2", 3, Micros(40)), ("ent_3", 1, Micros(60))])
    (recorded,) = decision.value
    assert (recorded.entity_id, recorded.version, recorded.count, recorded.last) == ("ent_2", 2, 5, 50)
    assert facts_in(decision.changes) == [(ACCESSED, {"count": 5, "last": 50})]


@pytest.mark.parametrize(("outcome", "utility"), [(1.0, 0.55), (-1.0, 0.45), (0.0, 0.5)])
def test_an_outcome_moves_utility_a_tenth_of_the_way_once(outcome: float, utility: float) -> None:
    decision = reward(Histories(dict(life("ent_1", begun()))), ["ent_1", "ent_1"], outcome, "c")
    ((_, data),) = facts_in(decision.changes)
    assert data["utility"] == pytest.approx(utility)
    with pytest.raises(UnknownEntity):
        reward(Histories(dict(life("ent_1", begun()))), ["ent_1"], outcome, "other")
