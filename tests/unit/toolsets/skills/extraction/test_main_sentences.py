"""The sentence of a problem that says most about it."""

import pytest

from toolsets.skills.extraction.main_sentences import main_sentence, says_no_more
from toolsets.skills.extraction.offline import extract


@pytest.mark.parametrize(
    ("told", "main"),
    [
        (["Our bills dont show the tax id.", "Accounting says they cant use them like this."], 0),
        (["The shop shows no prices.", "My colleagues say they cannot order like that."], 0),
        (["My dishwasher is broken.", "It shows E15 and the pump runs all the time."], 1),
        (["My washing machine is not working.", "The display shows F21 and it does not drain."], 1),
        (["My lamp does not work.", "I bought it in May."], 0),
        (["The names in the export are garbled.", "Can I get the file in that encoding from the till?"], 0),
        (["We moved to the new site.", "Can I get the file from the till?"], 1),
        (["The till is new.", "The display says they cannot be read."], 1),
    ],
)
def test_the_fault_is_the_main_sentence(told: list[str], main: int) -> None:
    assert main_sentence(told) == told[main]


@pytest.mark.parametrize(
    "text", ["My printer doesn't work anymore.", "the old lamp is broken", "Our site is down again."]
)
def test_a_sentence_may_only_say_that_a_thing_is_broken(text: str) -> None:
    assert says_no_more(text)


@pytest.mark.parametrize(
    "text", ["My printer doesn't print.", "The lamp is broken since I fell over it.", "It is broken."]
)
def test_a_sentence_may_say_more(text: str) -> None:
    assert not says_no_more(text)


def test_what_a_broken_thing_does_may_be_told_after_a_question() -> None:
    told = "Customer: my dishwasher is broken\nAgent: Which model is it?\nCustomer: SX 450, it shows E15\n"
    skill = extract(f"{told}Agent: Clean the filter.\nCustomer: works, thanks", metadata={})
    assert (skill.title, skill.problem) == ("SX 450, it shows E15", "My dishwasher is broken. SX 450, it shows E15.")


@pytest.mark.parametrize("call", ["hey anyone from logbook support?", "anyone there from Logbook?"])
def test_a_call_for_the_helper_is_neither_problem_nor_title(call: str) -> None:
    told = f"Customer: {call}\nCustomer: no reminders come any more\nAgent: Allow them in Settings.\nCustomer: works"
    skill = extract(told, metadata={})
    assert (skill.title, skill.problem) == ("No reminders come any more", "No reminders come any more.")
