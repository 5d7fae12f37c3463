"""The guide for authors of toolsets: what it shows runs as it stands there."""

import json
import os
import re

import pytest

from contracts.warm import PACKAGES
from tests.e2e.probe import ROOT, Home, at, lines, modern_call

GUIDE = (ROOT / "docs" / "toolsets" / "writing.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the guide's one block of code in a language that contains a text."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    (found,) = [each for each in blocks if containing in each]
    return found


@pytest.fixture
def path(home: Home) -> str:
    """Install the guide's toolset in a folder of its own, as a distribution would; return where Python finds it."""
    site = home.folder / "site"
    metadata = site / "notes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "my_notes.py").write_text(block("python", "def entrepot_toolset"), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[entrepot.toolsets]\nnotes = my_notes\n", encoding="utf-8")
    assert 'notes = "my_notes"' in block("toml", "entry-points")
    home.configure(
        "".join(f"[toolsets.{name}]\nenabled = false\n" for name in ("agent_graph", "knowledge", "memory"))
        + block("toml", "[toolsets.notes]")
    )
    return os.pathsep.join([str(PACKAGES), str(site)])


def test_the_guides_toolset_keeps_and_returns_notes(home: Home, path: str) -> None:
    first = home.run("call", "remember", "text=buy milk", PYTHONPATH=path)
    assert first.stdout.startswith("Remembered."), first.stderr
    later = home.run(
        "serve",
        stdin=lines([modern_call(1, "recall"), modern_call(2, "remember", {"text": "x" * 201})]),
        PYTHONPATH=path,
    )
    replies = {at(each, "id"): at(each, "result") for each in map(json.loads, later.stdout.splitlines())}
    assert at(replies[1], "structuredContent", "notes") == ["buy milk"]
    assert at(replies[2], "isError") is True
    assert at(replies[2], "structuredContent", "message") == "A note has at most 200 characters."
