"""What is learned from whole conversations, without a language model."""

from dataclasses import asdict
from pathlib import Path

import pytest

from tests.bench import answers
from tests.support.durations import is_linear
from tests.unit.toolsets.skills.samples import CONVERSATIONS, INJECTIONS, PLAIN, Conversation
from toolsets.skills.extraction import ISSUE_TYPES, steps_of
from toolsets.skills.extraction.offline import conversation_outcome, extract, redacted_transcript

SEARCHED = answers.written(Path(answers.__file__).with_name("conversations.toml"))


@pytest.mark.parametrize("sample", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
def test_what_is_learned_from_a_conversation(sample: Conversation) -> None:
    skill = extract(sample.text, metadata={})
    assert list(steps_of(skill.resolution)) == sample.steps
    assert skill.title == (sample.title or skill.title)
    assert skill.issue_type == (sample.issue_type or skill.issue_type)
    assert skill.product_area == (sample.product_area or skill.product_area)
    assert set(sample.conditions) <= set(skill.conditions)
    assert set(sample.keywords) <= set(skill.keywords)
    everything = str(asdict(skill)).casefold()
    assert [words for words in sample.absent if words.casefold() in everything] == []


@pytest.mark.parametrize("searched", SEARCHED, ids=[each.question for each in SEARCHED])
def test_each_conversation_of_the_search_benchmark_teaches_a_skill(searched: answers.Answered) -> None:
    assert steps_of(extract(searched.conversation, metadata={}).resolution)


@pytest.mark.parametrize("sample", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
def test_each_skill_is_fit_to_be_stored(sample: Conversation) -> None:
    skill = extract(sample.text, metadata={})
    assert 0 < len(skill.title) <= 100
    assert "\n" not in skill.title
    assert 0 < len(skill.problem) <= 1_000
    assert skill.issue_type in ISSUE_TYPES
    assert len(set(skill.keywords)) == len(skill.keywords) <= 10
    assert not any(condition.endswith(".") for condition in skill.conditions)
    assert skill.confidence == 0.5


def test_there_are_enough_conversations_and_attempts() -> None:
    assert len(CONVERSATIONS) >= 12
    assert len(INJECTIONS) >= 70


def test_a_confirmed_resolution_raises_the_confidence() -> None:
    assert extract(PLAIN, resolution_confirmed=True, metadata={}).confidence == pytest.approx(0.6)
    assert extract(PLAIN, metadata={}).confidence == 0.5


def test_secrets_reach_no_field() -> None:
    text = (
        "Ann: My mail program asks for my password hunter2 for ann@example.com on 81.2.69.142.\n"
        "Bob: What is your PIN?\nAnn: 4821\n"
        "Bob: Please open Settings > Accounts and enter the password: S3cret-Pass. Then call +1 415 555 2671.\n"
        "Ann: works now, thanks"
    )
    said = str(asdict(extract(text, metadata={"product": "card 4111 1111 1111 1111"})))
    secrets = ("hunter2", "ann@example.com", "81.2.69.142", "4821", "S3cret-Pass", "415 555", "4111")
    assert [secret for secret in secrets if secret in said] == []


@pytest.mark.parametrize(
    "piece",
    ["a ", "- a\n", "if a, ", "you can ", "1. ", "please ", "(", "restarting ", "Customer: it fails\nAgent: stop it\n"],
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    before = "Customer: It fails.\nAgent: Please restart it. "
    assert is_linear(lambda text: extract(text, metadata={}), piece, before=before, least_s=0.01)


def test_a_secret_of_the_conversation_is_not_in_the_subject() -> None:
    text = (
        "From: Ann <ann@example.com>\nSubject: Kestrel7 is refused as a login\n\nMy password is Kestrel7 and it fails.\n\n"
        "From: Bob <bob@example.com>\nSubject: Re: Kestrel7 is refused as a login\n\nPlease turn off Caps Lock."
    )
    assert "Kestrel7" not in str(asdict(extract(text, metadata={})))


def test_code_in_a_fence_after_the_label_is_the_resolution() -> None:
    text = "Customer: It fails with ```\nError 1\n```\nAgent: ```yaml\na: 1\n```\nCustomer: Works, thanks!"
    skill = extract(text, metadata={})
    assert (skill.problem, skill.resolution) == ("It fails with: Error 1", "a: 1")


def test_a_table_in_an_answer_keeps_its_rows() -> None:
    rows = "| Key | Value |\n|---|---|\n| a | 1 |\n| b | 2 |"
    text = f"Customer: It fails.\nAgent: Set these values in the file:\n\n{rows}\n\nCustomer: Works, thanks!"
    assert extract(text, metadata={}).resolution == f"Set these values in the file:\n{rows}"


@pytest.mark.parametrize("border", ["\n\n", "\n"])
@pytest.mark.parametrize("thanks", ["Thanks, that worked!", "Great, works now, thank you!"])
def test_thanks_at_the_end_of_a_text_without_speakers_are_no_step(border: str, thanks: str) -> None:
    text = border.join(("The printer does not print since the update.", "Restart the spooler.", thanks))
    assert extract(text, metadata={}).resolution == "Restart the spooler."


def test_a_conversation_has_failed_only_if_nothing_was_tried_after_the_failure() -> None:
    failed = "Customer: The labels are empty.\nAgent: Clear the cache of the labels.\nCustomer: That did not help.\n"
    assert conversation_outcome(redacted_transcript(failed)) == "failed"
    told = "Agent: Open the carrier profile and set Shipping point to LE02.\nCustomer: I redo those of today.\n"
    assert conversation_outcome(redacted_transcript(failed + told)) == "none"
    assert conversation_outcome(redacted_transcript(f"{failed}{told}Customer: It works now.")) == "worked"
