"""A skill is refined by what is new, loses nothing, and people are told what changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import anyio.to_thread
import numpy
import pytest
from numpy.typing import NDArray

from backends.engines import minilm
from backends.engines.minilm.model import MiniLM
from toolsets.skills.extraction import ExtractedSkill, numbered, steps_of
from toolsets.skills.extraction.outcomes import Outcome
from toolsets.skills.feedback import read_feedback
from toolsets.skills.refinement import refine
from toolsets.skills.reported_steps import case_of
from toolsets.skills.skill import Refinement

SAME = [
    ("Remove the old gasket.", "Please take out the old gasket."),
    ("Remove the orange cover.", "Take the orange protective cover off."),
    ("Check that the green light is on.", "Verify that the green light is on."),
    ("Disconnect the power cable.", "Unplug the power cable from the wall."),
    ("Restart the router.", "Reboot the router."),
    ("Clear the browser cache and cookies.", "Delete the cookies and the cache of the browser."),
    ("Open Settings > Network.", "Go to the network settings."),
    ("Update the driver to version 5.1.", "Install version 5.1 of the driver."),
    ("Unplug the printer and wait 30 seconds.", "Disconnect the printer for 30 seconds."),
    ("Reset your password from the login page.", "Use the login page to reset the password."),
    (
        "Create a new Outlook profile under Control Panel > Mail.",
        "Make a new mail profile for Outlook in the Control Panel.",
    ),
    (
        "Open the valve V2 behind the left cover, bleed the circuit until no air comes out, and fill it up to 1.5 bar.",
        "Open valve V2 behind the cover on the left, let the air out of the circuit and top it up to 1.5 bar.",
    ),
    ("Delete the old profile and create a new one.", "Remove the old profile, then make a new one."),
]
DIFFERENT = [
    ("Remove the dust filter.", "Clean the dust filter."),
    ("Open Settings > Network.", "Open Settings > Network > Proxy."),
    ("Check that the green light is on.", "Check that the red light is on."),
    ("Replace the drive belt.", "Tighten the drive belt."),
    ("Restart the router.", "Restart the computer."),
    ("Turn on the battery saver.", "Turn off the battery saver."),
    ("Enable the firewall.", "Disable the firewall."),
    ("Update the driver to version 5.1.", "Update the driver to version 6.0."),
    ("Unplug the printer.", "Clean the print head of the printer."),
    ("Install the firmware package.", "Install the driver package."),
    ("Add the user to the group.", "Remove the user from the group."),
    ("Delete the file.", "Do not delete the file."),
    ("Open the lid and clean the blade.", "Open the lid and oil the blade."),
    ("Bleed the pump until no air comes out.", "Bleed the pump until air comes out."),
]


@dataclass(frozen=True)
class Stored:
    resolution: str
    conditions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    confidence: float = 0.5
    problem: str = "p"


def taught(*steps: str, conditions: tuple[str, ...] = (), keywords: tuple[str, ...] = ()) -> ExtractedSkill:
    return ExtractedSkill("t", "p", numbered(steps), conditions, keywords, "general", "bug", 0.5)


async def embed(texts: Sequence[str]) -> NDArray[numpy.float32]:
    return await anyio.to_thread.run_sync(lambda: numpy.stack([_row(text) for text in texts]))


@cache
def _row(text: str) -> NDArray[numpy.float32]:
    return _model().embed(text)


@cache
def _model() -> MiniLM:
    return MiniLM(Path(minilm.__file__).parent)


async def by_words(texts: Sequence[str]) -> NDArray[numpy.float32]:
    """Return a row per text with a place for each word, so that equal words are equal meaning."""
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    places = {word: place for place, word in enumerate(sorted({word for each in words for word in each}))}
    rows = numpy.zeros((len(texts), max(1, len(places))), dtype=numpy.float32)
    for row, each in zip(rows, words, strict=True):
        for word in each:
            row[places[word]] = 1
    norms = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / numpy.maximum(norms, 1)).astype(numpy.float32)


async def refined(before: Stored, learned: ExtractedSkill | None, feedback: str = "") -> Refinement:
    return await refine(before, learned, feedback, by_words)


async def test_a_new_step_goes_behind_the_step_it_followed() -> None:
    before = Stored(numbered(["Open the lid.", "Pull the tape off.", "Close the lid."]))
    after = await refined(before, taught("Open the lid.", "Wait until the carriage stops.", "Pull the tape off."))
    assert steps_of(after.resolution) == (
        "Open the lid.",
        "Wait until the carriage stops.",
        "Pull the tape off.",
        "Close the lid.",
    )
    assert after.changes == ("Added the step “Wait until the carriage stops.”",)


async def test_a_new_step_before_a_known_one_stays_before_it() -> None:
    after = await refined(
        Stored(numbered(["Open the lid.", "Close the lid."])), taught("Unplug the printer.", "Open the lid.")
    )
    assert steps_of(after.resolution) == ("Unplug the printer.", "Open the lid.", "Close the lid.")


async def test_the_order_of_what_was_there_is_kept() -> None:
    before = Stored(numbered(["One fish.", "Two birds.", "Three cats."]))
    after = await refined(before, taught("Three cats.", "Four dogs.", "One fish.", "Five cows."))
    assert [step for step in steps_of(after.resolution) if step in before.resolution] == list(
        steps_of(before.resolution)
    )
    assert {"Four dogs.", "Five cows."} <= set(steps_of(after.resolution))


async def test_steps_with_nothing_in_common_are_another_way() -> None:
    after = await refined(Stored("Restart the router."), taught("Replace the cable.", "Test the port."))
    assert steps_of(after.resolution) == (
        "Restart the router.",
        "If that does not help: Replace the cable.",
        "Test the port.",
    )
    again = await refined(Stored(after.resolution), taught("Replace the cable.", "Test the port."))
    assert again.resolution == after.resolution


async def test_steps_that_are_divided_differently_are_known_in_parts() -> None:
    lump = "Remove the orange cover. Slide the green tab back and forth."
    before = Stored(numbered(["Shake the toner.", lump, "Close the lid."]))
    content = ("Take the orange protective cover off.", "Slide the green tab back and forth.", "Clean the drum.")
    after = await refine(before, taught(*content), "", embed)
    assert steps_of(after.resolution) == ("Shake the toner.", lump, "Clean the drum.", "Close the lid.")
    parted = Stored(numbered(["Remove the orange cover.", "Slide the green tab back and forth.", "Close the lid."]))
    after = await refine(parted, taught(f"{lump} Clean the drum.", "Close the lid."), "", embed)
    assert steps_of(after.resolution) == (*steps_of(parted.resolution)[:2], "Clean the drum.", "Close the lid.")


async def test_a_step_with_a_condition_of_its_own_keeps_it() -> None:
    step = "If it is the 2024 model, replace the hatch cover."
    after = await refined(
        Stored("Replace the gasket."), taught(step, conditions=("If it is the 2024 model", "On Tuesdays"))
    )
    assert steps_of(after.resolution) == ("Replace the gasket.", step)
    assert after.conditions == ("On Tuesdays",)


async def test_a_conversation_about_another_problem_adds_nothing() -> None:
    printer = Stored("Clean the drum.", problem="My printer prints grey stripes.", keywords=("printer",))
    vpn = replace(
        taught("Reinstall GlobalProtect 6.2.4.", keywords=("vpn",)), problem="The VPN asks for a certificate."
    )
    after = await refine(printer, vpn, "", embed)
    assert (after.resolution, after.keywords) == (printer.resolution, printer.keywords)
    assert after.changes == ("Added nothing from the conversation: it is about another problem.",)


async def test_conditions_and_keywords_are_added_and_none_is_dropped() -> None:
    before = Stored("Restart it.", ("On Windows 11",), ("printer", "tape"))
    learned = taught(
        "Restart it.", conditions=("on windows 11", "On macOS 14"), keywords=("printers", "spooler", "driver")
    )
    after = await refined(before, learned)
    assert after.conditions == ("On Windows 11", "On macOS 14")
    assert after.keywords == ("printer", "tape", "spooler", "driver")
    assert after.changes == ("Added the condition “On macOS 14”", "Added the keywords spooler, driver.")


@pytest.mark.parametrize(
    ("feedback", "confidence", "change"),
    [
        ("This worked, thanks!", 0.6, "Raised the confidence from 0.5 to 0.6."),
        ("That was wrong and misleading.", 0.3, "Lowered the confidence from 0.5 to 0.3."),
        (
            "Applied on Tuesday.",
            0.5,
            "Changed nothing: the skill already says all that the conversation and the feedback tell.",
        ),
    ],
)
async def test_feedback_moves_the_confidence(feedback: str, confidence: float, change: str) -> None:
    after = await refined(Stored("Restart it."), None, feedback)
    assert (after.confidence, after.changes) == (confidence, (change,))
    assert after.resolution == "Restart it."


async def test_without_feedback_the_end_of_the_conversation_counts() -> None:
    before = Stored("Restart it.")
    assert (await refine(before, None, "", by_words, outcome="worked")).confidence == 0.6
    assert (await refine(before, None, " ", by_words, outcome="failed")).confidence == 0.3
    assert (await refine(before, None, "wrong", by_words, outcome="worked")).judgement == "negative"


async def test_a_conversation_about_another_problem_leaves_the_confidence() -> None:
    espresso = Stored("Grind finer.", problem="My espresso machine makes no pressure.")
    hose = ExtractedSkill(
        "t", "My garden hose bursts at the tap.", "Turn the tap only halfway.", (), (), "general", "bug", 0.5
    )
    endings: tuple[tuple[str, Outcome], ...] = (("", "worked"), ("", "failed"), ("Worked great!", "none"))
    for feedback, outcome in endings:
        after = await refine(espresso, hose, feedback, embed, outcome=outcome)
        assert (after.confidence, after.judgement) == (0.5, "neutral")
        assert "Left the confidence as it is: the conversation is about another problem." in after.changes
    assert (await refine(espresso, hose, "This is wrong.", embed)).confidence == 0.3
    coffee = replace(hose, problem="The coffee machine makes lukewarm espresso.")
    assert (await refine(espresso, coffee, "", embed, outcome="worked")).confidence == 0.6


async def test_the_same_conversation_raises_the_confidence_once() -> None:
    learned = taught("Restart it.")
    after = await refine(Stored("Restart it."), learned, "It worked", by_words, repeated=True)
    assert after.confidence == 0.5
    assert after.changes == ("Left the confidence as it is: the same conversation was counted before.",)
    assert (await refine(Stored("Restart it."), learned, "It failed", by_words, repeated=True)).confidence == 0.3


async def test_confidence_stays_within_0_and_1() -> None:
    assert (await refined(Stored("x", confidence=0.95), None, "works")).confidence == 1.0
    assert (await refined(Stored("x", confidence=0.1), None, "wrong")).confidence == 0.0


async def test_a_conversation_that_says_the_same_changes_nothing() -> None:
    before = Stored(numbered(["Open the lid.", "Pull the tape off."]), ("On Windows 11",), ("tape",))
    after = await refined(
        before, taught("Open the lid.", "Pull the tape off.", conditions=("On Windows 11",), keywords=("tape",))
    )
    assert (after.resolution, after.conditions, after.keywords) == (
        before.resolution,
        before.conditions,
        before.keywords,
    )
    assert after.changes == (
        "Changed nothing: the skill already says all that the conversation and the feedback tell.",
    )


async def test_a_skill_has_at_most_30_steps() -> None:
    before = Stored(numbered([f"Step number {number} of {number}." for number in range(29)]))
    after = await refined(before, taught("Apples.", "Pears."))
    assert len(steps_of(after.resolution)) == 30
    assert "1 new step was left out, because a skill has at most 30 steps." in after.changes


async def test_a_full_skill_keeps_what_it_has() -> None:
    steps, conditions = (
        [f"Step number {number}." for number in range(30)],
        [f"On machine {number}" for number in range(20)],
    )
    learned = taught("Apples.", "Pears.", conditions=("When raining", "When snowing"))
    after = await refined(Stored(numbered(steps), tuple(conditions)), learned)
    assert (steps_of(after.resolution), after.conditions) == (tuple(steps), tuple(conditions))
    assert after.changes == (
        "2 new steps were left out, because a skill has at most 30 steps.",
        "2 new conditions were left out, because a skill has at most 20 conditions.",
    )


async def test_secrets_in_what_is_new_are_redacted() -> None:
    after = await refined(Stored("Restart it."), taught("Log in with password: hunter2 now."))
    assert "hunter2" not in after.resolution + "".join(after.changes)


async def test_paraphrases_are_the_same_step_and_opposites_are_not() -> None:
    """With the default embedder, whose cosines of opposites are as high as those of paraphrases."""
    for one, other in SAME:
        assert (await refine(Stored(one), taught(other), "", embed)).resolution == one
    for one, other in DIFFERENT:
        assert len(steps_of((await refine(Stored(one), taught(other), "", embed)).resolution)) == 2


async def test_a_command_that_differs_only_in_case_is_another_step() -> None:
    found = await refined(Stored("Run `ls -R`."), taught("Run `ls -r`."))
    assert "`ls -R`" in found.resolution
    assert "`ls -r`" in found.resolution


async def test_a_contradiction_is_named_and_raises_no_confidence() -> None:
    before = Stored(
        numbered(["Open the tray.", "Insert the paper with the printed side facing down.", "Close the tray."])
    )
    learned = taught("Open the tray.", "Insert the paper so that the printed side faces up.", "Close the tray.")
    after = await refine(before, learned, "", by_words, outcome="worked")
    assert set(steps_of(before.resolution)) < set(steps_of(after.resolution))
    assert (after.confidence, after.judgement) == (0.5, "neutral")
    assert after.changes == (
        "Added the step “Insert the paper so that the printed side faces up.”",
        "The new step “Insert the paper so that the printed side faces up.” contradicts the step “Insert the paper with the "
        "printed side facing down.”: both are kept, and somebody has to decide which one is right.",
        "Left the confidence as it is: a new step contradicts one of the skill.",
    )
    assert (await refine(before, learned, "This is wrong.", by_words)).confidence == 0.3


async def test_a_prohibition_of_a_step_is_named_even_as_an_alternative() -> None:
    after = await refine(Stored("Do not clean the print head."), taught("Clean the print head."), "It worked", by_words)
    assert after.confidence == 0.5
    assert (
        "The new step “Clean the print head.” contradicts the step “Do not clean the print head.”: both are kept, and "
        "somebody has to decide which one is right."
    ) in after.changes


async def test_opposite_steps_of_one_procedure_do_not_contradict() -> None:
    learned = taught("Turn the router off.", "Wait a minute.", "Turn the router on.")
    after = await refine(Stored("Turn the router off."), learned, "It worked", by_words)
    assert (after.confidence, [change for change in after.changes if "contradicts" in change]) == (0.6, [])
    procedure = Stored(numbered(["Turn the router off.", "Turn the router on."]))
    after = await refine(procedure, taught("Never turn the router off."), "It worked", by_words)
    assert (
        "The new step “Never turn the router off.” contradicts the step “Turn the router off.”: both are kept, and somebody "
        "has to decide which one is right."
    ) in after.changes


async def test_steps_of_another_case_are_introduced_by_it() -> None:
    """A clause with "when" of a conversation whose steps are all new is no limit of the whole skill."""
    limits = ("When reading it with read_sheet", "On Windows 11")
    after = await refined(Stored("Pass dtypes to read_csv."), taught("Use converters.", "Save it.", conditions=limits))
    assert steps_of(after.resolution) == (
        "Pass dtypes to read_csv.",
        "When reading it with read_sheet: Use converters.",
        "Save it.",
    )
    assert after.conditions == ("On Windows 11",)
    again = await refined(Stored(after.resolution, after.conditions), taught("Use converters.", "Save it."))
    assert again.resolution == after.resolution


async def test_feedback_may_tell_the_case_of_new_steps() -> None:
    feedback = "Did not help because the old phone was stolen, so I couldn't do step 1. Removing the lost phone did it."
    content = read_feedback(feedback)
    learned = taught("Log in, open Devices and click Remove lost phone.", "Tap Activate.")
    after = await refine(Stored("Tap Release on the old phone."), learned, feedback, by_words, content=content)
    assert steps_of(after.resolution) == (
        "Tap Release on the old phone.",
        "If the old phone is stolen: Log in, open Devices and click Remove lost phone.",
        "Tap Activate.",
    )
    assert not after.unused
    alone = await refine(Stored("Tap Release on the old phone."), None, feedback, by_words, content=content)
    assert steps_of(alone.resolution)[1:] == ("If the old phone is stolen, remove the lost phone.",)
    useless = "Did not help because the button was gone."
    nothing = await refine(Stored("Tap Release."), None, useless, by_words, content=read_feedback(useless))
    assert nothing.unused == (f"Added nothing from this part of the feedback: “{useless}”",)


@pytest.mark.parametrize(
    ("feedback", "case"),
    [
        ("Didn't help, the pump itself was broken and had to be replaced.", "If the pump itself is broken"),
        ("Didn't work for me: my fuse was blown.", "If your fuse is blown"),
        ("It did not help, the error was still there.", None),
        ("Did not help, the lamp was as dark as before.", None),
    ],
)
def test_the_case_may_follow_a_comma(feedback: str, case: str | None) -> None:
    assert case_of(feedback) == case


async def test_a_step_that_did_harm_is_kept_and_named() -> None:
    feedback = "Thumbs up, step 2 did it. Step 1 broke my numbers."
    before = Stored(numbered(["Set infer to 0.", "Set dtypes."]))
    after = await refine(before, None, feedback, by_words, content=read_feedback(feedback))
    assert after.resolution == before.resolution
    assert "Kept step 1, which the feedback says did harm: somebody has to decide whether it is right." in after.changes
