"""What authors may rely on is listed where they look for it."""

import re

from tests.house.modules import ROOT

GUIDE = ROOT / "docs" / "adapters" / "writing.md"
KIT = ROOT / "backends" / "kit"


def test_the_guide_lists_every_module_of_the_kit() -> None:
    _, _, section = GUIDE.read_text(encoding="utf-8").partition("\n## The kit\n")
    table = section.partition("\n## ")[0]
    modules = {path.stem for path in KIT.glob("*.py")} - {"__init__"}
    assert {*re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)} == modules
