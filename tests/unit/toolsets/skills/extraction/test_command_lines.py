"""Lines that are commands without a prompt."""

import pytest

from toolsets.skills.extraction.command_lines import instructs, is_command, listed_commands, names_program


@pytest.mark.parametrize(
    "line",
    [
        "sudo apt update",
        "systemctl restart nginx",
        "  cd /opt/app",
        "mytool --dry-run input",
        "Get-Service -Name Spooler",
        "apt-mark hold linux-image",
        "sudo mytool status",
        "frobnicate /etc/a.conf b=c",
        "./install.sh -y",
        "update-grub --verbose",
        "ip a",
        "ip a show eth0",
        "java -jar a.jar",
        "make install",
    ],
)
def test_a_command_is_known_by_its_program_options_or_arguments(line: str) -> None:
    assert is_command(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Restart the server",
        "make sure that it is on",
        "ping the server if it hangs",
        "make a copy of it",
        "open the file a.conf",
        "then run it --fast",
        "service is down?",
        "click save",
        "it is in /etc/a.conf",
        "sudo " + "x " * 400,
    ],
)
def test_a_line_of_prose_is_none(line: str) -> None:
    assert not is_command(line)


@pytest.mark.parametrize(
    ("word", "program"),
    [("apt-mark", True), ("update-grub", True), ("systemctl", True), ("well-known", False), ("open", False)],
)
def test_a_word_is_the_name_of_a_program(word: str, program: bool) -> None:
    assert names_program(word) is program


def test_two_lines_or_more_below_a_colon_are_commands() -> None:
    lines = ["Run this:", "frob x", "frob y", "Then wait.", "One:", "frob z", "Do:", "click save", "press ok"]
    assert listed_commands(lines) == {1, 2}
    assert listed_commands([]) == frozenset()


def test_an_instruction_in_lower_case_is_no_command() -> None:
    assert instructs("click save")
    assert not instructs("mount /dev/sda1 /mnt")
    assert not instructs("frob a")


@pytest.mark.parametrize(
    "text",
    [
        "apt update says the repository has no Release file since today, on buster",
        "docker ps shows no containers since the update",
        "git log lists nothing of the last week",
    ],
)
def test_a_sentence_about_a_command_is_none(text: str) -> None:
    assert not is_command(text)


@pytest.mark.parametrize(
    "text",
    [
        "docker images prune",
        "git commit -m 'the page shows a title'",
        "systemctl restart cups",
        "kubectl get pods -n the-space",
        "git tags list",
    ],
)
def test_a_command_with_a_word_like_a_verb_is_one(text: str) -> None:
    assert is_command(text)
