"""Corrections change what they are about, and nothing else."""

import pytest

from toolsets.skills.extraction.corrections import with_corrections
from toolsets.skills.extraction.offline import extract


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Lift it. Hold it for 10 s. Sorry, I meant 4 seconds.", "Lift it. Hold it for 4 seconds."),
        (
            "Set the 5 GHz channel to 36. Correction: it should be channel 44, 36 is taken.",
            "Set the 5 GHz channel to 44.",
        ),
        ("Set `port = 5432` first. Oops, I meant port 5433.", "Set `port = 5433` first."),
        ("Set the port to 8080 and save. Correction: port 8081.", "Set the port to 8081 and save."),
        ("Mount /dev/sda1 now. Correction: /dev/sdb1.", "Mount /dev/sdb1 now."),
        ("Hold it for 10 s.\nSorry, I meant 4 s. Then wait.", "Hold it for 4 s. Then wait."),
        ("Use port 2 here. Oops, I meant port 3, not port 2.", "Use port 3 here."),
        ("Press the green button twice. Sorry, I meant the red button.", "Press the red button twice."),
        ("Open the lid. Sorry, I meant close the drawer.", "Close the drawer."),
    ],
)
def test_a_correction_changes_the_sentence_before(said: str, meant: str) -> None:
    assert with_corrections(said) == meant


@pytest.mark.parametrize("said", ["Set 5 and 6. Sorry, I meant 7.", "Open it. I meant it.", "Sorry, I meant 4 s."])
def test_an_unclear_correction_stays(said: str) -> None:
    assert with_corrections(said) == said


def learned(*turns: str) -> str:
    """Return the resolution of a conversation that the customer confirms; its turns begin with the agent's second message."""
    told = "\n".join((*turns, "Customer: That helped, it works now. Thanks!"))
    return extract(f"Customer: The scans are too large.\n{told}", metadata={}).resolution


@pytest.mark.parametrize(
    "correction",
    [
        "Correction: 300 dpi, not 600 dpi.",
        "Correction: it should be 300.",
        "typo: 300 dpi",
        "*300 dpi",
        "300 dpi*",
        "300 dpi, not 600 dpi.",
        "I meant 300 dpi instead of 600 dpi",
        "Sorry, I meant 300 dpi, not 600.",
        "Sorry, I meant 300, not 600 dpi, so that it fits.",
        "Sorry, it should be 300 dpi rather than 600 dpi.",
        "Oops, wrong value - please use 300 dpi.",
        "Edit: 300 dpi",
        "Typo in step 2: 300 dpi",
        "Correction: s/600/300/",
        "Sorry, small correction: set it to 300 dpi, not 600 dpi.",
        "My mistake, not 600 dpi but 300 dpi.",
    ],
)
@pytest.mark.parametrize("between", ["", "Customer: ok\n"])
def test_a_value_is_corrected_where_it_stands(correction: str, between: str) -> None:
    told = learned(
        f"Agent: Open Scan > Settings. Set the resolution to 600 dpi. Save it.\n{between}Agent: {correction}"
    )
    assert told == "1. Open Scan > Settings.\n2. Set the resolution to 300 dpi.\n3. Save it."


@pytest.mark.parametrize(
    ("said", "correction", "meant"),
    [
        (
            "Run mkfs /dev/sda. Mount /dev/sda1.",
            "Correction: /dev/sdb, not /dev/sda.",
            "1. Run mkfs /dev/sdb.\n2. Mount /dev/sda1.",
        ),
        ("Use port 465 here.", "*587", "Use port 587 here."),
        ("Choose channel 36.", "Correction: channel 44, not 36.", "Choose channel 44."),
        (
            "Set channel 36 and channel 6.",
            "Correction: it should be channel 44, 36 is taken.",
            "Set channel 44 and channel 6.",
        ),
        ("Wait for 10 s. Lift it.", "Sorry, I meant 4 seconds.", "1. Wait for 4 seconds.\n2. Lift it."),
        ("Press the upper button.", "Oops, I meant the lower button, not the upper button.", "Press the lower button."),
        (
            "Run `ls -l`. Run `cat a`.",
            "Sorry, it should be `cat -n a`, not `cat a`.",
            "1. Run `ls -l`.\n2. Run `cat -n a`.",
        ),
    ],
)
def test_a_correction_changes_what_it_names(said: str, correction: str, meant: str) -> None:
    assert learned(f"Agent: {said}\nCustomer: ok\nAgent: {correction}") == meant


