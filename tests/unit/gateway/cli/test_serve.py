"""What `entrepot serve` starts."""

from collections.abc import Collection
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from config.settings import Settings
from gateway import server
from gateway.cli.serve import command

Started = list[tuple[Settings, Collection[str] | None]]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    """The settings and toolsets of the servers that are started."""
    found: Started = []

    async def serve(settings: Settings, only: Collection[str] | None = None) -> None:
        found.append((settings, only))

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.chdir(tmp_path)
    return found


def run(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_flags_are_settings_and_the_toolsets_are_named(started: Started) -> None:
    words = ("--transport", "http", "--host", "::1", "--port", "0", "--toolsets", " memory, skills ,")
    assert run(*words).exit_code == 0
    [(settings, only)] = started
    assert (settings.server.transport, settings.server.host, settings.server.port) == ("http", "::1", 0)
    assert only == ["memory", "skills"]


def test_without_flags_every_toolset_is_served_on_stdio(started: Started) -> None:
    assert run().exit_code == 0
    [(settings, only)] = started
    assert (settings.server.transport, only) == ("stdio", None)


@pytest.mark.parametrize(
    "words",
    [
        ("--toolsets", ""),
        ("--toolsets", " , "),
        ("--toolsets", "memory,nope"),
        ("--host", ""),
        ("--port", "65536"),
        ("--transport", "tcp"),
    ],
)
def test_wrong_usage_starts_nothing(started: Started, words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2
    assert started == []
