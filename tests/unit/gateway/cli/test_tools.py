"""What `entrepot tools` prints."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.tools import BYTES_PER_TOKEN, command
from gateway.plugins import installed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, whose configuration serves the skills alone."""
    off = "".join(f"[toolsets.{name}]\nenabled = false\n" for name in installed() if name != "skills")
    (tmp_path / "entrepot.toml").write_text(off, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(folder: Path, *words: str) -> Result:
    ended = CliRunner().invoke(command, ["--data-dir", str(folder / "data"), *words])
    assert ended.exit_code == 0, ended.output
    return ended


def test_json_is_what_clients_are_told(folder: Path) -> None:
    tools = json.loads(listed(folder, "--json").stdout)["tools"]
    assert [tool["name"] for tool in tools] == ["create_skill", "search_skills", "update_skill"]
    assert all({"title", "description", "inputSchema", "outputSchema", "annotations"} <= tool.keys() for tool in tools)
    assert not (folder / "data").exists()


def test_each_tool_is_a_line_with_what_it_does_and_then_their_size(folder: Path) -> None:
    *lines, last = listed(folder).output.splitlines()
    hints = {line.split()[0]: line.rsplit("  ", 1)[1] for line in lines}
    assert hints["search_skills"] == "read-only, idempotent"
    assert hints["create_skill"] == "adds"
    size = len(listed(folder, "--json").stdout.rstrip("\n").encode())
    assert last == f"3 tools; tools/list has {size:,} bytes, about {size // BYTES_PER_TOKEN:,} tokens"