def test_a_setting_in_a_block_is_corrected() -> None:
    block = "Put this into my.cnf:\n```\n[mysqld]\nmax_allowed_packet = 46M\n```\nRestart mysql."
    told = learned(f"Agent: {block}\nAgent: Sorry, I meant 64M, not 46M.")
    assert told == "1. Put this into my.cnf:\n   [mysqld]\n   max_allowed_packet = 64M\n2. Restart mysql."


@pytest.mark.parametrize(
    "correction",
    ["Wear gloves first.", "The lid is called cover on old models.", "Use 5 g.", "It should be another one, not 9."],
)
@pytest.mark.parametrize("between", ["", "Customer: ok\n"])
def test_an_unclear_correction_is_kept_after_the_steps(correction: str, between: str) -> None:
    steps = "1. Open the lid.\n2. Turn the wheel 2 times.\n3. Wait 2 minutes."
    told = learned(f"Agent: Reset it.\nCustomer: It failed.\nAgent:\n{steps}\n{between}Agent: Correction: {correction}")
    assert told == f"{steps}\n4. Correction: {correction}"


@pytest.mark.parametrize("between", ["ok", "ok, but the error is back"])
@pytest.mark.parametrize(
    "correction",
    [
        "My mistake, sorry: 85 degrees is for the older boiler. On yours it must be 93 degrees.",
        "Apologies, my mistake: 85 degrees is only for the older boiler, on your model the value should be 93 degrees.",
        "Correction: 93 degrees, not 85 degrees.",
    ],
)
def test_a_value_of_something_else_is_corrected(correction: str, between: str) -> None:
    told = "Agent: Open the menu.\nAgent: Set the boiler to 85 degrees."
    assert (
        learned(f"{told}\nCustomer: {between}\nAgent: {correction}")
        == "1. Open the menu.\n2. Set the boiler to 93 degrees."
    )


def test_what_was_meant_replaces_what_failed() -> None:
    told = learned("Agent: Run mkfs /dev/sda.\nCustomer: It failed.\nAgent: Sorry, I meant /dev/sdb, not /dev/sda.")
    assert told == "Run mkfs /dev/sdb."


@pytest.mark.parametrize("between", ["It looks the same.", "ok, one moment"])
@pytest.mark.parametrize(
    "correction",
    [
        'Sorry, I mixed that up. Your file is old, so it must be "UTF-8" in that field, not "ANSI-2".',
        'My mistake. It has to be "UTF-8", not ANSI-2.',
        'My mistake, I confused two lists. New files need "UTF-8" and not "ANSI-2".',
        "Oh, I was wrong, sorry: it should be UTF-8 and not ANSI-2.",
        'Ah, I read it wrong. That was my mistake, it is the entry "UTF-8" that you need, not "ANSI-2".',
    ],
)
def test_a_mistake_that_is_explained_is_corrected(correction: str, between: str) -> None:
    told = learned(f'Agent: Choose "ANSI-2" as encoding.\nCustomer: {between}\nAgent: {correction} Then save it.')
    assert told == '1. Choose "UTF-8" as encoding.\n2. Save it.'


@pytest.mark.parametrize(
    "said", ["The light should be green, not red.", "It should be green now.", "Use the hand, not the foot."]
)
def test_an_explanation_corrects_nothing(said: str) -> None:
    steps = "1. Press the red button with the foot.\n2. Wait."
    assert learned(f"Agent:\n{steps}\nCustomer: ok\nAgent: {said}").startswith(steps)


@pytest.mark.parametrize("said", ["please do NOT delete the cache folder", "you must not delete the cache folder"])
def test_an_auxiliary_is_not_what_should_be_there_instead(said: str) -> None:
    told = f"Delete the cache folder and restart the app. Correction: {said}."
    assert with_corrections(told) == told


