"""What `entrepot check` finds, by the command itself."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from click.testing import CliRunner

from backends import registry
from backends.engines.minilm import adapter
from backends.engines.minilm.identity import MODEL, SHIPPED, VOCABULARY
from backends.ports.errors import StoreError, Unusable
from backends.registry import ENTRY_POINTS
from backends.stores import OpenStores
from config.secrets import MASK
from gateway.cli.commands import entrepot
from gateway.plugins import installed

ONLY_KNOWLEDGE = "".join(f"[toolsets.{name}]\nenabled = false\n" for name in installed() if name != "knowledge")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, whose configuration serves knowledge alone."""
    (tmp_path / "entrepot.toml").write_text(ONLY_KNOWLEDGE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(data: Path) -> tuple[int, str]:
    """Return exit code and output, on one line each."""
    data.mkdir(exist_ok=True)
    ended = CliRunner().invoke(entrepot, ["check", "--data-dir", str(data)])
    return ended.exit_code, ended.output


def with_one_bit_changed(folder: Path, name: str) -> None:
    """Put the model into a folder, one of its files with another bit in its middle."""
    for file in (MODEL, VOCABULARY):
        content = bytearray((SHIPPED.directory / file).read_bytes())
        content[len(content) // 2] ^= file == name
        (folder / file).write_bytes(content)


@pytest.mark.parametrize("name", [MODEL, VOCABULARY])
def test_a_shipped_model_or_vocabulary_with_other_bytes_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nearly every changed model still loads, and gives other vectors."""
    with_one_bit_changed(folder, name)
    monkeypatch.setattr(adapter, "SHIPPED", replace(SHIPPED, directory=folder))
    code, output = checked(folder / "data")
    assert code == 1
    assert f"BAD  store minilm (minilm): {folder / name} has been changed: its SHA-256 is " in output
    assert "reinstall Entrepot" in output


def test_what_a_store_says_of_itself_is_masked_also_when_it_is_damaged(folder: Path) -> None:
    data = folder / "token=s3cret"
    code, output = checked(data)
    assert (code, f"ok   store embedded (sqlite): {folder}/token={MASK}" in output) == (0, True)
    with closing(sqlite3.connect(data / "graph.db")) as connection, connection:
        connection.execute("CREATE TABLE nodes (x)")
    with (data / "graph.db").open("r+b") as file:
        file.seek(4_096)
        file.write(b"\xff" * 4_096)
    code, output = checked(data)
    [told] = [line for line in output.splitlines() if line.startswith("BAD  store embedded")]
    assert (code, "s3cret" in told, f"token={MASK}" in told) == (1, False, True)
    found = CliRunner().invoke(entrepot, ["check", "--json", "--data-dir", str(data)]).output
    assert "s3cret" not in str(json.loads(found)["stores"])


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('kind = "sqlite"\nmax_page = 3', "[stores.embedded]: option max_page: there is no such option"),
        ('kind = "broken"', "[stores.embedded]: the adapter 'broken' cannot be imported"),
    ],
)
def test_a_store_that_can_never_be_opened_is_explained_once_and_named_by_the_toolsets(
    folder: Path, monkeypatch: pytest.MonkeyPatch, table: str, problem: str
) -> None:
    def entry_points(**_: str) -> EntryPoints:
        return EntryPoints([EntryPoint("broken", "no_such_driver:ADAPTER", ENTRY_POINTS)])

    monkeypatch.setattr(registry, "entry_points", entry_points)
    (folder / "entrepot.toml").write_text(f"[stores.embedded]\n{table}\n", encoding="utf-8")
    code, output = checked(folder / "data")
    assert code == 1
    assert output.count(problem) == 1
    assert "does not answer" not in output
    lines = output.splitlines()
    for name in installed():
        at = lines.index(f"BAD  toolset {name}: the number of pending projections is unknown")
        beginning = "the list of databases cannot be read: " if name == "memory" else ""
        assert lines[at + 1] == f"     {beginning}its store embedded cannot be opened"
        assert not lines[at + 2 :] or lines[at + 2].startswith("BAD ")


def test_a_toolset_names_the_failed_store_that_it_uses_among_several_with_the_same_files(folder: Path) -> None:
    tables = "".join(f"[stores.{name}]\nkind = 'sqlite'\n" for name in ("first", "second"))
    defaults = "[defaults]\nevents = 'second'\ngraph = 'second'\nvectors = 'first'\n"
    wanted = "".join(
        f"[toolsets.{name}]\nenabled = {str(name in ('agent_graph', 'skills')).lower()}\n" for name in installed()
    )
    (folder / "entrepot.toml").write_text(defaults + tables + wanted, encoding="utf-8")
    (folder / "data").mkdir()
    (folder / "data" / "graph.db").write_bytes(b"no database" * 1_000)
    lines = checked(folder / "data")[1].splitlines()
    at = lines.index("BAD  toolset agent_graph: the number of pending projections is unknown")
    assert lines[at + 1] == "     its store second cannot be opened"


def test_a_failure_without_a_text_is_found_in_no_problem(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "graph.db").write_bytes(b"no database" * 1_000)

    def failures(_: OpenStores) -> dict[str, StoreError]:
        return {"embedded": Unusable("")}

    monkeypatch.setattr(OpenStores, "failures", failures)
    assert "its store embedded" not in checked(folder / "data")[1]
