"""The guide for authors of toolsets lists every public module, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "toolsets" / "writing.md"
LISTED = re.compile(r"^\| `(toolsets\.[a-z0-9_.]+)` \|", re.MULTILINE)


def test_the_guide_lists_every_module_of_the_tool_kit_and_of_sourcing() -> None:
    files = (*(ROOT / "toolsets").glob("*.py"), *(ROOT / "toolsets" / "sourcing").glob("*.py"))
    public = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if path.stem != "__init__"}
    listed = LISTED.findall(GUIDE.read_text(encoding="utf-8"))
    # The names of `toolsets.spec` are imported from the package, whose modules may move.
    assert sorted(listed) == sorted({*public, "toolsets.spec"})
