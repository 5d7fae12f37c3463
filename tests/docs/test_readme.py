"""What the documents tell people to type works, and what they point to is there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import Command, run

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
OURS = re.compile(r"^(?:\.venv/bin/)?entrepot (call .+)$", re.MULTILINE)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_readmes_calls_do_what_they_say(tmp_path: Path) -> None:
    said: list[str] = []
    for line in OURS.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        done = run(Command((*shlex.split(line), "--data-dir", str(tmp_path))))
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert "Created" in said[0]
    assert "Optimistic locking" in said[1]
    shared = run(Command(("call", "create_relationship", "source_id=a", "--data-dir", str(tmp_path))))
    names = "knowledge_create_relationship or memory_create_relationship"
    assert f"There is no tool create_relationship; here it is {names}. There are: " in shared.stderr


def test_the_example_files_pythons_help_where_the_glossary_is_missing(tmp_path: Path) -> None:
    example = ROOT / "docs" / "examples" / "python_glossary.py"
    done = subprocess.run(
        [sys.executable, example, "--first", "12"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "12 concepts filed" in done.stdout
    missing = subprocess.run(
        [sys.executable, example, "missing.html"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert missing.returncode == 1
    assert missing.stderr == "missing.html cannot be read: [Errno 2] No such file or directory: 'missing.html'\n"
