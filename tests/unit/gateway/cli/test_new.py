"""What `entrepot new` writes."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.commands import entrepot
from gateway.errors import Refused


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*words: str) -> Result:
    return CliRunner().invoke(entrepot, ["new", *words])


@pytest.mark.parametrize("words", [("toolset", "acme"), ("adapter", "acme"), ("adapter", "acme", "--port", "graph")])
def test_every_file_that_is_written_is_printed_and_then_the_next_step(folder: Path, words: tuple[str, ...]) -> None:
    ended = new(*words)
    assert ended.exit_code == 0, ended.output
    *files, last = ended.output.splitlines()
    assert {*files} == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert last.startswith("Next: cd acme && pip install")


def test_another_directory_may_be_named(folder: Path) -> None:
    assert "Next: cd there" in new("toolset", "acme", "--into", "there").output
    assert (folder / "there" / "pyproject.toml").is_file()


def test_an_empty_directory_is_wrong_usage(folder: Path) -> None:
    ended = new("toolset", "acme", "--into", "")
    assert (ended.exit_code, "the path is empty" in ended.output, [*folder.iterdir()]) == (2, True, [])


@pytest.mark.parametrize("kind", ["toolset", "adapter"])
def test_what_cannot_be_a_name_is_wrong_usage(folder: Path, kind: str) -> None:
    ended = new(kind, "My-Notes")
    assert (ended.exit_code, "'My-Notes' is not a valid name" in ended.output, [*folder.iterdir()]) == (2, True, [])


@pytest.mark.parametrize(
    "words", [("toolset", "memory"), ("toolset", "check"), ("toolset", "documents"), ("adapter", "sqlite")]
)
def test_a_name_that_is_taken_is_refused(folder: Path, words: tuple[str, ...]) -> None:
    ended = new(*words)
    assert isinstance(ended.exception, Refused)
    assert f"called {words[1]}; choose another name" in str(ended.exception)
    assert [*folder.iterdir()] == []
