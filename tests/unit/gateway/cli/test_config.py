"""What `entrepot config explain` prints."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.config import command


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explained(*words: str) -> Result:
    return CliRunner().invoke(command, ["explain", *words])


def test_each_setting_is_a_line_with_its_value_and_its_source(folder: Path) -> None:
    (folder / "entrepot.toml").write_text("[server]\nport = 9000\ntoken = 's3cret'\n", encoding="utf-8")
    ended = explained()
    assert ended.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in ended.output.splitlines()}
    assert rows["server.port"] == ["9000", "entrepot.toml"]
    assert "s3cret" not in ended.output
    values = {each["key"]: each for each in json.loads(explained("--json").stdout)}
    assert values.keys() == rows.keys()
    assert values["server.port"] == {"key": "server.port", "value": 9000, "source": "entrepot.toml"}


def test_a_problem_is_printed_below_what_could_be_explained(folder: Path) -> None:
    (folder / "entrepot.toml").write_text("[stores.embedded]\nkind = 'sqlte'\n", encoding="utf-8")
    ended = explained()
    assert ended.exit_code == 1
    assert "sqlte" in ended.stderr
    assert "server.port" in ended.stdout
