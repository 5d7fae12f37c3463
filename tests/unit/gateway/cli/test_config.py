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


@pytest.mark.parametrize(
    ("text", "row", "problem"),
    [
        ("[server]\nport = 'abc'\n", ["server.port", '"abc"', "entrepot.toml"], "entrepot.toml: server.port should be"),
        ("[server]\nprot = 1\n", ["server.prot", "1", "entrepot.toml"], "did you mean port?"),
        ("profile = 'embeded'\n", ["profile", '"embeded"', "entrepot.toml"], "There is no profile 'embeded'"),
        ("[defaults]\ngraph = 'x'\n", ["defaults.graph", '"x"', "entrepot.toml"], "there is no [stores.x]"),
    ],
)
def test_a_wrong_setting_is_shown_with_its_source_and_the_problem_last(
    folder: Path, text: str, row: list[str], problem: str
) -> None:
    (folder / "entrepot.toml").write_text(text, encoding="utf-8")
    ended = explained()
    assert ended.exit_code == 1
    assert row in [line.split() for line in ended.stdout.splitlines()]
    assert problem in ended.stderr
    assert row[0] in {each["key"] for each in json.loads(explained("--json").stdout)}


@pytest.mark.parametrize("wrong", ["[server]\ntokn = 's3cret'\n", ""])
def test_a_secret_under_a_misspelt_name_is_masked(folder: Path, wrong: str) -> None:
    text = f"{wrong}[stores.one]\nkind = 'openai_compatible'\napi_ky = 's3cret'\n[stores.two]\npasword = 's3cret'\nkind = 'x'\n"
    (folder / "entrepot.toml").write_text(text, encoding="utf-8")
    ended = explained()
    assert "s3cret" not in ended.output
    assert {"stores.one.api_ky", "stores.two.pasword"} <= {line.split()[0] for line in ended.stdout.splitlines()}


def test_a_wrong_variable_does_not_hide_what_the_file_sets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_SERVER__PROT", "1")
    (folder / "entrepot.toml").write_text("[server]\nport = 9000\n", encoding="utf-8")
    ended = explained()
    assert ended.exit_code == 1
    assert "ENTREPOT_SERVER__PROT" in ended.stderr
    assert ["server.port", "9000", "entrepot.toml"] in [line.split() for line in ended.stdout.splitlines()]


def test_secrets_are_masked_although_another_setting_is_wrong(folder: Path) -> None:
    (folder / "entrepot.toml").write_text(
        "[server]\nport = 'abc'\ntoken = { inner = 's3cret' }\n"
        "[stores.remote]\nkind = 'neo4j'\npassword = 's3cret'\nuri = 'bolt://neo4j:s3cret@host'\n"
        "[stores.pages]\nkind = 'postgres'\nuri = 'host=here password=s3cret'\n",
        encoding="utf-8",
    )
    ended = explained()
    assert "s3cret" not in ended.output
    rows = {line.split()[0] for line in ended.stdout.splitlines()}
    assert {"server.token.inner", "stores.remote.password", "stores.remote.uri", "stores.pages.uri"} <= rows


def test_the_problem_is_printed_with_secrets_masked_and_control_characters_escaped(folder: Path) -> None:
    (folder / "entrepot.toml").write_text('profile = "postgresql://me:s3cret@host/\\u001b[31mx"\n', encoding="utf-8")
    ended = explained()
    assert ended.exit_code == 1
    assert "There is no profile" in ended.stderr
    assert "s3cret" not in ended.output
    assert "\x1b" not in ended.stderr
