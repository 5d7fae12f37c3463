"""What `entrepot check` prints."""

from collections.abc import Mapping

import click
import pytest
from click.testing import CliRunner

from backends.ports.adapter import Health
from config.settings import Settings
from gateway.check import Report
from gateway.cli import check
from toolsets.spec import ToolsetHealth


def printed(monkeypatch: pytest.MonkeyPatch, toolsets: Mapping[str, ToolsetHealth]) -> tuple[int, str]:
    """Return exit code and output for stores that are well and these toolsets."""
    stores = {"main": Health(ok=True, detail="a\x1b[2Jb", versions={"sqlite": "3"})}

    async def report(_: Settings) -> Report:
        return Report("1", "/data", (), stores, {"main": "sqlite"}, {"main": {}}, toolsets)

    monkeypatch.setattr(check, "check", report)
    group = click.Group("entrepot", {"check": check.command})
    ended = CliRunner().invoke(group, ["check"])
    return ended.exit_code, ended.output


def test_a_lag_is_told_in_words_also_where_it_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    late = ToolsetHealth(ok=False, lag=1, problems=("1 projection is pending, the oldest for 31 s",))
    toolsets = {"a": ToolsetHealth(ok=True), "b": late, "c": ToolsetHealth(ok=False, lag=None)}
    code, output = printed(monkeypatch, toolsets)
    assert code == 1
    assert "ok   toolset a: 0 projections pending" in output
    assert "BAD  toolset b: 1 projection pending\n     1 projection is pending, the oldest for 31 s\n" in output
    assert "BAD  toolset c: the number of pending projections is unknown" in output
    assert "None" not in output


def test_what_drivers_say_cannot_command_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok   store main (sqlite): a\\x1b[2Jb (sqlite 3)\n" in printed(monkeypatch, {})[1]
