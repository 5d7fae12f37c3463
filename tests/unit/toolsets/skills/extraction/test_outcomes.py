"""Outcomes: what replies say of what was tried, and which steps a conversation is left with."""

import tomllib
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from toolsets.skills.extraction import steps_of
from toolsets.skills.extraction.offline import extract
from toolsets.skills.extraction.outcomes import outcome_of


class Dialogue(BaseModel):
    """A conversation, and the steps of the skill that it teaches."""

    turns: list[str]
    steps: list[str]


class Samples(BaseModel):
    """Replies by what they say, and dialogues."""

    failed: list[str]
    worked: list[str]
    none: list[str]
    dialogue: list[Dialogue]


SAMPLES = Samples.model_validate(tomllib.loads(Path(__file__).with_name("outcomes.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("said", "outcome"),
    [*((said, "failed") for said in SAMPLES.failed), *((said, "worked") for said in SAMPLES.worked)],
)
def test_a_reply_says_whether_it_worked(said: str, outcome: Literal["failed", "worked"]) -> None:
    assert outcome_of(said) == outcome


@pytest.mark.parametrize("said", SAMPLES.none)
def test_a_reply_may_say_nothing_of_it(said: str) -> None:
    assert outcome_of(said) in {"none", "thanks"}


@pytest.mark.parametrize("dialogue", SAMPLES.dialogue, ids=lambda dialogue: dialogue.turns[-1])
def test_steps_that_failed_are_dropped(dialogue: Dialogue) -> None:
    skill = extract("\n".join(dialogue.turns), metadata={})
    assert list(steps_of(skill.resolution)) == dialogue.steps


def test_the_last_word_counts() -> None:
    assert outcome_of("It works!\nEdit: it crashed again.") == "failed"
    assert outcome_of("It crashed again.\nUpdate: solved, it was the cable.") == "worked"
    assert outcome_of("Thanks a lot.") == "thanks"


def test_of_a_sentence_with_very_many_clauses_the_last_ones_are_judged() -> None:
    listed = ", ".join(["the lamp"] * 60)
    assert outcome_of(f"It did not work, {listed}") == "none"
    assert outcome_of(f"{listed}, it did not work") == "failed"
