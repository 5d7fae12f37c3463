"""The example of a file of categories does what the page says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import cast

PAGE = Path(__file__).parents[2] / "docs" / "tools" / "concept_rag.md"
BEES = """# Keeping bees

Beekeeping begins with a hive. A hive of honey bees has one queen bee, and a swarm follows the queen bee to a new hive.
The beekeeper takes honey from the hive in summer, and catches a swarm of bees before it leaves the hive.
"""


def run(folder: Path, *words: str) -> str:
    line = [sys.executable, "-m", "gateway.cli.main", *words, "--data-dir", str(folder / "data")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ENTREPOT_")}
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def called(folder: Path, tool: str, **arguments: str) -> dict[str, dict[str, object]]:
    words = (f"{name}={value}" for name, value in arguments.items())
    return cast("dict[str, dict[str, object]]", json.loads(run(folder, "call", tool, *words)))


def test_a_document_gets_the_category_of_the_pages_example(tmp_path: Path) -> None:
    """The file is found below the data directory; a shipped category is refined by its name."""
    page = PAGE.read_text(encoding="utf-8")
    example = re.search(r"^```toml\n(\[\[category\]\].*?)^```", page, re.MULTILINE | re.DOTALL)
    assert example is not None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "categories.toml").write_text(example[1], encoding="utf-8")
    (tmp_path / "entrepot.toml").write_text('[toolsets.concept_rag]\ntaxonomy = "categories.toml"\n', encoding="utf-8")
    (tmp_path / "bees.md").write_text(BEES, encoding="utf-8")
    run(tmp_path, "ingest", "bees.md")
    found = called(tmp_path, "category_search", category="apiculture")
    assert found["category"]["name"] == "Beekeeping"
    assert found["category"]["hierarchy"] == ["Agriculture", "Beekeeping"]
    assert found["statistics"]["documentsReturned"] == 1
