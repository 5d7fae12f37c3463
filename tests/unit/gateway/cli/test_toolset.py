"""Commands that toolsets bring."""

import gc
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.commands import entrepot
from gateway.cli.options import CommonOptions
from gateway.cli.toolset import provided_commands
from gateway.errors import Refused
from tests.unit.gateway.test_plugins import distribution


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, in which there is no data directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(entrepot, ["--data-dir", "data", *words])


def test_a_command_may_be_named_with_its_toolset_or_without(folder: Path) -> None:
    (folder / "data").mkdir()
    for words in (("skills", "list"), ("list",)):
        ended = run(*words)
        assert (ended.exit_code, ended.output) == (0, "There are no skills.\n"), ended.output


def test_help_and_wrong_usage_need_no_data_directory(folder: Path) -> None:
    assert "list" in run("skills").output
    assert run("skills", "show", "--help").exit_code == 0
    assert run("skills", "show").exit_code == 2
    assert [*folder.iterdir()] == []


def test_a_command_that_runs_needs_the_data_directory() -> None:
    ended = run("skills", "list")
    assert isinstance(ended.exception, Refused)
    assert "There is no data directory data" in str(ended.exception)
    gc.collect()  # a coroutine that never ran would be an error here


def test_a_toolset_named_like_a_shipped_command_does_not_take_it_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "data").mkdir()
    distribution(
        folder, "theirs", "[entrepot.toolsets]\nlist = theirs.plugin\n[entrepot.commands]\nsay = theirs.plugin\n"
    )
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    assert (run("list").exit_code, run("list").output) == (0, "There are no skills.\n")


def test_the_exit_code_is_that_of_the_command(folder: Path) -> None:
    (folder / "data").mkdir()
    assert run("skills", "show", "nothing").exit_code == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("serv",), "No such command 'serv'; did you mean serve?"),
        (("skils",), "No such command 'skils'; did you mean skills?"),
        (("ingst",), "did you mean ingest?"),
        (("zzzzzz",), "No such command 'zzzzzz'."),
        (("skills", "lst"), "No such command 'lst'"),
    ],
)
def test_an_unknown_command_is_answered_with_the_one_that_was_meant(words: tuple[str, ...], told: str) -> None:
    ended = run(*words)
    assert ended.exit_code == 2
    assert told in ended.output


@pytest.mark.parametrize(
    "group", ["knowledge", "memory", "skills", "agent_graph", "documents", "databases", "new", "config"]
)
def test_a_group_without_a_command_shows_its_help_and_is_wrong_usage(group: str) -> None:
    ended = run(group)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"Usage: entrepot {group} ")


def test_a_toolset_without_commands_says_so() -> None:
    assert "The toolset agent_graph has no commands" in " ".join(run("agent_graph").output.split())


def test_the_commands_of_the_enabled_toolsets_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "list and show (skills)" in provided_commands(CommonOptions(None, None, None))
    for name in ("CONCEPT_RAG", "KNOWLEDGE", "MEMORY", "SKILLS"):
        monkeypatch.setenv(f"ENTREPOT_TOOLSETS__{name}__ENABLED", "false")
    assert provided_commands(CommonOptions(None, None, None)) == "No enabled toolset has a command."
