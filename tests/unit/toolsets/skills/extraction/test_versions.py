"""Platforms and versions that a text names."""

import pytest

from toolsets.skills.extraction.versions import answered_in, contradicts, named_in, replied_in, updated_to


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It crashes on Windows 11.", ["Windows 11"]),
        ("It crashes on Ubuntu 22.04 LTS and in Firefox 120.", ["Ubuntu 22.04 LTS", "Firefox 120"]),
        ("Only on Android phones.", ["Android"]),
        ("I have version 3.4 of it.", ["version 3.4"]),
        ("Our Acme release 2.1 or later hangs.", ["Acme release 2.1 or later"]),
        ("Outlook asks for a password.", []),
        ("The file has Windows line ends.", []),
        ("It is encoded in Windows-1252.", []),
        ("Open View > Linux Kernels.", []),
        ("It is the same on Windows 10.", []),
        ("It fails in Chrome and Firefox.", []),
        ("It fails in Chrome and Firefox, but works in Safari 17.", ["Chrome", "Firefox", "Safari 17"]),
    ],
)
def test_a_platform_is_named_that_says_where_it_happens(text: str, names: list[str]) -> None:
    assert list(named_in([text])) == names


def test_of_a_list_of_an_environment_the_product_counts_and_what_a_helper_tells_of() -> None:
    listed = "Acme 3.2, Ubuntu 22.04, Python 3.11"
    assert list(named_in([listed])) == ["Acme 3.2"]
    assert list(named_in([listed], ["On Ubuntu, run apt."])) == ["Acme 3.2", "Ubuntu 22.04"]


def test_what_was_tried_in_another_browser_is_no_limit() -> None:
    assert list(named_in(["It hangs in Firefox 120.", "I also tried Chrome, same."])) == []


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("Huddlr was just updated to 6.0 yesterday.", ["Huddlr 6.0"]),
        ("We upgraded our Mailer from 2.0 to version 3.1.", ["Mailer 3.1"]),
        ("The firmware must be at least version 2.1.", ["The firmware must be at least version 2.1"]),
        ("both hubs have to be on firmware 2.1 or newer", ["Both hubs have to be on firmware 2.1 or newer"]),
        ("I updated it to 6.0.", []),
        ("The date was updated to Monday.", []),
    ],
)
def test_the_version_after_an_update_is_named_with_its_product(text: str, versions: list[str]) -> None:
    assert list(updated_to([text])) == versions


@pytest.mark.parametrize(
    ("asked", "said", "versions"),
    [
        (["Which firmware does it have?"], ["3.4.0"], ["Firmware 3.4.0"]),
        (["What version is it?"], ["Hello.", "it says v3.4."], ["Version 3.4"]),
        (["Which firmware does it have?"], ["3.4.0", "3.5.0"], []),
        (["Which firmware does it have?"], ["It has 3.4.0 and is blue."], []),
        (["Is it plugged in?"], ["3.4.0"], []),
        ([], ["3.4.0"], []),
    ],
)
def test_a_bare_version_answers_the_question_for_one(asked: list[str], said: list[str], versions: list[str]) -> None:
    assert list(answered_in(asked, said)) == versions


@pytest.mark.parametrize(
    ("question", "reply", "names"),
    [
        ("Which phone do you have?", "It's a samsung a54, Android 14", ["Samsung A54", "Android 14"]),
        ("What system do you use?", "windows 11, I think", ["Windows 11"]),
        ("Mac or Windows?", "mac, sonoma", ["macOS Sonoma"]),
        ("Which router is it?", "A FRITZ!Box, fw 7.57", ["Firmware 7.57"]),
        ("What is the error?", "Windows 11", []),
        ("Which browser do you use?", "Same in Firefox", []),
        ("Which step fails?", "iPhone 15", []),
    ],
)
def test_a_reply_names_what_it_was_asked_for(question: str, reply: str, names: list[str]) -> None:
    assert list(replied_in([(question, reply)])) == names


@pytest.mark.parametrize(
    ("condition", "said", "contradicted"),
    [
        ("Acme 5 or later", "I have Acme 4.2.", True),
        ("Acme 5 or later", "I have Acme 5.1.", False),
        ("Acme 5 or later", "I have Other 4.", False),
        ("Acme 5+", "Acme: 6", False),
        ("Up to Acme 5", "Acme 6 here", True),
        ("Until Acme 5.2", "Acme 5.2.1", False),
        ("Acme older than 5", "Acme 5", True),
        ("Acme older than 5", "Acme 4.9", False),
        ("Acme newer than 5", "Acme version 5", True),
        ("Only in Acme 5", "Acme 5.3", False),
        ("Only in Acme 5", "Acme 6", True),
        ("Only on Mondays", "Acme 6", False),
    ],
)
def test_a_condition_is_contradicted_by_another_version_of_the_same_thing(
    condition: str, said: str, contradicted: bool
) -> None:
    assert contradicts(condition, [said]) is contradicted


def test_one_of_several_versions_is_enough() -> None:
    assert not contradicts("Acme 5 or later", ["Acme 4", "Acme 6"])
    assert not contradicts("Acme 5 or later", [])
