"""The environment as a table of settings."""

from pathlib import Path

import pytest

from config.environment import variables
from config.errors import ConfigError
from config.sources import load


def test_a_list_in_a_variable_that_is_no_json_is_named_with_its_form(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENTREPOT_SERVER__PORT", "9000")
    monkeypatch.setenv("ENTREPOT_SERVER__ALLOWED_HOSTS", "a,b")
    with pytest.raises(ConfigError, match=r'ENTREPOT_SERVER__ALLOWED_HOSTS, but lists .* as JSON, .*\["one", "two"\]'):
        load()
    monkeypatch.setenv("ENTREPOT_SERVER__ALLOWED_HOSTS", '["a", "b"]')
    assert load().settings.server.allowed_hosts == ("a", "b")


def test_a_variable_has_its_place_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_PROFILE", "embedded")
    monkeypatch.setenv("entrepot_server__port", "9000")
    monkeypatch.setenv("ENTREPOT_STORES__MINE__KIND", "sqlite")
    monkeypatch.setenv("ENTREPOT_LOG", '{"level": "debug"}')
    monkeypatch.setenv("ENTREPOT_DATA_DIR", "")
    found = variables()
    assert found["profile"] == "embedded"
    assert found["server"] == {"port": "9000"}
    assert found["stores"] == {"mine": {"kind": "sqlite"}}
    assert found["log"] == {"level": "debug"}
    assert "data_dir" not in found, "an empty variable sets nothing"


def test_each_variable_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_SERVER__ALLOWED_HOSTS", "a,b")
    monkeypatch.setenv("ENTREPOT_SERVER__ALLOWED_ORIGINS", "https://a")
    monkeypatch.setenv("ENTREPOT_SERVER__PORT", "9000")
    with pytest.raises(ConfigError) as caught:
        variables()
    for name in ("ENTREPOT_SERVER__ALLOWED_HOSTS", "ENTREPOT_SERVER__ALLOWED_ORIGINS"):
        assert name in str(caught.value)
    assert "PORT " not in str(caught.value)