@pytest.mark.parametrize(
    ("said", "between", "correction", "meant"),
    [
        (
            "Tilt it backwards by 45 degrees.",
            "Alone? It is heavy.",
            "Sorry, I have to correct myself: tilt it forwards, not backwards.",
            "Tilt it forwards by 45 degrees.",
        ),
        (
            "Change the port to 2022 and save.",
            "It failed.",
            "I apologise, I gave you the port of our test system. The port of the production\nsystem is 2222, not 2022.",
            "Change the port to 2222 and save.",
        ),
        ("Use port 2022 here.", "ok", "Sorry, my mistake. The production port is 2222, not 2022.", "Use port 2222 here."),
        ("Use port 2022 here.", "It failed.", "its 2222 not 2022 sorry", "Use port 2222 here."),
        ("Put MTU = 1420 into a.conf.", "ok", "Typo, sorry: it must be 1412 of course, not 1420.", "Put MTU = 1412 into a.conf."),
        (
            'Create the record "v=spf1 a:b.example -all" there.',
            "ok",
            "Correction regarding SPF: please use ~all instead of -all, because your newsletter comes from elsewhere.",
            'Create the record "v=spf1 a:b.example ~all" there.',
        ),
        ("Use port 2022 here.", "It failed.", "I apologise for the wrong port. The correct one is 2222.", "Use port 2222 here."),
        ("Hold it for 3 s.", "ok", "I made an error: not 3 s but 10 s.", "Hold it for 10 s."),
        ("Inflate it to 2.2 bar.", "Really?", "It is 2.5 bar on the estate, not 2.2.", "Inflate it to 2.5 bar."),
        ("Open the page /v3/x.", "ok", "Oh sorry! Use /v2/x instead of /v3/x for now.", "Open the page /v2/x."),
        (
            "Hold the button on the remote.",
            "ok",
            "My apologies, it's the one on the TV, not on the remote.",
            "Hold the button on the TV.",
        ),
        ("Press it twice.", "ok", "My mistake, it is three times, not twice.", "Press it three times."),
        ("Turn it to the left.", "ok", "Sorry! It has to go to the right, not to the left.", "Turn it to the right."),
        ("Open https://a.example/v1/x.", "ok", "I gave you the wrong path: it is /v2/x, not /v1/x.", "Open https://a.example/v2/x."),
        (
            "Copy it to /opt/old.",
            "There is none.",
            "Sorry, that was renamed. It is /opt/new now, not /opt/old, and restart the app.",
            "1. Copy it to /opt/new.\n2. Restart the app.",
        ),
    ],
)  # fmt: skip
def test_what_is_set_against_a_wrong_value_takes_its_place(
    said: str, between: str, correction: str, meant: str
) -> None:
    assert learned(f"Agent: {said}\nCustomer: {between}\nAgent: {correction}") == meant


def test_a_block_that_a_typo_is_in_stays_a_block() -> None:
    block = "Put this into the file on both sides:\n\n  MTU = 1420\n\nThen restart the tunnel."
    told = learned(f"Agent: {block}\nAgent: Typo, sorry: it must be 1412, not 1420.")
    assert told == "1. Put this into the file on both sides:\n   MTU = 1412\n2. Restart the tunnel."


def test_a_correction_without_a_plain_value_stays_beside_the_step() -> None:
    correction = "I need to correct that. The importer wants what it calls a pipe, not a semicolon."
    told = learned(f"Agent: Choose a semicolon as delimiter.\nCustomer: ok\nAgent: {correction}")
    assert told == "Choose a pipe as delimiter."
    told = learned(f"Agent: Put delimiter=; into a.cfg.\nCustomer: ok\nAgent: {correction}")
    assert told == (
        "1. Put delimiter=; into a.cfg.\n"
        "2. Correction: The importer wants what it calls a pipe, not a semicolon."
    )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "Sorry for the delay. The light must be red, not green.",
        "The light must be red, not green, before you go on.",
        "Sorry, it is not the green button that is broken.",
        "If it turns red instead of green, call us. Sorry that this takes so long.",
    ],
)
def test_a_contrast_without_a_mistake_corrects_nothing(said: str) -> None:
    told = learned(f"Agent: Press the green button.\nCustomer: ok\nAgent: {said}")
    assert told.startswith(("Press the green button.", "1. Press the green button."))
