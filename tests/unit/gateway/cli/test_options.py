"""The options that every command has."""

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from config.errors import ConfigError
from config.sources import load
from gateway.cli.options import CommonOptions, common_options, sets_log_level


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, without a configuration file."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("ENTREPOT_")]:
        monkeypatch.delenv(name)
    return tmp_path


@click.group()
@common_options
def outer() -> None:
    """Run a command."""


@outer.command()
@common_options
def inner() -> None:
    """Print the options."""
    options = CommonOptions.current()
    click.echo(" ".join(options.arguments()))
    options.check_unused("--config", reason="nothing is configured")


def run(*words: str) -> Result:
    return CliRunner().invoke(outer, words)


def test_an_option_may_be_before_or_after_the_name_and_the_nearer_one_counts() -> None:
    assert run("--profile", "a", "inner", "--data-dir", "d").output == "--profile a --data-dir d\n"
    assert run("--profile", "a", "--data-dir", "d", "inner", "--profile", "b").output == "--profile b --data-dir d\n"
    assert run("inner").output == "\n"


@pytest.mark.parametrize("flag", ["--data-dir", "--config"])
def test_an_empty_path_is_wrong_usage(flag: str) -> None:
    ended = run("inner", flag, "")
    assert (ended.exit_code, "the path is empty" in ended.output) == (2, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (CommonOptions("embeded", None, None), "no profile is called 'embeded'; did you mean embedded?"),
        (CommonOptions(None, Path("nope.toml"), None), "there is no file nope.toml"),
        (CommonOptions(None, Path(), None), "there is no file ."),
    ],
)
def test_a_profile_or_file_that_does_not_exist_is_wrong_usage(options: CommonOptions, told: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        options.load()
    assert caught.value.message.startswith(told)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[server]\nport = 99999\n", "entrepot.toml: server.port should be less than or equal to 65535."),
        ("[server]\nport = 'x'\n", "entrepot.toml: server.port should be an integer."),
        ("[server]\nhost = ''\n", "entrepot.toml: server.host should have at least 1 character."),
        ("[server]\ntransport = 'smoke'\n", "entrepot.toml: server.transport should be 'stdio' or 'http'."),
        ("[stores.Bad-Name]\nkind = 'y'\n", "entrepot.toml: stores.Bad-Name should match pattern '^[a-z]"),
        (
            "[server]\ntoken = ' '\n",
            "entrepot.toml: server.token is wrong: must be printable ASCII without blanks around it, and not empty.",
        ),
        ("[server]\nallowed_origins = ['box']\n", "server.allowed_origins.0 is wrong: must be `scheme://name`"),
        (
            "data_dir = ''\n",
            "entrepot.toml: data_dir is wrong: must not be empty, which would mean the current directory.",
        ),
        ("[stores.x]\nfile = 'y'\n", "The configuration is not consistent: stores.x needs a `kind`"),
    ],
)
def test_a_wrong_value_is_refused_in_the_words_used_for_stores_and_toolsets(
    folder: Path, text: str, sentence: str
) -> None:
    (folder / "entrepot.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        CommonOptions(None, None, None).load()
    assert sentence in str(caught.value)
    assert "Input" not in str(caught.value)


def test_an_option_without_effect_is_wrong_usage() -> None:
    ended = run("inner", "--config", "c", "--profile", "p")
    assert ended.exit_code == 2
    assert "--config would have no effect: nothing is configured." in ended.output


def test_settings_are_loaded_from_the_place_and_a_commands_flags_win(folder: Path) -> None:
    (folder / "own.toml").write_text("[server]\nport = 1\nhost = 'a'\n", encoding="utf-8")
    options = CommonOptions(None, folder / "own.toml", folder / "data")
    settings = options.load({"server.port": 2}).settings
    assert (settings.server.port, settings.server.host, settings.data_dir) == (2, "a", folder / "data")


def test_the_level_of_the_log_is_set_by_a_source_or_by_default(folder: Path) -> None:
    assert not sets_log_level(load())
    (folder / "entrepot.toml").write_text("[log]\nlevel = 'info'\n", encoding="utf-8")
    assert sets_log_level(load())
