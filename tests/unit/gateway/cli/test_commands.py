"""The help of `entrepot` itself, and the options that every command has."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gateway.cli.commands import COMMANDS, entrepot, run
from toolsets.concept_rag.commands.documents import documents
from toolsets.concept_rag.commands.ingest import ingest
from toolsets.knowledge.commands import restore
from toolsets.memory.commands import databases
from toolsets.skills.commands import list_skills, show_skill


def told() -> str:
    """Return the help on one line."""
    return " ".join(CliRunner().invoke(entrepot, ["--help"]).output.split())


def test_the_help_names_the_commands_of_the_enabled_toolsets(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = told().partition("Commands of the enabled toolsets:")[2]
    for toolset, commands in {
        "concept_rag": (documents, ingest),
        "knowledge": (restore,),
        "memory": (databases,),
        "skills": (list_skills, show_skill),
    }.items():
        names = " and ".join(str(command.name) for command in commands)
        assert f"{names} ({toolset})" in brought
    assert "agent_graph" not in brought, "it has none"
    monkeypatch.setenv("ENTREPOT_TOOLSETS__SKILLS__ENABLED", "false")
    assert "(skills)" not in told()


def test_the_help_is_there_where_the_configuration_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_PROFILE", "embeded")
    assert "There is no profile 'embeded'; did you mean embedded?" in told()


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and those below it, with the words that reach them."""
    yield name, command
    if isinstance(command, click.Group):
        for below, each in command.commands.items():
            yield from commands(f"{name} {below}", each)


@pytest.mark.parametrize("built_in", COMMANDS)
def test_every_command_has_the_options_of_place_and_tells_of_them(built_in: str) -> None:
    command = entrepot.get_command(click.Context(entrepot), built_in)
    assert command is not None
    for words, each in commands(built_in, command):
        shown = CliRunner().invoke(entrepot, [*words.split(), "--help"]).output
        flags = {flag for parameter in each.params for flag in parameter.opts}
        assert {"--profile", "--config", "--data-dir"} <= flags, words
        assert "--data-dir DIR" in shown, words


@pytest.mark.parametrize("words", ["concept_rag", "ingest", "concept_rag documents", "documents list", "skills show"])
def test_the_help_of_a_toolsets_command_tells_of_the_options_of_place(words: str) -> None:
    shown = CliRunner().invoke(entrepot, [*words.split(), "--help"]).output
    assert shown.count("--data-dir DIR") == shown.count("--config FILE") == shown.count("--profile NAME") == 1, shown


@pytest.mark.parametrize("words", ["--data-dir x new adapter", "new --data-dir x adapter", "new adapter --data-dir x"])
def test_a_skeleton_is_written_wherever_the_options_of_place_are(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a script gives them to each of its commands."""
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(entrepot, [*words.split(), "acme"])
    assert (ended.exit_code, [path.name for path in tmp_path.iterdir()]) == (0, ["acme"]), ended.output


@pytest.mark.parametrize("words", ["documents show", "documents forget", "skills show a --version", "serve --port"])
def test_a_word_in_the_place_of_a_number_is_refused_in_a_plain_sentence(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["entrepot", *words.split(), "nope"])
    assert run() == 2
    assert "'nope' is not a whole number." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("srve", "No such command 'srve'; did you mean serve?"),
        ("config explian", "No such command 'explian'; did you mean explain?"),
        ("skills lst", "No such command 'lst'; did you mean list?"),
        ("config explain --jsn", "No such option '--jsn'; did you mean --json?"),
        ("serve --prt 1", "No such option '--prt'; did you mean --port?"),
        ("config zzzzzz", "No such command 'zzzzzz'."),
    ],
)
def test_what_was_meant_is_suggested_in_the_same_words_at_every_level(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["entrepot", *line.split()])
    assert run() == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"Error: {told}"
