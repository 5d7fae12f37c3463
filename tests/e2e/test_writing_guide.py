"""The guide for authors of toolsets: what it shows runs as it stands there."""

import json
import re
from collections.abc import Callable

import pytest

from tests.e2e.probe import ROOT, Ended, Home

GUIDE = (ROOT / "docs" / "toolsets" / "writing.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the guide's one block of code in a language that contains a text."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    (found,) = [each for each in blocks if containing in each]
    return found


@pytest.fixture
def notes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the guide's toolset in a folder of its own, as a distribution would."""
    site = home.folder / "site"
    metadata = site / "notes-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "my_notes.py").write_text(block("python", "def entrepot_toolset"), encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[entrepot.toolsets]\nnotes = my_notes\n", encoding="utf-8")
    assert 'notes = "my_notes"' in block("toml", "entry-points")
    home.configure("[toolsets.knowledge]\nenabled = false\n" + block("toml", "[toolsets.notes]"))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(str(site))


@pytest.mark.usefixtures("notes")
def test_the_guides_toolset_keeps_and_returns_notes(entrepot: Callable[..., Ended]) -> None:
    assert "Remember a note" in entrepot("tools").stdout
    assert entrepot("call", "remember", "text=buy milk").stdout.startswith("Remembered.")
    recalled = json.loads(entrepot("call", "recall", "--json").stdout)
    assert recalled["notes"] == ["buy milk"]
    refused = entrepot("call", "remember", f"text={'x' * 201}")
    assert (refused.returncode, "at most 200 characters" in refused.stdout) == (1, True)
