"""A skill comes back from its node as it went in, and its text says each thing once."""

from dataclasses import replace

from backends.ports.events import EventId, RecordedEvent
from backends.ports.values import Micros
from toolsets.lexical_scores import terms
from toolsets.skills.extraction import ExtractedSkill
from toolsets.skills.projections import BEGINNING, PROJECTOR, TEXTS, passage_of, skill_in
from toolsets.skills.skill import learn, skill_of
from toolsets.skills.streams import skill_stream

ID = "11111111-1111-4111-8111-111111111111"
TAUGHT = ExtractedSkill(
    "Blank pages",
    "The printer prints blank pages.",
    "1. Pull the tape off.\n2. Print a page.",
    ("Blank pages after new cartridges", "On Windows 11"),
    ("tape", "printer", "OfficeJet"),
    "printing",
    "bug",
    0.6,
)


def test_a_node_has_the_whole_document_and_the_passage_the_text() -> None:
    [change] = learn(ID, TAUGHT, confirmed=True).changes
    [fact] = change.facts
    stream = skill_stream(ID)
    history = (RecordedEvent(EventId("1"), stream, 1, 1, fact.type, fact.data, Micros(7), 1, {}),)
    projection = PROJECTOR.project(stream, history)
    [node], [passage] = projection.nodes, projection.passages
    assert skill_in(node) == skill_of(history)
    assert (passage.collection, passage.id, passage.text) == (TEXTS, ID, passage_of(TAUGHT))


def test_the_text_has_every_word_and_repeats_no_condition_and_no_keyword() -> None:
    text = passage_of(TAUGHT)
    assert text.splitlines()[:2] == ["Blank pages", "The printer prints blank pages."]
    assert text.splitlines()[4:] == ["Blank pages after new cartridges", "On Windows 11", "OfficeJet"]
    everything = " ".join((*TAUGHT.conditions, *TAUGHT.keywords, TAUGHT.resolution, TAUGHT.problem, TAUGHT.title))
    assert set(terms(text)) == set(terms(everything))


def test_a_long_resolution_is_told_at_its_beginning_and_then_by_its_new_words() -> None:
    steps = [f"{number}. Turn the screw of the cover marked part{number} to the left." for number in range(1, 31)]
    skill = replace(TAUGHT, resolution="\n".join(steps))
    text = passage_of(skill)
    assert text.startswith(f"Blank pages\nThe printer prints blank pages.\n{steps[0]}\n{steps[1]}\n")
    assert set(terms(skill.resolution)) <= set(terms(text))
    assert text.count("screw") < 10
    assert text.splitlines()[-1].split()[-1] == "part30"


def test_a_resolution_without_a_blank_is_divided_anywhere() -> None:
    text = passage_of(replace(TAUGHT, resolution="x" * 2_000))
    assert "x" * BEGINNING in text.splitlines()
